"""The commit: what happened becomes durable, in one order that no crash can break.

    archive and links synced  →  one frame of the log, synced  →  views apply it  →  the frontier hears of it

Journeys leave their outcomes here and go on; every 200 ms or 1,000 changes they are written by one
worker thread. Killed before the frame: the URLs are still queued, the tails of archive and link segments are cut
at the next start. Killed after it: the views catch up at the next start. A full disk stops the writing, not the
crawl: outcomes wait in memory, nothing new is handed out, and it goes on when there is room.
"""

from hondius.crawler.commit.catch_up import (
    ANOTHER_CRAWLS,
    URLS,
    Woken,
    apply_to_urls,
    broken_view,
    catch_up,
    catch_up_urls,
    refuse_another_crawls,
)
from hondius.crawler.commit.commit import Change, Commit, Listeners
from hondius.crawler.commit.outcome import Outcome

__all__ = [
    "ANOTHER_CRAWLS",
    "URLS",
    "Change",
    "Commit",
    "Listeners",
    "Outcome",
    "Woken",
    "apply_to_urls",
    "broken_view",
    "catch_up",
    "catch_up_urls",
    "refuse_another_crawls",
]
