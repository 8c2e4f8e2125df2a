"""Times of an earlier run, where the wall clock was set between the two."""

from hondius.crawler.control import by_clock
from hondius.crawler.politeness import EarlierTimes
from hondius.model import FOREVER, Blacklisted, Failed, HostOrder, HostState, RobotsCopy
from tests.crawler.virtual_clock import VirtualClock

NOW = 1_000_000.0
TWO_DAYS = 172_800.0
AHEAD = NOW + TWO_DAYS
"""When the earlier run wrote, by its own clock."""


def robots(at: float, outcome: str = "parsed", lasts: float = 86_400.0) -> RobotsCopy:
    return RobotsCopy("http://a.test", at, outcome, 200, at + lasts, b"", at, failing_since=at)


def failed(at: float, wait: float) -> Failed:
    return Failed(b"k" * 16, "http://a.test/", "a.test", "http_503", "", 1, at, at + wait)


def test_p2_a_wait_from_a_clock_that_was_ahead_lasts_as_long_as_it_was_set_for() -> None:
    earlier = EarlierTimes(VirtualClock(NOW))
    state = earlier.host(HostState("a.test", AHEAD, AHEAD + 400.0, circuit_until=AHEAD + 60.0))
    assert state is not None
    assert (state.at, state.not_before, state.circuit_until) == (NOW, NOW + 400.0, NOW + 60.0)
    assert earlier.retry_at(failed(AHEAD, 8.0)) == NOW + 8.0


def test_p2_what_was_over_when_it_was_written_stays_over() -> None:
    state = EarlierTimes(VirtualClock(NOW)).host(HostState("a.test", AHEAD, AHEAD - 5.0))
    assert state is not None
    assert state.not_before == NOW
    assert state.circuit_until == 0.0


def test_p2_without_a_step_nothing_changes() -> None:
    earlier = EarlierTimes(VirtualClock(NOW))
    state = HostState("a.test", NOW - 10.0, NOW + 400.0, circuit_until=NOW + 60.0)
    assert earlier.host(state) is state
    copy = robots(NOW - 10.0)
    assert earlier.robots(copy) is copy
    assert earlier.retry_at(failed(NOW - 1.0, 8.0)) == NOW + 7.0


def test_p2_what_this_run_wrote_itself_is_taken_as_it_is() -> None:
    clock = VirtualClock(NOW)
    earlier = EarlierTimes(clock)
    clock.time = NOW + 100.0
    state = HostState("a.test", NOW + 90.0, NOW + 130.0)
    assert earlier.host(state) is state


def test_b2_a_robots_copy_from_the_future_counts_as_expired() -> None:
    copy = EarlierTimes(VirtualClock(NOW)).robots(robots(AHEAD))
    assert copy is not None
    assert (copy.at, copy.expires_at, copy.good_at) == (NOW, NOW, NOW)


def test_b2_the_next_try_of_a_robots_copy_that_cannot_be_had_keeps_its_wait() -> None:
    copy = EarlierTimes(VirtualClock(NOW)).robots(robots(AHEAD, "unreachable", 120.0))
    assert copy is not None
    assert (copy.expires_at, copy.failing_since) == (NOW + 120.0, NOW)


def test_o1_an_order_keeps_its_length_when_the_clock_was_set_back_before_it_was_read() -> None:
    clock = VirtualClock(NOW)
    order = by_clock(HostOrder("a.test", AHEAD, paused_until=AHEAD + 3_600.0), clock)
    assert order == HostOrder("a.test", NOW, paused_until=NOW + 3_600.0)
    forever = by_clock(HostOrder("a.test", NOW - 5.0, paused_until=FOREVER), clock)
    assert forever == HostOrder("a.test", NOW - 5.0, paused_until=FOREVER)
    assert by_clock(Blacklisted("a.test", "", AHEAD), clock) == Blacklisted("a.test", "", NOW)
