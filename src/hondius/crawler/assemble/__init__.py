"""Builds a crawl: wires the stages to the stores that `opening.py` opened. Concrete stages are named here alone.

surroundings.py  time, chance and the network: what is outside of a crawl
rooms.py         builds the stages, a room at a time
wiring.py        builds what passes URLs through the rooms, and the run that keeps it going
crawl.py         a crawl that is ready to run
start.py         opens a crawl by its place, and waits for room if the disk is full
"""

from hondius.crawler.assemble.crawl import OpenCrawl, running
from hondius.crawler.assemble.start import locked, no_seeds, open_crawl
from hondius.crawler.assemble.surroundings import Surroundings, real_surroundings

__all__ = ["OpenCrawl", "Surroundings", "locked", "no_seeds", "open_crawl", "real_surroundings", "running"]
