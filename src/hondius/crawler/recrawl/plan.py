"""Shares a budget of visits among all pages (R2).

The plan does not know pages. It knows how many pages there are of each weight and of each ratio of change rate to
weight, in groups a few percent apart, and finds the one multiplier at which their visits spend the budget
(`allocation.py`). From that follows the interval of any page, when it has been visited. So a plan takes the same memory
for a thousand pages as for a billion, and is made again while the crawl runs (`planning.py`).

The target for the top pages comes first: of the pages of the greatest weight, each is visited at least as often as the
target says. What is left of the budget is shared by the others. If the budget does not suffice for the target, it is
spent on the top pages, evenly, and the plan says how many visits are missing.
"""

from collections import defaultdict
from dataclasses import dataclass
from math import exp, floor, inf, log

from hondius.crawler.recrawl.allocation import Visits, find_multiplier, freshness, harmonic, optimal

DAY = 86_400.0
STEP = log(1.05)
WEIGHT_STEP = log(1.02)
LEAST_WEIGHT = 1e-3
"""A page of weight zero would never be visited again."""

ALLOCATIONS: dict[str, Visits] = {"optimal": optimal, "harmonic": harmonic}


@dataclass(slots=True)
class Group:
    """Pages of nearly the same ratio. Sums over them."""

    pages: int = 0
    rate: float = 0.0
    weight: float = 0.0


class Census:
    """Counts pages by their weight and their ratio."""

    def __init__(self) -> None:
        self._groups: dict[tuple[int, int], Group] = defaultdict(Group)
        self.pages = 0

    def add(self, rate: float, weight: float) -> None:
        weight = max(weight, LEAST_WEIGHT)
        group = self._groups[floor(log(weight) / WEIGHT_STEP), floor(log(rate / weight) / STEP)]
        group.pages += 1
        group.rate += rate
        group.weight += weight
        self.pages += 1

    def find_top_weight(self, most: int) -> float:
        """The weight from which on a page is one of the `most` top pages; infinite if not even the greatest group
        fits, or if none are wanted."""
        counts: dict[int, int] = defaultdict(int)
        for (step, _), group in self._groups.items():
            counts[step] += group.pages
        threshold, count = inf, 0
        for step in sorted(counts, reverse=True):
            count += counts[step]
            if count > most:
                break
            threshold = exp(step * WEIGHT_STEP)
        return threshold

    def split(self, threshold: float) -> tuple[list[Group], list[Group]]:
        """The groups of the pages from this weight on, and the others."""
        top: list[Group] = []
        others: list[Group] = []
        for (step, _), group in self._groups.items():
            (top if exp(step * WEIGHT_STEP) >= threshold else others).append(group)
        return top, others


@dataclass(frozen=True, slots=True)
class Bounds:
    """`shortest`, `longest`: days between two visits. `top_age`: the most for the top pages."""

    shortest: float
    longest: float
    top_age: float


@dataclass(frozen=True, slots=True)
class Target:
    """What the top pages get before all others."""

    weight: float
    """From this weight on, a page is one of them."""
    interval: float
    """The most days between two visits: the target, or more if the budget does not suffice."""
    pages: int
    shortfall: float
    """Visits a day that the target needs above the budget."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a plan achieves."""

    budget: float
    """Visits a day."""
    pages: int
    planned: float
    """Visits a day that all pages together get."""
    freshness: float
    """The share of pages that are expected to be fresh, by weight."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How often to visit a page."""

    visits: Visits
    bounds: Bounds
    multiplier: float
    target: Target
    outlook: Outlook

    def describe(self) -> dict[str, float]:
        """For people: budget, planned visits and shortfall are visits a day."""
        return {
            "visits_per_day": self.outlook.budget,
            "planned": self.outlook.planned,
            "pages": self.outlook.pages,
            "freshness": self.outlook.freshness,
            "top_pages": self.target.pages,
            "shortfall": self.target.shortfall,
        }

    def find_interval(self, rate: float, weight: float) -> float:
        """Days until the next visit of a page that changes `rate` times a day."""
        weight = max(weight, LEAST_WEIGHT)
        longest = self.target.interval if weight >= self.target.weight else self.bounds.longest
        visits = rate * self.visits(rate / weight * self.multiplier) if self.multiplier < inf else 0.0
        return max(self.bounds.shortest, min(longest, 1.0 / visits if visits > 0.0 else inf))


def make_plan(census: Census, budget: float, allocation: str, bounds: Bounds, top_pages: int) -> Plan:
    """`budget`: visits a day of all pages together."""
    visits = ALLOCATIONS[allocation]
    threshold = census.find_top_weight(top_pages)
    top, others = census.split(threshold)
    count = sum(group.pages for group in top)
    shortfall = max(0.0, count / bounds.top_age - budget)
    target = Target(threshold, count / budget if shortfall else bounds.top_age, count, shortfall)

    def spend(multiplier: float) -> float:
        return sum(_spend(group, visits, multiplier, bounds.shortest, target.interval) for group in top) + sum(
            _spend(group, visits, multiplier, bounds.shortest, bounds.longest) for group in others
        )

    multiplier = inf if shortfall else find_multiplier(spend, budget)
    fresh = _compute_freshness(top, others, visits, multiplier, bounds, target.interval)
    return Plan(visits, bounds, multiplier, target, Outlook(budget, census.pages, spend(multiplier), fresh))


def _spend(group: Group, visits: Visits, multiplier: float, shortest: float, longest: float) -> float:
    """Visits a day of a group. Its pages differ a little; their mean stands for all."""
    rate = group.rate / group.pages
    wanted = rate * visits(group.rate / group.weight * multiplier) if multiplier < inf else 0.0
    return group.pages * min(max(wanted, 1.0 / longest), 1.0 / shortest)


def _compute_freshness(
    top: list[Group], others: list[Group], visits: Visits, multiplier: float, bounds: Bounds, top_interval: float
) -> float:
    fresh = total = 0.0
    for groups, longest in ((top, top_interval), (others, bounds.longest)):
        for group in groups:
            spent = _spend(group, visits, multiplier, bounds.shortest, longest)
            fresh += group.weight * freshness(spent / group.rate)
            total += group.weight
    return fresh / total if total else 0.0
