"""Times of an earlier run, where the wall clock was set between the two."""

from hondius.crawler.order_times import convert_order_times
from hondius.crawler.politeness import EarlierTimes
from hondius.model import FOREVER, Blacklisted, Failed, HostOrder, HostState, RobotsCopy
from hondius.position import Position
from tests.crawler.virtual_clock import VirtualClock

NOW = 1_000_000.0
TWO_DAYS = 172_800.0
AHEAD = NOW + TWO_DAYS
"""When the earlier run wrote, by its own clock."""


class Catalog:
    """All that it has was written in frame 5."""

    def __init__(self, *runs: tuple[int, float], applied: int = 10) -> None:
        self.position = Position((applied,))
        self._runs = [(1, NOW - 1_000.0), *runs]

    def runs(self) -> list[tuple[int, float]]:
        return self._runs

    def frame_of(self, row: object) -> int:
        return 5


def earlier_times(*runs: tuple[int, float], now: float = NOW) -> EarlierTimes:
    return EarlierTimes(VirtualClock(now), Catalog(*runs))


def robots(at: float, outcome: str = "parsed", lasts: float = 86_400.0) -> RobotsCopy:
    return RobotsCopy("http://a.test", at, outcome, 200, at + lasts, b"", at, failing_since=at)


def failed(at: float, wait: float) -> Failed:
    return Failed(b"k" * 16, "http://a.test/", "a.test", "http_503", "", 1, at, at + wait)


def test_p2_a_wait_from_a_clock_that_was_ahead_lasts_as_long_as_it_was_set_for() -> None:
    earlier = earlier_times()
    state = earlier.adjust_host(HostState("a.test", AHEAD, AHEAD + 400.0, circuit_until=AHEAD + 60.0))
    assert state is not None
    assert (state.at, state.not_before, state.circuit_until) == (NOW, NOW + 400.0, NOW + 60.0)
    assert earlier.adjust_retry(failed(AHEAD, 8.0)) == NOW + 8.0


def test_p2_what_was_over_when_it_was_written_stays_over() -> None:
    state = earlier_times().adjust_host(HostState("a.test", AHEAD, AHEAD - 5.0))
    assert state is not None
    assert state.not_before == NOW
    assert state.circuit_until == 0.0


def test_p2_without_a_step_nothing_changes() -> None:
    earlier = earlier_times()
    state = HostState("a.test", NOW - 10.0, NOW + 400.0, circuit_until=NOW + 60.0)
    assert earlier.adjust_host(state) is state
    copy = robots(NOW - 10.0)
    assert earlier.adjust_robots(copy) is copy
    assert earlier.adjust_retry(failed(NOW - 1.0, 8.0)) == NOW + 7.0


def test_p2_what_this_run_wrote_itself_is_taken_as_it_is() -> None:
    earlier = EarlierTimes(VirtualClock(NOW), Catalog(applied=4))
    state = HostState("a.test", NOW + 90.0, NOW + 130.0)
    assert earlier.adjust_host(state) is state


def test_p2_a_wait_counts_from_the_first_run_after_it_however_often_the_crawl_is_started() -> None:
    earlier = earlier_times((6, NOW), (8, NOW + 60.0), now=NOW + 120.0)
    state = earlier.adjust_host(HostState("a.test", AHEAD, AHEAD + 400.0))
    assert state is not None
    assert state.not_before == NOW + 400.0
    assert earlier.adjust_retry(failed(AHEAD, 300.0)) == NOW + 300.0


def test_p2_a_run_whose_start_lies_in_the_future_too_tells_nothing() -> None:
    state = earlier_times((6, NOW + 500.0), (8, NOW - 10.0)).adjust_host(HostState("a.test", AHEAD, AHEAD + 400.0))
    assert state is not None
    assert state.not_before == NOW - 10.0 + 400.0


def test_p2_once_the_clock_is_put_right_what_was_written_holds_as_it_is() -> None:
    state = HostState("a.test", AHEAD, AHEAD + 400.0)
    assert earlier_times((6, NOW), now=AHEAD + 10.0).adjust_host(state) is state


def test_o1_a_pause_of_an_earlier_run_keeps_its_length() -> None:
    earlier = earlier_times((6, NOW - 10.0))
    pause = earlier.adjust_order(HostOrder("a.test", AHEAD, paused_until=AHEAD + 3_600.0))
    assert pause == HostOrder("a.test", NOW - 10.0, paused_until=NOW + 3_590.0)
    forever = earlier.adjust_order(HostOrder("a.test", AHEAD, paused_until=FOREVER))
    assert forever.paused_until == FOREVER


def test_b2_a_robots_copy_from_the_future_counts_as_expired() -> None:
    copy = earlier_times().adjust_robots(robots(AHEAD))
    assert copy is not None
    assert (copy.at, copy.expires_at, copy.good_at) == (NOW, NOW, NOW)


def test_b2_the_next_try_of_a_robots_copy_that_cannot_be_had_keeps_its_wait() -> None:
    copy = earlier_times().adjust_robots(robots(AHEAD, "unreachable", 120.0))
    assert copy is not None
    assert (copy.expires_at, copy.failing_since) == (NOW + 120.0, NOW)


def test_o1_an_order_keeps_its_length_when_the_clock_was_set_back_before_it_was_read() -> None:
    clock = VirtualClock(NOW)
    order = convert_order_times(HostOrder("a.test", AHEAD, paused_until=AHEAD + 3_600.0), clock)
    assert order == HostOrder("a.test", NOW, paused_until=NOW + 3_600.0)
    forever = convert_order_times(HostOrder("a.test", NOW - 5.0, paused_until=FOREVER), clock)
    assert forever == HostOrder("a.test", NOW - 5.0, paused_until=FOREVER)
    assert convert_order_times(Blacklisted("a.test", "", AHEAD), clock) == Blacklisted("a.test", "", NOW)
