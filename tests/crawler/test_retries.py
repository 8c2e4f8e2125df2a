"""F3, P5: how often URLs failed is known exactly, and memory holds only so much of it."""

from collections.abc import Callable
from typing import TypeVar

from hondius.crawler.frontier import Retries
from hondius.crawler.frontier.retries import AT_ONCE, Retry

MOST = 1_000
Answer = TypeVar("Answer")


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def known(retries: Retries, number: int) -> Retry | None:
    """As whoever takes the URL out of the store learns it: from memory, else from the view."""
    return retries.get(key(number)) or (None if retries.has_all else retries.read([key(number)]).get(key(number)))


class Later:
    """A thread that answers when it is told to."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []

    def ask_then(self, question: Callable[[], Answer], learn: Callable[[Answer | None], None], /) -> None:
        self._steps.append(lambda: learn(question()))

    def answer(self) -> int:
        steps, self._steps = self._steps, []
        for step in steps:
            step()
        return len(steps)


def test_f3_memory_holds_only_so_many_and_all_are_known() -> None:
    catalog: dict[bytes, Retry] = {}
    retries = Retries({}, load=catalog.get, most=MOST)
    for number in range(20 * MOST):
        retries.set(key(number), 1 + number % 3, float(number))
        catalog[key(number)] = (1 + number % 3, float(number))
        assert len(retries) <= MOST + AT_ONCE
    assert all(known(retries, number) == (1 + number % 3, float(number)) for number in range(20 * MOST))
    assert known(retries, 20 * MOST) is None


def test_f3_what_the_catalog_does_not_know_yet_is_not_forgotten() -> None:
    catalog: dict[bytes, Retry] = {}
    retries = Retries({}, load=catalog.get, most=MOST)
    for number in range(3 * MOST):
        catalog[key(number)] = (1, 0.0)
        retries.set(key(number), 2, 5.0)
    assert all(known(retries, number) == (2, 5.0) for number in range(3 * MOST))
    catalog |= {key(number): (2, 5.0) for number in range(3 * MOST)}
    for number in range(3 * MOST, 30 * MOST):
        catalog[key(number)] = (1, 0.0)
        retries.set(key(number), 1, 0.0)
    assert len(retries) <= MOST + AT_ONCE
    assert all(known(retries, number) == (2, 5.0) for number in range(3 * MOST))


def test_f3_a_url_that_fails_again_while_the_view_is_read_is_not_forgotten() -> None:
    later, catalog = Later(), {key(number): (1, 2.0) for number in range(MOST + 1)}
    retries = Retries({}, load=catalog.get, most=MOST, ask_then=later.ask_then)
    for number in range(MOST + 1):
        retries.set(key(number), 1, 2.0)
    retries.set(key(0), 2, 9.0)
    retries.forget(key(1))
    assert later.answer() == 1, "one look into the view is under way at a time"
    assert known(retries, 0) == (2, 9.0)
    assert len(retries) == MOST - AT_ONCE + 2
    assert retries.get(key(1)) is None
    assert not retries.has_all


def test_f3_the_catalog_is_not_asked_while_all_is_in_memory() -> None:
    asked: list[bytes] = []
    retries = Retries({key(1): (1, 2.0)}, load=asked.append, most=MOST)
    assert known(retries, 1) == (1, 2.0)
    assert known(retries, 2) is None
    retries.forget(key(1))
    assert known(retries, 1) is None
    assert asked == []


def test_f3_what_earlier_runs_left_is_asked_for_where_it_is_too_much() -> None:
    retries = Retries(None, load={key(1): (2, 3.0)}.get, most=MOST)
    assert known(retries, 1) == (2, 3.0)
