"""The commit makes outcomes durable, in an order that no crash can break.

    archive and links synced → one frame of the log, synced → URL store applies it → frontier is notified →
    the other views apply it

In a log of several partitions, what a page found in other partitions gets its own frames before that: `order.py`.

Journeys submit their outcomes and are done. One worker thread writes them every 200 ms, or after 1,000 changes. If the
process is killed before the frame, the URLs are still queued, and the next start cuts off the tails of archive and link
segments. If it is killed after the frame, the views catch up at the next start. A full disk stops the writing, not the
crawl: outcomes wait in memory, nothing new is handed out, and writing continues when there is room.
"""

from hondius.crawler.commit.append import append_events, append_outcome
from hondius.crawler.commit.catch_up import (
    OF_ANOTHER_CRAWL,
    URLS,
    ActivatedOrigins,
    apply_to_urls,
    catch_up,
    catch_up_urls,
    find_broken_view,
    refuse_view_of_other_crawl,
)
from hondius.crawler.commit.commit import Commit, Listeners
from hondius.crawler.commit.order import CommitOrder, choose_order
from hondius.crawler.commit.outcome import Change, FetchRecord, LinkRecord, Outcome

__all__ = [
    "OF_ANOTHER_CRAWL",
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
    "refuse_view_of_other_crawl",
]
