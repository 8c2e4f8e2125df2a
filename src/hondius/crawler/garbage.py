"""How often Python looks for garbage that refers to itself."""

import gc

YOUNG, OLDER, OLDEST = 20_000, 20, 50


def collect_rarely() -> None:
    """A crawl makes next to no cycles, and holds a hundred thousand objects that stay: origins that are awake, URLs
    that were taken ahead. Looking through all of them for every 700 new ones costs 5 µs a URL that is handed out (50
    million of them queued). What is there now is never looked at again."""
    gc.freeze()
    gc.set_threshold(YOUNG, OLDER, OLDEST)
