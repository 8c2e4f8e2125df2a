"""F1: the choice is biased by priority, and no class is starved."""

from collections import Counter, deque
from random import Random

import pytest

from hondius.crawler.frontier.frontier import compute_class
from hondius.crawler.frontier.rows import Numbers, Rows


def test_f1_better_rows_are_served_more_often_and_none_is_starved() -> None:
    rows: Rows[int] = Rows()
    for row in (0, 15):
        for origin in range(1_000):
            rows.add(row, row * 10_000 + origin)
    first = Counter("best" if (rows.pop() or 0) < 10_000 else "last" for _ in range(340))
    assert first["best"] > 10 * first["last"]
    assert first["last"] >= 10


def test_f1_a_row_that_was_empty_gets_no_credit_for_it() -> None:
    rows: Rows[int] = Rows()
    for origin in range(1_000):
        rows.add(8, origin)
    for _ in range(500):
        rows.pop()
    for origin in range(1_000, 1_100):
        rows.add(0, origin)
    served = [rows.pop() or 0 for _ in range(30)]
    assert any(origin < 1_000 for origin in served)


def test_rows_give_back_everything_once_and_then_nothing() -> None:
    rows: Rows[int] = Rows()
    for origin in range(64):
        rows.add(origin % 16, origin)
    assert sorted(rows.pop() or 0 for _ in range(64)) == list(range(64))
    assert rows.pop() is None
    assert len(rows) == 0


def test_the_best_priority_is_class_zero() -> None:
    assert [compute_class(value) for value in (1.0, 0.95, 0.5, 0.0)] == [0, 0, 7, 15]


def test_f3_numbers_that_sleep_come_back_in_their_order() -> None:
    numbers: Numbers = Numbers()
    expected: deque[int] = deque()
    chance = Random(1)
    for number in range(30_000):
        numbers.append(number)
        expected.append(number)
        if chance.random() < 0.7:
            assert numbers.popleft() == expected.popleft()
        assert len(numbers) == len(expected)
    while expected:
        assert numbers.popleft() == expected.popleft()
    assert len(numbers) == 0
    with pytest.raises(IndexError):
        numbers.popleft()
