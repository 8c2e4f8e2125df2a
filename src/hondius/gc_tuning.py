"""How often Python's cyclic garbage collector runs."""

import gc

YOUNG = 20_000
"""Objects created before the collector scans the young generation. A page creates hundreds of objects, and hardly any
is part of a cycle. With Python's default of 700, collection takes 3 % of a crawl's time, and with 50 million queued
URLs 10 % of the time to hand one out."""

MIDDLE = 2
"""Young collections between two collections of the middle generation. With Python's default, a middle collection scans
220,000 objects and blocks the event loop for 50 ms."""


def collect_rarely() -> None:
    """Also excludes all existing objects, mostly modules, from later collections."""
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE)
