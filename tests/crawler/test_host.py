"""P1, P2, P4: what a host learns from its answers, and when it may be contacted again."""

from dataclasses import dataclass
from itertools import count

import pytest

from hondius.crawler.politeness import Host, HostEvent, Need, RobotsCache, Rules
from hondius.model import HostOrder, HostState, RobotsCopy
from hondius.settings import PolitenessSettings

NOW = 1_000_000.0
ADDRESS = "127.0.0.1:80"
ORIGIN = "http://a.test"
OPENED, CLOSED, PUSHED_BACK = HostEvent.CIRCUIT_OPENED, HostEvent.CIRCUIT_CLOSED, HostEvent.PUSHED_BACK
tickets = count(1)


@dataclass(slots=True)
class Result:
    ended_at: float = NOW
    status: int | None = 200
    failure: str | None = None
    retry_after: float | None = None
    takes: float = 0.0
    wire_bytes: int = 100
    is_redirect: bool = False
    ticket: int = 0

    def __post_init__(self) -> None:
        self.ticket = self.ticket or next(tickets)

    @property
    def started_at(self) -> float:
        return self.ended_at - self.takes


def fresh(delay: float = 1.0) -> Host:
    return Host("a.test", PolitenessSettings(delay=delay))


def failing(host: Host, times: int, at: float = NOW) -> list[bool]:
    """Whether each failure has opened the circuit."""
    return [OPENED in host.end_request(Result(at, None, "connect_timeout")) for _ in range(times)]


def rules(crawl_delay: int, expires_at: float = NOW + 1_000) -> Rules:
    body = f"User-agent: *\nCrawl-delay: {crawl_delay}\n".encode()
    copy = RobotsCopy(ORIGIN, NOW - 100, "parsed", 200, expires_at, body, NOW - 100)
    known = RobotsCache({ORIGIN: copy}.get, "Hondius").read_rules(ORIGIN)
    assert known is not None
    return known


def test_p1_the_next_request_starts_a_second_after_the_end_of_the_last() -> None:
    host = fresh()
    host.end_request(Result(NOW + 0.01, takes=0.01))
    assert host.free_at() == pytest.approx(NOW + 1.01)


def test_p1_a_slow_answer_is_waited_for_tenfold_but_not_longer_than_thirty_seconds() -> None:
    host = fresh()
    host.end_request(Result(NOW + 0.5, takes=0.5))
    assert host.free_at() == pytest.approx(NOW + 0.5 + 5)
    host.end_request(Result(NOW + 20, takes=10))
    assert host.free_at() == pytest.approx(NOW + 20 + 30)


def test_p1_a_crawl_delay_is_obeyed_however_long_it_is() -> None:
    host = fresh()
    for asked in (7.0, 3_600.0, 100_000.0):
        host.set_crawl_delay(asked)
        assert host.delay() == asked


def test_p1_a_crawl_delay_counts_from_the_request_that_brought_it() -> None:
    host = fresh()
    host.end_request(Result(NOW + 0.01, takes=0.01))
    host.set_crawl_delay(7.0)
    assert host.free_at() == pytest.approx(NOW + 7.01)


def test_p1_the_crawl_delay_is_that_of_the_origin_to_be_contacted_next() -> None:
    host = fresh()
    host.set_crawl_delay(7.0)
    host.set_crawl_delay(0.0)
    host.end_request(Result(NOW + 0.01, takes=0.01))
    assert host.free_at() == pytest.approx(NOW + 1.01)
    host.set_crawl_delay(7.0)
    assert host.free_at() == pytest.approx(NOW + 7.01)


def test_p1_the_crawl_delay_of_an_expired_copy_holds_while_another_is_asked_for() -> None:
    host = Host("a.test", PolitenessSettings(), HostState("a.test", NOW - 5, 0.0))
    host.follow_rules(rules(60, expires_at=NOW - 10))
    assert host.free_at() == NOW + 55


def test_p1_delay_zero_switches_the_waits_off_but_not_one_at_a_time() -> None:
    host = Host("a.test", PolitenessSettings(delay=0.0), HostState("a.test", NOW, NOW + 50))
    assert host.free_at() <= NOW
    host.begin(NOW)
    assert not host.may_serve_queue()


def test_p1_a_slow_turn_that_a_bug_ends_is_waited_for_as_long() -> None:
    host = fresh()
    host.begin(NOW)
    host.abandon(NOW + 10)
    assert not host.busy
    assert host.free_at() == NOW + 10 + 30


def test_p1_a_turn_in_which_nothing_was_sent_costs_nothing() -> None:
    host = fresh()
    host.begin(NOW)
    host.cancel()
    assert (host.busy, host.free_at()) == (False, 0.0)


def test_p1_an_ordered_delay_holds_also_where_the_crawl_has_none() -> None:
    host = fresh(delay=0.0)
    host.end_request(Result(NOW))
    host.obey(HostOrder("a.test", NOW, delay=9.0))
    assert (host.free_at(), host.delay()) == (NOW + 9, 9.0)


