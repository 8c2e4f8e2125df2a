"""A web of pages that change at random, visited by the schedule of the crawl itself, in simulated time.

`Returns`, `Planning` and `Allowance` are those of a crawl. The web draws whether a page has changed between two visits.
Freshness is computed exactly, from the true rates and the times of the visits, so it has no noise of its own.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp, expm1, log
from random import Random
from typing import Any, Literal

from hondius.crawler.recrawl import Allowance, Planning, Returns
from hondius.crawler.recrawl.allocation import allocate, freshness, optimal
from hondius.model import Finished, State
from hondius.settings import RecrawlSettings

DAY = 86_400.0
BEGAN = 1e9
STEP = DAY / 48
"""How often due pages are looked for."""
PLAN_EVERY = DAY / 2
KEPT = ("key", "change_interval", "page_class", "visits", "next_fetch_at")
"""What the schedule reads of the previous visit."""


@dataclass
class Page:
    rate: float
    """Changes a day."""
    weight: float
    version: int = 0
    visited_at: float | None = None
    """Days."""
    row: dict[str, Any] | None = None


@dataclass
class ChangingWeb:
    pages: list[Page]
    chance: Random
    fresh: dict[int, float] = field(default_factory=dict)
    """Weight times days that were fresh, by day."""
    visits: int = 0

    def visit(self, page: Page, at: float) -> None:
        """`at`: in days."""
        if page.visited_at is not None:
            self._count_fresh(page, page.visited_at, at)
            page.version += self.chance.random() < -expm1(-page.rate * (at - page.visited_at))
        page.visited_at = at
        self.visits += 1

    def end(self, at: float) -> None:
        for page in self.pages:
            if page.visited_at is not None:
                self._count_fresh(page, page.visited_at, at)

    def measure(self, first: int, last: int) -> float:
        """The share of the weight that is fresh, on average over these days."""
        total = sum(page.weight for page in self.pages)
        return sum(self.fresh.get(day, 0.0) for day in range(first, last)) / total / (last - first)

    def _count_fresh(self, page: Page, since: float, until: float) -> None:
        """Fresh at time t with probability exp(-rate * (t - since))."""
        day = int(since)
        while day < until:
            begin, end = max(since, day), min(until, day + 1)
            share = exp(-page.rate * (begin - since)) * -expm1(-page.rate * (end - begin)) / page.rate
            if share < 1e-12:
                return
            self.fresh[day] = self.fresh.get(day, 0.0) + page.weight * share
            day += 1


def make_web(count: int, seed: int) -> ChangingWeb:
    """Rates are log-normal with a median of half a change a day, weights have a Pareto distribution."""
    chance = Random(seed)
    pages = [Page(exp(log(0.5) + 1.5 * chance.gauss(0, 1)), chance.paretovariate(1.2)) for _ in range(count)]
    return ChangingWeb(pages, chance)


def find_optimum(web: ChangingWeb, budget: float) -> float:
    """The freshness of the best periodic schedule for somebody who knows the true rates."""
    rates, weights = [page.rate for page in web.pages], [page.weight for page in web.pages]
    shares = allocate(rates, weights, budget, optimal)
    fresh = [freshness(visits / rate) for visits, rate in zip(shares, rates, strict=True)]
    return sum(weight * some for weight, some in zip(weights, fresh, strict=True)) / sum(weights)


def crawl_uniformly(web: ChangingWeb, budget: float, days: int) -> None:
    """Every page equally often, one after the other."""
    interval = 1 / budget
    for number in range(int(days * budget)):
        web.visit(web.pages[number % len(web.pages)], number * interval)
    web.end(days)


def crawl(web: ChangingWeb, budget: int, days: int, schedule: Literal["optimal", "harmonic"] | None) -> Planning:
    """`schedule`: None for halving and doubling, as far as the budget goes."""
    settings = RecrawlSettings(visits_per_day=budget, top_pages=0, schedule=schedule or "harmonic")
    planning = Planning(settings)
    returns = Returns(settings, planning, lambda cause: False)
    allowance = Allowance(budget, BEGAN)
    due = [(BEGAN, number) for number in range(len(web.pages))]
    for at in _list_steps(days):
        if schedule is not None and at >= planning.next_at:
            planning.follow(planning.make(_list_rates(web)), at)
            planning.next_at = at + PLAN_EVERY
        left = allowance.count(10**9, at)
        while left and due[0][0] <= at:
            _, number = heapq.heappop(due)
            end = _visit(web, number, at, returns)
            heapq.heappush(due, (end.next_fetch_at or 0.0, number))
            allowance.spend(1)
            left -= 1
    web.end(days)
    return planning


def _list_steps(days: int) -> Iterator[float]:
    for step in range(int(days * DAY / STEP)):
        yield BEGAN + step * STEP


def _list_rates(web: ChangingWeb) -> Iterator[tuple[float, float]]:
    for page in web.pages:
        if page.row is not None:
            yield page.row["change_interval"], page.weight


def _visit(web: ChangingWeb, number: int, at: float, returns: Returns) -> Finished:
    page, key, url = web.pages[number], number.to_bytes(16, "big"), f"http://a.test/{number}"
    web.visit(page, (at - BEGAN) / DAY)
    returns.begin(key, page.row)
    end = returns.settle(
        Finished(
            key,
            url,
            url,
            "a.test",
            State.COMPLETED,
            "",
            priority=page.weight,
            fetched_at=at,
            change_hash=page.version.to_bytes(16, "big"),
            text_version=1,
        ),
        at,
    )
    returns.end(key)
    page.row = {name: getattr(end, name) for name in KEPT}
    page.row["last_fetched_at"] = at
    return end
