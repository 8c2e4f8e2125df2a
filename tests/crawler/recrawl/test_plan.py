"""Plans for all pages of a crawl (R2)."""

import random

import pytest

from hondius.crawler.recrawl.allocation import allocate, freshness, optimal
from hondius.crawler.recrawl.plan import Bounds, Census, Plan, make_plan
from hondius.crawler.recrawl.planning import Allowance, Planning
from hondius.settings import RecrawlSettings

BOUNDS = Bounds(shortest=1 / 24, longest=60.0, top_age=1.0)


def make_pages(count: int) -> list[tuple[float, float]]:
    chance = random.Random(count)
    return [(chance.lognormvariate(-0.7, 1.5), chance.paretovariate(1.2)) for _ in range(count)]


def plan_for(pages: list[tuple[float, float]], budget: float, allocation: str = "optimal", top: int = 0) -> Plan:
    census = Census()
    for rate, weight in pages:
        census.add(rate, weight)
    return make_plan(census, budget, allocation, BOUNDS, top)


def test_r2_a_plan_of_groups_is_as_good_as_one_that_knows_every_page() -> None:
    pages = make_pages(3_000)
    rates, weights = [rate for rate, _ in pages], [weight for _, weight in pages]
    plan = plan_for(pages, 1_500)
    visits = [1 / plan.find_interval(rate, weight) for rate, weight in pages]
    assert sum(visits) == pytest.approx(1_500, rel=0.02)
    best = allocate(rates, weights, 1_500, optimal)

    def value(shared: list[float]) -> float:
        fresh = [freshness(some / rate) for some, rate in zip(shared, rates, strict=True)]
        return sum(weight * some for weight, some in zip(weights, fresh, strict=True)) / sum(weights)

    assert value(visits) == pytest.approx(value(best), rel=0.01)
    assert plan.outlook.freshness == pytest.approx(value(visits), rel=0.01)


@pytest.mark.parametrize("allocation", ["optimal", "harmonic"])
def test_r2_no_interval_is_outside_of_its_bounds(allocation: str) -> None:
    pages = make_pages(500)
    for budget in (1, 50, 100_000):
        plan = plan_for(pages, budget, allocation)
        intervals = [plan.find_interval(rate, weight) for rate, weight in [*pages, (1e6, 1e-9), (1e-9, 1e9)]]
        assert min(intervals) >= BOUNDS.shortest
        assert max(intervals) <= BOUNDS.longest


def test_r2_the_target_of_the_top_pages_is_kept_first_and_the_rest_is_shared() -> None:
    pages = [(0.05, 1.0 - number / 1_000) for number in range(1_000)]
    free = plan_for(pages, 150)
    assert free.find_interval(0.05, 1.0) > BOUNDS.top_age
    plan = plan_for(pages, 150, top=100)
    assert 90 <= plan.target.pages <= 100
    assert plan.target.shortfall == 0
    assert all(plan.find_interval(*page) <= BOUNDS.top_age for page in pages[: plan.target.pages])
    assert sum(1 / plan.find_interval(*page) for page in pages) == pytest.approx(150, rel=0.02)


def test_r2_a_budget_that_does_not_suffice_for_the_target_goes_to_it_and_the_shortfall_is_said() -> None:
    pages = [(0.05, 1.0 - number / 1_000) for number in range(1_000)]
    plan = plan_for(pages, 50, top=100)
    assert plan.target.shortfall == plan.target.pages - 50
    assert plan.find_interval(*pages[0]) == pytest.approx(plan.target.pages / 50)
    assert plan.find_interval(*pages[-1]) == BOUNDS.longest


def test_r2_a_plan_takes_the_memory_of_its_groups() -> None:
    census = Census()
    chance = random.Random(1)
    for _ in range(50_000):
        census.add(chance.lognormvariate(0, 1.5), chance.choice([0.2, 0.5, 0.8]))
    assert len(census._groups) < 1_000


def test_r2_without_a_budget_there_is_no_plan() -> None:
    assert Planning(RecrawlSettings()).make([(86_400.0, 0.5)]) is None
    assert not Planning(RecrawlSettings()).is_due(1e9)
    planning = Planning(RecrawlSettings(visits_per_day=10))
    assert planning.is_due(0.0)
    assert planning.make([]) is None
    planning.follow(planning.make([(86_400.0, 0.5)] * 20), 5.0)
    assert planning.plan is not None
    assert planning.plan.outlook.planned == pytest.approx(10)
    assert not planning.is_due(5.0)


def test_r2_a_budget_is_spent_evenly_and_saved_up_for_an_hour_at_most() -> None:
    allowance = Allowance(86_400.0, 0.0)
    assert allowance.count(1_000, 0.0) == 1
    allowance.spend(1)
    assert allowance.count(1_000, 0.5) == 0
    assert allowance.find_next_time(0.5) == pytest.approx(1.0)
    assert allowance.count(1_000, 10.0) == 10
    assert allowance.count(10**9, 1e9) == 3_600
    assert Allowance(None, 0.0).count(7, 0.0) == 7
