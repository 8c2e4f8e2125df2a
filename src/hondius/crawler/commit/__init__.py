"""The commit: what happened becomes durable, in one order that no crash can break.

    archive and links synced  →  one frame of the log, synced  →  views apply it  →  the frontier hears of it

In a log of several partitions, what a page led to elsewhere gets frames of its own before that: `order.py`.

Journeys leave their outcomes here and go on; every 200 ms or 1,000 changes they are written by one
worker thread. Killed before the frame: the URLs are still queued, the tails of archive and link segments are cut
at the next start. Killed after it: the views catch up at the next start. A full disk stops the writing, not the
crawl: outcomes wait in memory, nothing new is handed out, and it goes on when there is room.
"""

from hondius.crawler.commit.catch_up import (
    ANOTHER_CRAWLS,
    URLS,
    ActivatedOrigins,
    apply_to_urls,
    catch_up,
    catch_up_urls,
    find_broken_view,
    refuse_another_crawls,
)
from hondius.crawler.commit.commit import Commit, Listeners
from hondius.crawler.commit.order import CommitOrder, choose_order
from hondius.crawler.commit.outcome import Change, FetchRecord, LinkRecord, Outcome
from hondius.crawler.commit.recording import append_events, append_outcome

__all__ = [
    "ANOTHER_CRAWLS",
    "URLS",
    "ActivatedOrigins",
    "Change",
    "Commit",
    "CommitOrder",
    "FetchRecord",
    "LinkRecord",
    "Listeners",
    "Outcome",
    "append_events",
    "append_outcome",
    "apply_to_urls",
    "catch_up",
    "catch_up_urls",
    "choose_order",
    "find_broken_view",
    "refuse_another_crawls",
]
