"""F3, P5: how often URLs failed is known exactly, and memory holds only so much of it."""

from hondius.crawler.frontier import Retries
from hondius.crawler.frontier.retries import AT_ONCE

MOST = 1_000


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def test_f3_memory_holds_only_so_many_and_all_are_known() -> None:
    catalog: dict[bytes, tuple[int, float]] = {}
    retries = Retries({}, written=catalog.get, most=MOST)
    for number in range(20 * MOST):
        retries.set(key(number), 1 + number % 3, float(number))
        catalog[key(number)] = (1 + number % 3, float(number))
        assert len(retries) <= MOST + AT_ONCE
    assert all(retries.get(key(number)) == (1 + number % 3, float(number)) for number in range(20 * MOST))
    assert retries.get(key(20 * MOST)) is None


def test_f3_what_the_catalog_does_not_know_yet_is_not_forgotten() -> None:
    catalog: dict[bytes, tuple[int, float]] = {}
    retries = Retries({}, written=catalog.get, most=MOST)
    for number in range(3 * MOST):
        catalog[key(number)] = (1, 0.0)
        retries.set(key(number), 2, 5.0)
    assert all(retries.get(key(number)) == (2, 5.0) for number in range(3 * MOST))
    catalog |= {key(number): (2, 5.0) for number in range(3 * MOST)}
    for number in range(3 * MOST, 30 * MOST):
        catalog[key(number)] = (1, 0.0)
        retries.set(key(number), 1, 0.0)
    assert len(retries) <= MOST + AT_ONCE
    assert all(retries.get(key(number)) == (2, 5.0) for number in range(3 * MOST))


def test_f3_the_catalog_is_not_asked_while_all_is_in_memory() -> None:
    asked: list[bytes] = []
    retries = Retries({key(1): (1, 2.0)}, written=asked.append, most=MOST)
    assert retries.get(key(1)) == (1, 2.0)
    assert retries.get(key(2)) is None
    retries.forget(key(1))
    assert retries.get(key(1)) is None
    assert asked == []


def test_f3_what_earlier_runs_left_is_asked_for_where_it_is_too_much() -> None:
    retries = Retries(None, written={key(1): (2, 3.0)}.get, most=MOST)
    assert retries.get(key(1)) == (2, 3.0)
