"""How a budget of visits is shared among pages that change at different rates.

Each allocation has one multiplier, the value of the last visit, which is the same for all pages. Every function of a
page depends only on `ratio`, its change rate divided by its weight, times the multiplier. So pages of the same ratio
can be counted together (`plan.py`), and a plan for millions of pages is a plan for a few hundred groups.

A page with `rate` changes a day that is visited every I days, exactly, is fresh for (1 - exp(-x)) / x of the time, with
x = rate * I. One that is visited at random times, r a day on average, is fresh for r / (r + rate).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import exp, expm1, inf, log, sqrt

Visits = Callable[[float], float]
"""From ratio * multiplier to visits per change."""

_EXACT = 1e-10
"""Where the bisection ends: the relative error of the multiplier."""
SMALLEST, LARGEST = 1e-200, 1e200
"""Multipliers between which the one that spends the budget is looked for."""


def optimal(price: float) -> float:
    """Visits per change that maximise freshness if each page is visited at equal intervals. A page that changes too
    fast for its weight gets none. The marginal value of a visit, 1 - (1 + x) * exp(-x), equals the price."""
    changes = _find_changes_between_visits(price)
    return 0.0 if changes == inf else 1.0 / changes


def optimal_at_random(price: float) -> float:
    """The same if each page is visited at random times: the closed formula of Azar and others (PNAS 2018)."""
    return max(0.0, sqrt(1.0 / price) - 1.0)


def harmonic(price: float) -> float:
    """Visits per change that minimise the harmonic penalty (Kolobov and others, NeurIPS 2019): the mth change that a
    visit missed costs 1/m. Every page gets visits, however fast it changes."""
    return 2.0 / (price * (1.0 + sqrt(1.0 + 4.0 / price)))


def freshness(visits_per_change: float) -> float:
    """The share of time that a page is fresh if it is visited at equal intervals."""
    if visits_per_change <= 0.0:
        return 0.0
    changes = 1.0 / visits_per_change
    return -expm1(-changes) / changes


def find_multiplier(spend: Callable[[float], float], budget: float) -> float:
    """The multiplier at which `spend`, which falls as the multiplier rises, is the budget."""
    low, high = log(SMALLEST), log(LARGEST)
    while high - low > _EXACT * max(1.0, abs(low)):
        middle = (low + high) / 2
        if spend(exp(middle)) > budget:
            low = middle
        else:
            high = middle
    return exp(high)


def allocate(rates: Sequence[float], weights: Sequence[float], budget: float, visits: Visits) -> list[float]:
    """Visits of each page that spend the budget exactly: the reference for plans, and for small numbers of pages."""

    def share(multiplier: float) -> list[float]:
        return [
            rate * visits(rate / weight * multiplier) if weight > 0 else 0.0
            for rate, weight in zip(rates, weights, strict=True)
        ]

    return share(find_multiplier(lambda multiplier: sum(share(multiplier)), budget))


def _find_changes_between_visits(price: float) -> float:
    """x with 1 - (1 + x) * exp(-x) = price; infinite from a price of 1 on."""
    if price >= 1.0:
        return inf
    if price < _PRICES[0]:
        return sqrt(2.0 * price) * (1.0 + sqrt(2.0 * price) / 3.0)
    place = bisect_left(_PRICES, price)
    x = _CHANGES[min(place, len(_CHANGES) - 1)]
    for _ in range(4):
        step = (-expm1(-x) - x * exp(-x) - price) / (x * exp(-x))
        x = max(x - step, x / 2)
    return x


_CHANGES = [1e-3 * 1.05**step for step in range(220)]
_PRICES = [-expm1(-x) - x * exp(-x) for x in _CHANGES]
"""Where the iteration begins: a table of x and its price."""
