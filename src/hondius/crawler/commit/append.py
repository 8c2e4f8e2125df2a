"""Writes to the log of a crawl that is not running."""

from collections.abc import Sequence

from hondius.crawler.commit.order import choose_order
from hondius.crawler.commit.outcome import Outcome
from hondius.model import AnyEvent, Frame
from hondius.ports import Log, UrlStore


def append_outcome(log: Log, urls: UrlStore, outcome: Outcome, at: float) -> list[Frame]:
    """Appends the frames of one outcome, in the usual order of a commit. Archives nothing. The caller lets the views
    apply the frames."""
    order = choose_order(log, urls)
    frames: list[Frame] = []
    for draft in order.plan_drafts([outcome]):
        if events := order.make_events(draft):
            frames.append(log.append(events, at, draft.partition))
        order.mark_written(draft)
    return frames


def append_events(log: Log, urls: UrlStore, events: Sequence[AnyEvent], at: float) -> list[Frame]:
    return append_outcome(log, urls, Outcome(events), at)
