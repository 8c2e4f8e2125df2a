"""How often Python looks for garbage that refers to itself."""

import gc

YOUNG = 20_000
"""Objects that may be made before the garbage collector looks at them. A page makes hundreds, and hardly one is part of
a cycle: looked at every 700 objects, as Python does by itself, they cost a crawl a thirtieth of its time, and one with
50 million URLs queued a tenth of what it takes to hand one out."""

MIDDLE = 2
"""So many looks at young objects before those that outlived them are looked at together: a look at 220,000, as Python
would do by itself, takes the event loop 50 ms."""


def collect_rarely() -> None:
    """What is there by now, modules for the most part, is never looked at again."""
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE)