def test_p2_retry_after_is_obeyed_up_to_a_day() -> None:
    host = fresh()
    assert PUSHED_BACK in host.end_request(Result(NOW, 429, retry_after=120))
    assert host.free_at() == NOW + 120
    host.end_request(Result(NOW, 503, retry_after=1e9))
    assert host.free_at() == NOW + 86_400


def test_p2_without_retry_after_the_delay_doubles_to_a_minute_and_recovers_by_a_fifth() -> None:
    host = fresh()
    delays = []
    for _ in range(7):
        host.end_request(Result(NOW, 429))
        delays.append(host.delay())
    assert delays == [2, 4, 8, 16, 32, 60, 60]
    host.end_request(Result(NOW))
    assert host.delay() == 48
    for _ in range(30):
        host.end_request(Result(NOW))
    assert host.delay() == 1


def test_p2_a_robots_that_asks_for_time_gets_it() -> None:
    host = fresh()
    host.end_robots_request(Result(NOW, 429, retry_after=120))
    assert host.free_at() == NOW + 120


def test_p4_the_fifth_failure_in_a_row_opens_the_circuit_for_a_minute() -> None:
    host = fresh()
    assert failing(host, 5) == [False, False, False, False, True]
    assert host.free_at() == NOW + 60


def test_p4_an_answer_in_between_starts_the_count_anew() -> None:
    host = fresh()
    failing(host, 4)
    host.end_request(Result(NOW, 404))
    assert not any(failing(host, 4))


def test_p4_a_server_error_that_breaks_off_is_no_good_answer() -> None:
    host = fresh()
    failing(host, 4)
    assert OPENED in host.end_request(Result(NOW, 500, "body_incomplete"))


def test_p4_what_a_kept_connection_swallowed_counts_as_a_request_and_not_against_the_host() -> None:
    host = fresh()
    failing(host, 4)
    host.end_request(Result(NOW, None, "connection_stale"))
    assert (host.fetched, host.failed, host.consecutive_failures) == (5, 4, 4)


def test_p4_a_failed_probe_doubles_the_wait_up_to_an_hour_and_a_good_one_closes_the_circuit() -> None:
    host = fresh()
    failing(host, 5)
    waits = []
    for _ in range(8):
        at = host.free_at()
        failing(host, 1, at)
        waits.append(host.free_at() - at)
    assert waits == [120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert CLOSED in host.end_request(Result(at))
    assert (host.circuit_until, host.consecutive_failures) == (0.0, 0)
    assert not any(failing(host, 4))


@pytest.mark.parametrize("delay", [0.0, 1.0])
def test_p4_an_open_circuit_holds_with_and_without_delay(delay: float) -> None:
    host = fresh(delay)
    failing(host, 5)
    assert host.free_at() == NOW + 60


def test_p4_the_circuit_survives_a_restart() -> None:
    host = fresh()
    failing(host, 6)
    again = Host("a.test", PolitenessSettings(), host.make_state(NOW))
    assert (again.circuit_until, again.circuit_openings) == (host.circuit_until, 2)


def test_d5_a_result_counts_once_however_often_it_is_told() -> None:
    host = fresh()
    result = Result(NOW, 429, wire_bytes=500)
    assert host.end_request(result) != ()
    assert host.end_request(result) == ()
    assert (host.fetched, host.bytes, host.back_off) == (1, 500, 2.0)


def test_d5_a_request_that_was_not_sent_counts_for_nothing() -> None:
    host = fresh()
    host.begin(NOW)
    assert host.end_request(Result(NOW, None, "attempt_not_recorded")) == ()
    assert (host.busy, host.fetched) == (False, 0)


def test_d5_the_budget_of_pages_counts_those_of_all_runs() -> None:
    host = Host("a.test", PolitenessSettings(), HostState("a.test", NOW, NOW, fetched=4))
    assert not host.has_spent(5)
    host.end_request(Result(NOW))
    assert host.has_spent(5)


def test_h4_a_304_that_nobody_asked_for_is_a_failure_that_says_nothing_of_the_host() -> None:
    host = fresh()
    failing(host, 4)
    host.end_request(Result(NOW, 304))
    assert (host.failed, host.consecutive_failures) == (5, 4)
    host.end_request(Result(NOW, 304), was_conditional=True)
    assert (host.failed, host.consecutive_failures) == (5, 0)


def test_a_host_says_what_it_needs_next() -> None:
    host = fresh()
    assert host.find_need(None, NOW) is Need.ADDRESS
    host.set_addresses([ADDRESS], NOW + 60)
    assert host.find_need(None, NOW) is Need.ROBOTS
    assert host.find_need(rules(7, expires_at=NOW), NOW) is Need.ROBOTS
    assert host.find_need(rules(7), NOW) is Need.NOTHING
    assert host.delay() == 7
    assert host.find_need(rules(7), NOW + 60) is Need.ADDRESS


def test_f7_rules_that_cannot_be_reached_are_waited_for() -> None:
    copy = RobotsCopy(ORIGIN, NOW, "unreachable", None, NOW + 60)
    host = fresh()
    host.set_addresses([ADDRESS], NOW + 600)
    assert host.find_need(RobotsCache({ORIGIN: copy}.get, "Hondius").read_rules(ORIGIN), NOW) is Need.TIME
