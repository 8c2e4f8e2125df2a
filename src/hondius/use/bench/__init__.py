"""What this machine can do, in a minute: a crawl of pages that it serves to itself, everything on.

site.py       the pages, made of numbers
server.py     the process that serves them, apart from the crawl so that its CPU is not counted
threads.py    CPU of each thread
stages.py     which step of the crawl needs it
loop_watch.py how long callbacks keep the event loop
measure.py    the crawl, and what it took
figures.py    what is told
"""

from hondius.use.bench.figures import Figures
from hondius.use.bench.measure import ensure_room, measure

__all__ = ["Figures", "ensure_room", "measure"]
