"""Measures this machine within a minute: crawls pages that it serves to itself, with all features on.

site.py        generates the pages
server.py      serves them in its own process, so that its CPU time is not counted
threads.py     CPU time of each thread
stages.py      CPU time of each step
loop_watch.py  how long callbacks block the event loop
measure.py     runs and measures the crawl
figures.py     the results
"""

from hondius.use.bench.figures import Figures
from hondius.use.bench.measure import check_descriptors, measure

__all__ = ["Figures", "check_descriptors", "measure"]
