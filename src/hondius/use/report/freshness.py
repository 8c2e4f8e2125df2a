"""How fresh the crawl is now: what each page is expected to be, by its age and its change rate (R2)."""

from collections import Counter, defaultdict
from math import exp, floor, log

from hondius.settings import RecrawlSettings
from hondius.use.report.facts import Count, Freshness

STEP = log(1.02)
"""Priorities that differ by less are counted together."""
LEAST = 1e-3


class FreshnessCounter:
    def __init__(self, settings: RecrawlSettings, now: float) -> None:
        self._settings = settings
        self._now = now
        self._pages = 0
        self._due = 0
        self._fresh = 0.0
        self._weighted = 0.0
        self._weight = 0.0
        self._classes: Counter[str] = Counter()
        self._ages: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        """By priority: pages, and those of them that are older than the target for the top pages."""

    def add(
        self,
        change_interval: float | None,
        priority: float,
        fetched_at: float | None,
        next_fetch_at: float | None,
        page_class: str | None,
    ) -> None:
        """A page that is not fetched again, or of which nothing is known, does not count."""
        if next_fetch_at is None or fetched_at is None or change_interval is None or change_interval <= 0.0:
            return
        age = max(0.0, self._now - fetched_at)
        fresh, weight = exp(-age / change_interval), max(priority, LEAST)
        self._pages += 1
        self._due += next_fetch_at <= self._now
        self._fresh += fresh
        self._weighted += weight * fresh
        self._weight += weight
        self._classes[page_class or "unknown"] += 1
        ages = self._ages[floor(log(weight) / STEP)]
        ages[0] += 1
        ages[1] += age > self._settings.top_age

    def make(self) -> Freshness:
        top_pages, too_old = self._count_top()
        return Freshness(
            pages=self._pages,
            due=self._due,
            fresh=self._fresh / self._pages if self._pages else None,
            weighted_fresh=self._weighted / self._weight if self._weight else None,
            classes=[Count(name, pages) for name, pages in self._classes.most_common()],
            visits_per_day=self._settings.visits_per_day,
            top_pages=top_pages,
            top_age=self._settings.top_age,
            top_too_old=too_old,
        )

    def _count_top(self) -> tuple[int, int]:
        """The pages of the highest priority, and those of them that miss their target. Pages of one priority count
        together or not at all, as in the plan."""
        most = min(self._settings.top_pages, int(self._settings.top_share * self._pages))
        pages = too_old = 0
        for step in sorted(self._ages, reverse=True):
            if pages + self._ages[step][0] > most:
                break
            pages += self._ages[step][0]
            too_old += self._ages[step][1]
        return pages, too_old
