"""P1-P3: whose turn it is."""

import asyncio

import pytest

from hondius.crawler.politeness.hosts import Host
from hondius.crawler.politeness.turns import MOST_CLAIMS, TooLong, Turns
from hondius.settings import PolitenessSettings
from tests.crawler.virtual_clock import VirtualClock

NOW = 1_000_000.0
ADDRESS = "127.0.0.1:80"


def turns(**settings: float) -> Turns:
    return Turns(PolitenessSettings(**settings), VirtualClock(NOW))  # type: ignore[arg-type]


async def after_a_claim() -> tuple[VirtualClock, Turns, Host]:
    """Another host has just had its turn here, and the host's own queue waits."""
    clock, host = VirtualClock(NOW), Host("a.test", 0.0)
    turn = Turns(PolitenessSettings(), clock)
    await turn.claim(host, ADDRESS)
    turn.end(host, ADDRESS, NOW, NOW)
    host.queue_waits = True
    return clock, turn, host


def test_p1_the_next_request_starts_a_second_after_the_end_of_the_last() -> None:
    host, turn = Host("a.test", 0.0), turns()
    turn.begin(host, ADDRESS, NOW)
    turn.end(host, ADDRESS, NOW, NOW + 0.01)
    assert turn.ready_at(host, ADDRESS, NOW + 0.01) == pytest.approx(NOW + 1.01)


def test_p1_a_slow_answer_is_waited_for_tenfold_but_not_longer_than_thirty_seconds() -> None:
    host, turn = Host("a.test", 0.0), turns()
    turn.begin(host, ADDRESS, NOW)
    turn.end(host, ADDRESS, NOW, NOW + 0.5)
    assert host.not_before == pytest.approx(NOW + 0.5 + 5)
    turn.begin(host, ADDRESS, NOW + 10)
    turn.end(host, ADDRESS, NOW + 10, NOW + 20)
    assert host.not_before == pytest.approx(NOW + 20 + 30)


def test_p1_a_slow_turn_that_a_bug_ends_is_waited_for_as_long_whoever_used_its_address_since() -> None:
    clock = VirtualClock(NOW)
    host, turn = Host("a.test", 0.0), Turns(PolitenessSettings(), clock)
    turn.begin(host, ADDRESS, NOW)
    turn.begin(Host("b.test", 0.0), ADDRESS, NOW + 1)
    turn.begin(host, "127.0.0.2:80", NOW + 10)  # it goes on at another address
    clock.time = NOW + 10
    turn.end_if_busy(host, ADDRESS)
    assert host.last_duration == 10
    assert host.not_before == NOW + 10 + 30


def test_p1_a_crawl_delay_is_obeyed_however_long_it_is() -> None:
    host, turn = Host("a.test", 0.0), turns()
    for asked in (7.0, 3_600.0, 100_000.0):
        host.crawl_delay = asked
        assert turn.delay(host) == asked


def test_p1_a_crawl_delay_counts_from_the_request_that_brought_it() -> None:
    host, turn = Host("a.test", 0.0), turns()
    turn.begin(host, ADDRESS, NOW)
    turn.end(host, ADDRESS, NOW, NOW + 0.01)
    turn.heed(host, 7.0)
    assert turn.ready_at(host, ADDRESS, NOW + 0.01) == pytest.approx(NOW + 7.01)


def test_p1_the_crawl_delay_is_that_of_the_origin_to_be_contacted_next() -> None:
    host, turn = Host("a.test", 0.0), turns()
    turn.heed(host, 7.0)
    turn.heed(host, 0.0)
    turn.begin(host, ADDRESS, NOW)
    turn.end(host, ADDRESS, NOW, NOW + 0.01)
    assert host.not_before == pytest.approx(NOW + 1.01)
    turn.heed(host, 7.0)
    assert host.not_before == pytest.approx(NOW + 7.01)


def test_p1_delay_zero_switches_the_waits_off_but_not_one_at_a_time() -> None:
    host, turn = Host("a.test", NOW + 50), turns(delay=0)
    assert turn.ready_at(host, ADDRESS, NOW) <= NOW
    turn.begin(host, ADDRESS, NOW)
    assert host.busy


def test_p2_retry_after_is_obeyed_up_to_a_day() -> None:
    host, turn = Host("a.test", 0.0), turns()
    turn.pushed_back(host, 120, NOW)
    assert host.not_before == NOW + 120
    turn.pushed_back(host, 10**9, NOW)
    assert host.not_before == NOW + 86_400


def test_p2_without_retry_after_the_delay_doubles_to_a_minute_and_recovers_by_a_fifth() -> None:
    host, turn = Host("a.test", 0.0), turns()
    delays = []
    for _ in range(7):
        turn.pushed_back(host, None, NOW)
        delays.append(turn.delay(host))
    assert delays == [2, 4, 8, 16, 32, 60, 60]
    turn.recovered(host)
    assert turn.delay(host) == 48
    for _ in range(30):
        turn.recovered(host)
    assert turn.delay(host) == 1


def test_p3_starts_at_one_address_are_a_tenth_of_a_second_apart_across_hosts() -> None:
    first, second, turn = Host("a.test", 0.0), Host("b.test", 0.0), turns()
    turn.begin(first, ADDRESS, NOW)
    assert turn.ready_at(second, ADDRESS, NOW) == pytest.approx(NOW + 0.1)
    assert turn.ready_at(second, "127.0.0.2:80", NOW) <= NOW


