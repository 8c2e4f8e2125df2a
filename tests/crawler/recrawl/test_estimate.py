"""How often a page changes, from visits at irregular times (R1)."""

import random
from math import exp, expm1, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.crawler.recrawl.estimate import DAY, FASTEST, SLOWEST, estimate_rate
from hondius.crawler.recrawl.history import MOST_EVIDENCE, MOST_GROUPS, NO_HISTORY, History, decode_history

PRIOR = 1.0


def visit(rate: float, intervals: list[float], chance: random.Random) -> History:
    history = NO_HISTORY
    for days in intervals:
        history = history.add(days * DAY, has_changed=chance.random() < -expm1(-rate * days))
    return history


def test_r1_nothing_seen_is_what_the_class_says() -> None:
    for expected in (1 / 28, 1 / 7, 1, 4):
        assert estimate_rate(NO_HISTORY, expected) == pytest.approx(expected, rel=1e-3)


def test_r1_a_rate_is_finite_if_every_visit_saw_a_change_and_positive_if_none_did() -> None:
    always = never = NO_HISTORY
    rates = []
    for _ in range(20):
        always, never = always.add(DAY, has_changed=True), never.add(DAY, has_changed=False)
        rates.append((estimate_rate(always, PRIOR), estimate_rate(never, PRIOR)))
    assert all(SLOWEST < slow < fast < FASTEST for fast, slow in rates)
    assert [fast for fast, _ in rates] == sorted(fast for fast, _ in rates)
    assert [slow for _, slow in rates] == sorted((slow for _, slow in rates), reverse=True)


def test_r1_it_is_the_root_of_the_likelihood() -> None:
    history = NO_HISTORY
    for days, changed in [(0.1, True), (0.4, False), (3.0, True), (9.0, True), (2.0, False)]:
        history = history.add(days * DAY, has_changed=changed)
    rate = estimate_rate(history, PRIOR)
    imaginary = log(2) / PRIOR
    changed_side = sum(days / expm1(rate * days) for days in (0.1, 3.0, 9.0)) + 0.5 * imaginary / expm1(
        rate * imaginary
    )
    assert changed_side == pytest.approx(0.4 + 2.0 + 0.5 * imaginary, rel=1e-3)


@pytest.mark.parametrize("rate", [0.1, 0.5, 2.0])
def test_r1_a_few_visits_are_biased_less_than_the_share_of_changes_is(rate: float) -> None:
    """Over pages of the same rate that are visited eight times at irregular intervals."""
    chance = random.Random(11)
    estimates, naive = [], []
    for _ in range(400):
        intervals = [chance.uniform(0.2, 3.0) for _ in range(8)]
        history = visit(rate, intervals, chance)
        estimates.append(estimate_rate(history, PRIOR))
        naive.append(history.changes / sum(intervals))
    middle = exp(sum(map(log, estimates)) / len(estimates))
    assert middle == pytest.approx(rate, rel=0.35)
    if rate >= 0.5:
        assert abs(middle - rate) < abs(sum(naive) / len(naive) - rate)


def test_r1_many_visits_find_the_rate_and_a_new_rate_is_found_in_time() -> None:
    chance = random.Random(3)
    estimates = []
    for _ in range(60):
        before = visit(0.2, [chance.uniform(0.5, 4) for _ in range(120)], chance)
        after = before
        for _ in range(300):
            days = chance.uniform(0.05, 1)
            after = after.add(days * DAY, has_changed=chance.random() < -expm1(-3.0 * days))
        estimates.append((estimate_rate(before, PRIOR), estimate_rate(after, PRIOR)))
    assert sum(old for old, _ in estimates) / 60 == pytest.approx(0.2, rel=0.1)
    assert sum(new for _, new in estimates) / 60 == pytest.approx(3.0, rel=0.3)


@given(st.lists(st.tuples(st.floats(-1e12, 1e12), st.booleans()), max_size=200))
def test_r1_a_history_of_any_length_takes_constant_space_and_comes_back(visits: list[tuple[float, bool]]) -> None:
    history = NO_HISTORY
    for seconds, changed in visits:
        history = history.add(seconds, has_changed=changed)
    assert len(history.changed) <= MOST_GROUPS
    assert history.visits <= MOST_EVIDENCE + 1e-6
    again = decode_history(history.encode())
    assert again.visits == pytest.approx(history.visits, rel=1e-5)
    assert estimate_rate(again, PRIOR) == pytest.approx(estimate_rate(history, PRIOR), rel=1e-3)


@given(st.binary(max_size=300))
def test_r1_any_bytes_of_a_stranger_are_a_history_and_have_a_rate(data: bytes) -> None:
    assert SLOWEST / 2 <= estimate_rate(decode_history(data), PRIOR) <= FASTEST * 2
