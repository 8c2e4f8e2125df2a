"""How a budget of visits is shared (R2)."""

import random
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.crawler.recrawl.allocation import (
    SMALLEST,
    allocate,
    freshness,
    harmonic,
    optimal,
    optimal_at_random,
)

RATES = [1.0, 2.0, 3.0, 4.0, 5.0]
EVEN = [1.0] * 5


def round_all(visits: list[float]) -> list[float]:
    return [round(some, 2) for some in visits]


def test_r2_the_exact_periodic_optimum_of_the_worked_example() -> None:
    visits = allocate(RATES, EVEN, 5, optimal)
    assert visits == pytest.approx([1.15, 1.36, 1.35, 1.14, 0], abs=0.006)
    fresh = [freshness(some / rate) for some, rate in zip(visits, RATES, strict=True)]
    assert sum(fresh) / 5 == pytest.approx(0.374, abs=0.0005)
    assert sum(freshness(1 / rate) for rate in RATES) / 5 == pytest.approx(0.365, abs=0.0005)
    assert freshness(1 / 3) == pytest.approx(0.317, abs=0.0005)


def test_r2_the_closed_formula_for_visits_at_random() -> None:
    assert allocate(RATES, EVEN, 5, optimal_at_random) == pytest.approx([1.39, 1.37, 1.13, 0.77, 0.34], abs=0.006)


def test_r2_the_harmonic_schedule_starves_nobody_and_is_its_own_closed_form() -> None:
    visits = allocate(RATES, EVEN, 5, harmonic)
    assert sum(visits) == pytest.approx(5)
    assert min(visits) > 0.5
    # r = (-L + sqrt(L^2 + 4 L / c)) / 2 for one c: solve the first page for c, and the others must agree.
    multiplier = RATES[0] / (visits[0] * (visits[0] + RATES[0]))
    for rate, some in zip(RATES, visits, strict=True):
        assert some == pytest.approx((-rate + sqrt(rate * rate + 4 * rate / multiplier)) / 2)


@pytest.mark.parametrize("visits", [optimal, optimal_at_random, harmonic])
def test_r2_a_budget_is_spent_to_the_end_and_weight_attracts_visits(visits) -> None:  # type: ignore[no-untyped-def]
    chance = random.Random(5)
    rates = [chance.lognormvariate(0, 2) for _ in range(300)]
    weights = [chance.paretovariate(1.2) for _ in range(300)]
    shared = allocate(rates, weights, 40, visits)
    assert sum(shared) == pytest.approx(40)
    light, heavy = allocate([1, 1], [1, 3], 2, visits)
    assert heavy > light


def test_r2_no_exchange_of_visits_between_two_pages_improves_the_optimum() -> None:
    chance = random.Random(7)
    rates = [chance.lognormvariate(-0.7, 1.5) for _ in range(12)]
    weights = [chance.paretovariate(1.2) for _ in range(12)]
    best = allocate(rates, weights, 6, optimal)

    def value(visits: list[float]) -> float:
        return sum(weight * freshness(some / rate) for weight, some, rate in zip(weights, visits, rates, strict=True))

    for giver in range(12):
        for taker in range(12):
            moved = list(best)
            amount = min(1e-3, moved[giver])
            moved[giver] -= amount
            moved[taker] += amount
            assert value(moved) <= value(best) + 1e-9


@given(st.floats(SMALLEST, 1e9))
def test_r2_the_optimum_is_exact_at_any_price(price: float) -> None:
    visits = optimal(price)
    if price >= 1:
        assert visits == 0
    else:
        changes = 1 / visits
        if changes > 1e-3:
            from math import exp, expm1

            assert -expm1(-changes) - changes * exp(-changes) == pytest.approx(price, rel=1e-6)