def test_p3_no_more_than_eight_at_once_at_one_address() -> None:
    turn = turns(delay=0)
    hosts = [Host(f"{number}.test", 0.0) for number in range(9)]
    for host in hosts[:8]:
        assert turn.ready_at(host, ADDRESS, NOW) <= NOW
        turn.begin(host, ADDRESS, NOW)
    assert turn.ready_at(hosts[8], ADDRESS, NOW) > NOW
    turn.end(hosts[0], ADDRESS, NOW, NOW)
    assert turn.ready_at(hosts[8], ADDRESS, NOW) <= NOW


def test_p3_a_turn_that_nobody_used_costs_the_address_nothing() -> None:
    first, second, turn = Host("a.test", 0.0), Host("b.test", 0.0), turns()
    turn.begin(first, ADDRESS, NOW)
    turn.cancel(first, ADDRESS)
    assert turn.ready_at(second, ADDRESS, NOW) <= NOW
    turn.begin(second, ADDRESS, NOW)
    turn.begin(first, ADDRESS, NOW + 0.1)
    turn.cancel(first, ADDRESS)
    assert turn.ready_at(first, ADDRESS, NOW) == pytest.approx(NOW + 0.1)


def test_p3_a_turn_is_given_back_by_whoever_had_it_last() -> None:
    first, second, turn = Host("a.test", 0.0), Host("b.test", 0.0), turns()
    turn.begin(first, ADDRESS, NOW)
    turn.begin(second, ADDRESS, NOW + 0.1)
    turn.cancel(first, ADDRESS)
    assert turn.ready_at(first, ADDRESS, NOW + 0.1) == pytest.approx(NOW + 0.2)


async def test_p1_a_claim_waits_for_a_long_crawl_delay_but_not_for_a_longer_pause() -> None:
    clock = VirtualClock(NOW)
    turn, host = Turns(PolitenessSettings(), clock), Host("a.test", 0.0)
    host.crawl_delay, host.last_ended, host.not_before = 7_200.0, NOW, NOW + 7_200
    await turn.claim(host, ADDRESS)
    assert clock.now() >= NOW + 7_200
    turn.cancel(host, ADDRESS)
    host.paused_until = clock.now() + 100_000
    with pytest.raises(TooLong):
        await turn.claim(host, ADDRESS)


async def test_a_claim_waits_for_the_turn() -> None:
    clock = VirtualClock(NOW)
    turn, host = Turns(PolitenessSettings(), clock), Host("a.test", NOW + 5)
    await turn.claim(host, ADDRESS)
    assert clock.now() >= NOW + 5
    assert host.busy


def test_p3_hosts_that_share_an_address_come_back_one_after_the_other() -> None:
    turn = turns()
    first, *others = [Host(f"{number}.test", 0.0) for number in range(4)]
    turn.begin(first, ADDRESS, NOW)
    times = [turn.come_back_at(host, ADDRESS, NOW) for host in others]
    assert times == pytest.approx([NOW + 0.1, NOW + 0.2, NOW + 0.3])
    assert turn.come_back_at(others[0], ADDRESS, NOW + 5) <= NOW + 5


async def test_f1_who_claims_a_turn_is_known_while_it_waits() -> None:
    """A queue that is always busy lets it go first."""
    host, turn = Host("a.test", 0.0), turns()
    turn.begin(host, ADDRESS, NOW)
    claiming = asyncio.create_task(turn.claim(host, ADDRESS))
    await asyncio.sleep(0)
    assert host.claims == 1
    turn.cancel(host, ADDRESS)
    await claiming
    assert (host.claims, host.busy) == (0, True)


async def test_f1_after_a_claim_of_another_host_the_own_queue_has_the_next_turn() -> None:
    clock, turn, host = await after_a_claim()
    claiming = asyncio.create_task(turn.claim(host, ADDRESS))
    for _ in range(6):
        await asyncio.sleep(0)
    assert clock.now() > NOW + 1
    assert not host.busy
    turn.begin(host, ADDRESS, clock.now())
    turn.end(host, ADDRESS, clock.now(), clock.now())
    await claiming
    assert host.claimed


async def test_f1_a_claim_does_not_wait_for_a_queue_that_never_comes() -> None:
    clock, turn, host = await after_a_claim()
    await turn.claim(host, ADDRESS)
    assert NOW + 1.5 <= clock.now() < NOW + 1.6


async def test_f1_the_own_robots_of_a_host_does_not_wait_behind_claims_of_others() -> None:
    clock = VirtualClock(NOW)
    turn, host = Turns(PolitenessSettings(), clock), Host("a.test", 0.0)
    await turn.claim(host, ADDRESS)
    others = [asyncio.create_task(turn.claim(host, ADDRESS)) for _ in range(3)]
    await asyncio.sleep(0)
    own = asyncio.create_task(turn.claim(host, ADDRESS, is_own=True))
    await asyncio.sleep(0)
    turn.end(host, ADDRESS, NOW, NOW)
    await own
    assert not any(claiming.done() for claiming in others)
    for claiming in others:
        claiming.cancel()


async def test_q2_only_so_many_claims_wait_at_one_host() -> None:
    host, turn = Host("a.test", 0.0), turns()
    turn.begin(host, ADDRESS, NOW)
    waiting = [asyncio.create_task(turn.claim(host, ADDRESS)) for _ in range(MOST_CLAIMS)]
    await asyncio.sleep(0)
    with pytest.raises(TooLong):
        await turn.claim(host, ADDRESS)
    own = asyncio.create_task(turn.claim(host, ADDRESS, is_own=True))
    await asyncio.sleep(0)
    assert host.claims == MOST_CLAIMS + 1
    for claiming in (*waiting, own):
        claiming.cancel()
