"""The plan in force, and how much of the budget is left.

A plan is made of the partition's own view, on a thread that may wait, when a run begins and every hour after that. The
first plan of a crawl knows no page, so until there is one, pages return as if there were no budget.
"""

from collections.abc import Iterable

from hondius.crawler.recrawl.plan import DAY, Bounds, Census, Plan, make_plan
from hondius.settings import RecrawlSettings

PLAN_EVERY = 3_600.0
"""Seconds."""
MOST_SAVED = 3_600.0
"""Seconds of budget that may be saved up."""


class Planning:
    def __init__(self, settings: RecrawlSettings) -> None:
        self.budget = settings.visits_per_day
        self.plan: Plan | None = None
        self.next_at = 0.0
        """When the next plan is due."""
        self._settings = settings

    def is_due(self, now: float) -> bool:
        return self.budget is not None and now >= self.next_at

    def make(self, pages: Iterable[tuple[float, float]]) -> Plan | None:
        """`pages`: (seconds between two changes, priority) of every page that is to be visited again. Returns the plan
        for them; None if there are none, or no budget. Any thread may call it."""
        if self.budget is None:
            return None
        census = Census()
        for seconds, priority in pages:
            if seconds > 0.0:
                census.add(DAY / seconds, priority)
        settings = self._settings
        if not census.pages:
            return None
        most = min(settings.top_pages, int(settings.top_share * census.pages))
        bounds = Bounds(settings.shortest / DAY, settings.longest / DAY, settings.top_age / DAY)
        return make_plan(census, self.budget, settings.schedule, bounds, most)

    def follow(self, plan: Plan | None, now: float) -> None:
        self.plan = plan
        self.next_at = now + PLAN_EVERY


class Allowance:
    """How many pages may be queued again now. A budget is spent evenly; what is not used is saved for an hour at
    most."""

    def __init__(self, per_day: float | None, now: float) -> None:
        self._per_second = None if per_day is None else per_day / DAY
        self._left = 1.0
        self._at = now

    def count(self, most: int, now: float) -> int:
        if self._per_second is None:
            return most
        saved = max(1.0, self._per_second * MOST_SAVED)
        self._left = min(saved, self._left + max(0.0, now - self._at) * self._per_second)
        self._at = now
        return min(most, int(self._left))

    def spend(self, count: int) -> None:
        if self._per_second is not None:
            self._left -= count

    def find_next_time(self, now: float) -> float:
        """When there is an allowance for a page."""
        if self._per_second is None or self._left >= 1.0:
            return now
        return now + (1.0 - self._left) / self._per_second
