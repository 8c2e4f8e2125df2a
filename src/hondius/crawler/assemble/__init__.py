"""Builds a crawl: connects the stages to the stores that `store_opening.py` opened. Only this package names concrete
stages.

surroundings.py  time, randomness and the network: what is outside of a crawl
stages.py        builds the stages
wiring.py        builds what passes URLs through the stages, and the run
crawl.py         a crawl that is ready to run
importing.py     the same for an import, which needs neither frontier nor network
start.py         opens a crawl by its place, and waits for room if the disk is full
"""

from hondius.crawler.assemble.crawl import OpenCrawl, assemble_crawl
from hondius.crawler.assemble.importing import ROBOTS_CAP, OpenImport, assemble_import
from hondius.crawler.assemble.start import choose_no_seeds, lock_place, open_crawl
from hondius.crawler.assemble.surroundings import Surroundings, make_surroundings

__all__ = [
    "ROBOTS_CAP",
    "OpenCrawl",
    "OpenImport",
    "Surroundings",
    "assemble_crawl",
    "assemble_import",
    "choose_no_seeds",
    "lock_place",
    "make_surroundings",
    "open_crawl",
]
