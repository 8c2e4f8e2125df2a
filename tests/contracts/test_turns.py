"""The contract of `Turns`, for every world (P3)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.ports import Place, Turns
from hondius.stores.factory import EmbeddedPlace, MemoryPlace
from tests.crawler.virtual_clock import VirtualClock

NOW = 1_000_000.0
GAP, MOST = 0.1, 3
HERE, THERE = "192.0.2.1", "2001:db8::1"

PLACES: dict[str, Callable[[Path], Place]] = {
    "embedded": EmbeddedPlace,
    "in memory": lambda root: MemoryPlace("memory:contract", root),
}


class Opened:
    def __init__(self, place: Place) -> None:
        self.clock = VirtualClock(NOW)
        self._place = place

    def turns(self, *, is_spaced: bool = True, gap: float = GAP) -> Turns:
        return self._place.open_turns(gap=gap, most=MOST, is_spaced=is_spaced, clock=self.clock)


@pytest.fixture(params=PLACES)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    return Opened(PLACES[request.param](tmp_path))


def test_an_address_that_nobody_uses_may_be_contacted_at_once(opened: Opened) -> None:
    turns = opened.turns()
    assert turns.ask(HERE, NOW) <= NOW
    assert turns.come_back_at(HERE, NOW) <= NOW


def test_p3_starts_at_one_address_are_spaced_and_others_are_not_concerned(opened: Opened) -> None:
    turns = opened.turns()
    turns.begin(HERE, "a.test", NOW)
    assert turns.ask(HERE, NOW) == pytest.approx(NOW + GAP)
    assert turns.ask(THERE, NOW) <= NOW
    turns.end(HERE)
    assert turns.ask(HERE, NOW + 0.05) == pytest.approx(NOW + GAP), "the gap counts from the start, not from the end"
    assert turns.ask(HERE, NOW + GAP) <= NOW + GAP


@pytest.mark.parametrize("is_spaced", [True, False])
def test_p3_only_so_many_requests_are_under_way_at_one_address(opened: Opened, is_spaced: bool) -> None:
    turns = opened.turns(is_spaced=is_spaced)
    for number in range(MOST):
        now = NOW + number
        assert turns.ask(HERE, now) <= now
        turns.begin(HERE, f"h{number}.test", now)
    later = NOW + 60
    assert turns.ask(HERE, later) > later
    turns.end(HERE)
    assert turns.ask(HERE, later) <= later


def test_p3_without_spacing_starts_follow_each_other_at_once(opened: Opened) -> None:
    turns = opened.turns(is_spaced=False)
    turns.begin(HERE, "a.test", NOW)
    assert turns.ask(HERE, NOW) <= NOW


def test_p3_hosts_that_share_an_address_come_back_one_after_the_other(opened: Opened) -> None:
    turns = opened.turns()
    turns.begin(HERE, "a.test", NOW)
    times = [turns.come_back_at(HERE, NOW) for _ in range(4)]
    assert times == [pytest.approx(NOW + GAP * number) for number in range(1, 5)]
    assert turns.ask(HERE, NOW) == pytest.approx(NOW + GAP), "who only asks gets no time of his own"


def test_a_gap_of_zero_still_lets_them_come_back_apart(opened: Opened) -> None:
    turns = opened.turns(gap=0.0)
    for number in range(MOST):
        turns.begin(HERE, f"h{number}.test", NOW)
    first, second = (turns.come_back_at(HERE, NOW) for _ in range(2))
    assert NOW < first < second


def test_p3_a_turn_in_which_nothing_was_sent_costs_no_gap(opened: Opened) -> None:
    turns = opened.turns()
    turns.begin(HERE, "a.test", NOW - 5)
    turns.end(HERE)
    turns.begin(HERE, "b.test", NOW)
    turns.cancel(HERE, "b.test")
    assert turns.ask(HERE, NOW) <= NOW


def test_p3_a_turn_that_is_cancelled_late_takes_no_gap_from_who_began_since(opened: Opened) -> None:
    turns = opened.turns()
    turns.begin(HERE, "a.test", NOW)
    turns.begin(HERE, "b.test", NOW + 1)
    turns.cancel(HERE, "a.test")
    assert turns.ask(HERE, NOW + 1) == pytest.approx(NOW + 1 + GAP)
    turns.begin(HERE, "c.test", NOW + 2)
    turns.begin(HERE, "d.test", NOW + 3)
    assert turns.ask(HERE, NOW + 60) > NOW + 60, "its place was given back once"


def test_who_leaves_twice_or_was_never_here_breaks_nothing(opened: Opened) -> None:
    turns = opened.turns()
    turns.end(HERE)
    turns.cancel(HERE, "a.test")
    assert turns.ask(HERE, NOW) <= NOW


def test_f3_addresses_are_forgotten_when_their_gap_is_over_and_no_sooner(opened: Opened) -> None:
    """As many addresses as one process may contact within a gap; tests only the port."""
    turns = opened.turns(gap=10.0)
    busy, young = "198.51.100.1", "198.51.100.2"
    turns.begin(busy, "busy.test", NOW)
    for number in range(12_000):
        turns.begin(str(number), "old.test", NOW)
        turns.end(str(number))
    opened.clock.time = NOW + 20
    turns.begin(young, "young.test", NOW + 19)
    turns.end(young)
    assert turns.ask(young, NOW + 20) == pytest.approx(NOW + 29)
    turns.begin(busy, "a.test", NOW + 20)
    turns.begin(busy, "b.test", NOW + 20)
    assert turns.ask(busy, NOW + 60) > NOW + 60, "what is under way is counted"
