"""Decides when to return to a page, when a visit has ended: the last step of every journey.

    a good answer       the rate is estimated from all visits; the plan, or the plain policy, gives the interval
    unchanged           the same
    a redirect          the same; it has changed if it leads elsewhere
    404 or 410          due again after a day; at the second in a row, the page is gone
    temporary failure   due again after a day, doubled with each failure
    anything else       due again after the longest interval, if the page was good before; otherwise never

The end of a visit says all of that (`Finished.next_fetch_at`, `visits`), so it is durable with the visit itself, and a
view that is rebuilt from the log has it again. Nothing is written when a page becomes due.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from hondius.crawler.priority_marks import is_of_news
from hondius.crawler.recrawl.classes import PageClasses
from hondius.crawler.recrawl.estimate import DAY, estimate_rate
from hondius.crawler.recrawl.past import NO_PAST, Past, decode_past
from hondius.crawler.recrawl.planning import Planning
from hondius.model import INTERNAL, Finished, State
from hondius.native import Fetched, Page
from hondius.settings import RecrawlSettings

Row = Mapping[str, Any]
"""A page as the view has it."""
MISSING = frozenset({"http_404", "http_410"})
ENOUGH_MISSES = 2
SLACK = 86_400.0
"""Seconds. Many sitemaps have dates without times."""
MOST_MODIFIED = 100_000
MOST_REMEMBERED = 10_000
MOST_ENDED = 20_000
"""More than may wait for a frame: nothing is handed out above eight times `stores.commit_changes`."""
RETURNED_TO = frozenset({"page", "sitemap"})
GOOD = frozenset({State.COMPLETED, State.DUPLICATE, State.REDIRECTED})


class Returns:
    """`is_temporary`: whether a failure of this cause may be over later (`politeness/failures.py`)."""

    def __init__(
        self,
        settings: RecrawlSettings,
        planning: Planning,
        is_temporary: Callable[[str], bool],
    ) -> None:
        self._settings = settings
        self._planning = planning
        self._classes = PageClasses(settings)
        self._is_temporary = is_temporary
        self._previous: dict[bytes, Row] = {}
        """The previous visit of each page that is fetched again now."""
        self._due: OrderedDict[bytes, Row] = OrderedDict()
        """The previous visits of pages that were queued again lately: a page may end without a request, for example
        because its host has no address, and then nobody has read its previous visit."""
        self._modified: OrderedDict[bytes, float] = OrderedDict()
        """Pages of which sitemaps say that they were modified, and when."""
        self._ended: OrderedDict[bytes, float | None] = OrderedDict()
        """Pages that ended lately, with the time of the next visit. The view may not have their ends yet."""

    def begin(self, key: bytes, previous: Row | None) -> None:
        """A page is fetched again."""
        if previous is not None:
            self._previous[key] = previous

    def end(self, key: bytes) -> None:
        """Its journey is over, whatever became of it."""
        self._previous.pop(key, None)

    def note_due(self, rows: Sequence[Row]) -> None:
        """These pages are queued again."""
        self._due.update((row["key"], row) for row in rows)
        while len(self._due) > MOST_REMEMBERED:
            self._due.popitem(last=False)

    def note_listing(self, key: bytes, fetched: Fetched) -> None:
        """A sitemap or a feed was read again. It may say when pages were modified (D2): those that were since it was
        read the last time may be due."""
        previous = self._previous.get(key)
        if previous is None or previous["last_fetched_at"] is None:
            return
        after = datetime.fromtimestamp(previous["last_fetched_at"] - SLACK, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for page, text in fetched.list_modified(after):
            if len(self._modified) >= MOST_MODIFIED:
                return
            with suppress(ValueError, OverflowError):
                self._modified[page] = datetime.fromisoformat(text).timestamp()

    @property
    def has_modified(self) -> bool:
        return bool(self._modified)

    def take_modified(self, most: int) -> list[tuple[bytes, float]]:
        """Removes them from the list."""
        return [self._modified.popitem(last=False) for _ in range(min(most, len(self._modified)))]

    def drop_ended(self, rows: Sequence[Row]) -> list[Row]:
        """The rows without pages that have ended since the view was read."""
        return [row for row in rows if self._ended.get(row["key"], row["next_fetch_at"]) == row["next_fetch_at"]]

    def settle(self, end: Finished, now: float, page: Page | None = None, predicted: float | None = None) -> Finished:
        """The same end, with the time of the next visit. `predicted`: seconds between two changes, as a hook of the
        user expects them (R5)."""
        if end.kind not in RETURNED_TO or end.imported is not None:
            return end
        previous = self._previous.get(end.key) or self._due.get(end.key)
        self._due.pop(end.key, None)
        settled = self._settle(end, now, previous, page, predicted)
        self._ended[end.key] = settled.next_fetch_at
        self._ended.move_to_end(end.key)
        if len(self._ended) > MOST_ENDED:
            self._ended.popitem(last=False)
        return settled

    def _settle(
        self, end: Finished, now: float, previous: Row | None, page: Page | None, predicted: float | None
    ) -> Finished:
        past = NO_PAST if previous is None else decode_past(previous["visits"])
        if end.state in GOOD:
            return self._settle_good(end, end.fetched_at or now, past, previous, page, predicted)
        if end.state is State.FAILED and end.cause != INTERNAL:
            return self._settle_failed(end, now, past)
        return replace(end, next_fetch_at=self._find_late_return(end, now, past))

    def _settle_good(
        self, end: Finished, at: float, past: Past, previous: Row | None, page: Page | None, predicted: float | None
    ) -> Finished:
        known = None if previous is None else previous["page_class"]
        page_class = self._classes.find(end.url, end.kind, page, known, is_listed_news=is_of_news(end.priority))
        usual = self._classes.find_interval(page_class)
        changed = True if past.missing >= ENOUGH_MISSES else past.compare(end)  # it was gone
        now_past = past.see(end, at, changed=changed)
        rate = DAY / max(predicted, 1.0) if predicted is not None else DAY / usual
        if predicted is None and now_past.history.visits:
            rate = estimate_rate(now_past.history, DAY / usual)
        if self._planning.plan is not None:
            interval = self._planning.plan.find_interval(rate, end.priority) * DAY
        else:
            interval = self._choose_plain_interval(predicted, usual, changed, previous)
        return replace(
            end,
            next_fetch_at=at + interval,
            changed=changed,
            change_interval=DAY / rate,
            page_class=page_class,
            visits=now_past.encode(),
        )

    def _choose_plain_interval(
        self, predicted: float | None, usual: float, changed: bool | None, previous: Row | None
    ) -> float:
        """Without a budget: half of the last interval after a change, twice as long without."""
        interval = usual if predicted is None else predicted
        if predicted is None and changed is not None and previous is not None:
            last = _find_last_interval(previous) or usual
            interval = last / 2 if changed else last * 2
        return min(max(interval, self._settings.shortest), self._settings.longest)

    def _settle_failed(self, end: Finished, now: float, past: Past) -> Finished:
        if end.cause in MISSING:
            past = past.miss()
            if past.missing >= ENOUGH_MISSES:
                return replace(end, state=State.GONE, visits=past.encode())
            return replace(end, next_fetch_at=now + self._settings.failed, visits=past.encode())
        if not self._is_temporary(end.cause):
            return replace(end, next_fetch_at=self._find_late_return(end, now, past))
        wait = min(self._settings.longest, self._settings.failed * 2.0 ** min(past.failures, 32))
        return replace(end, next_fetch_at=now + wait, visits=past.fail().encode())

    def _find_late_return(self, end: Finished, now: float, past: Past) -> float | None:
        if past.seen_at is None or end.cause == INTERNAL:
            return None
        return now + self._settings.longest


def _find_last_interval(previous: Row) -> float | None:
    """How long the crawl had meant to wait for this visit; None if it had not planned any."""
    due, fetched = previous["next_fetch_at"], previous["last_fetched_at"]
    return None if due is None or fetched is None or due <= fetched else due - fetched
