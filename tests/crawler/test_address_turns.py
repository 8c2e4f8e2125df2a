"""P1, P3, F1: turns at addresses, and who waits for them."""

import asyncio

import pytest

from hondius.crawler.politeness import AddressTurns, Host
from hondius.crawler.politeness.address_turns import TooLong
from hondius.crawler.politeness.host import MOST_CLAIMS
from hondius.model import HostOrder, HostState
from hondius.settings import PolitenessSettings
from tests.crawler.virtual_clock import VirtualClock
from tests.turns import address_turns

NOW = 1_000_000.0
ADDRESS = "127.0.0.1:80"


def new(name: str, not_before: float = 0.0, last_ended: float = 0.0) -> Host:
    return Host(name, PolitenessSettings(), HostState(name, last_ended, not_before))


def end(turns: AddressTurns, host: Host, at: float) -> None:
    """The turn that began at `at` ends at once."""
    turns.release(ADDRESS)
    host.abandon(at)


def turns(**settings: float) -> AddressTurns:
    return address_turns(PolitenessSettings(**settings), VirtualClock(NOW))  # type: ignore[arg-type]


async def after_a_claim() -> tuple[VirtualClock, AddressTurns, Host]:
    """Another host has just had its turn here, and the host's own queue waits."""
    clock, host = VirtualClock(NOW), new("a.test")
    turn = address_turns(PolitenessSettings(), clock)
    await turn.claim(host, ADDRESS)
    end(turn, host, NOW)
    host.add_claim()
    host.may_serve_queue()
    host.remove_claim()
    return clock, turn, host


async def test_p1_a_slow_turn_that_a_bug_ends_is_waited_for_as_long_whoever_used_its_address_since() -> None:
    clock = VirtualClock(NOW)
    host, turn = new("a.test"), address_turns(PolitenessSettings(), clock)
    turn.begin(host, ADDRESS, NOW)
    turn.begin(new("b.test"), ADDRESS, NOW + 1)
    clock.time = NOW + 10
    assert await turn.continue_at(host, "127.0.0.2:80", NOW + 11)  # it goes on at another address
    turn.abandon(host, ADDRESS)
    assert host.last_duration == 10
    assert host.not_before == NOW + 10 + 30


def test_p3_starts_at_one_address_are_a_tenth_of_a_second_apart_across_hosts() -> None:
    first, second, turn = new("a.test"), new("b.test"), turns()
    turn.begin(first, ADDRESS, NOW)
    assert turn.ready_at(second, ADDRESS, NOW) == pytest.approx(NOW + 0.1)
    assert turn.ready_at(second, "127.0.0.2:80", NOW) <= NOW


def test_p3_no_more_than_eight_at_once_at_one_address() -> None:
    turn = turns(delay=0)
    hosts = [Host(f"{number}.test", PolitenessSettings(delay=0.0)) for number in range(9)]
    for host in hosts[:8]:
        assert turn.ready_at(host, ADDRESS, NOW) <= NOW
        turn.begin(host, ADDRESS, NOW)
    assert turn.ready_at(hosts[8], ADDRESS, NOW) > NOW
    end(turn, hosts[0], NOW)
    assert turn.ready_at(hosts[8], ADDRESS, NOW) <= NOW


def test_p3_a_turn_that_nobody_used_costs_the_address_nothing() -> None:
    first, second, turn = new("a.test"), new("b.test"), turns()
    turn.begin(first, ADDRESS, NOW)
    turn.cancel(first, ADDRESS)
    assert turn.ready_at(second, ADDRESS, NOW) <= NOW
    turn.begin(second, ADDRESS, NOW)
    turn.begin(first, ADDRESS, NOW + 0.1)
    turn.cancel(first, ADDRESS)
    assert turn.ready_at(first, ADDRESS, NOW) == pytest.approx(NOW + 0.1)


def test_p3_a_turn_is_given_back_by_whoever_had_it_last() -> None:
    first, second, turn = new("a.test"), new("b.test"), turns()
    turn.begin(first, ADDRESS, NOW)
    turn.begin(second, ADDRESS, NOW + 0.1)
    turn.cancel(first, ADDRESS)
    assert turn.ready_at(first, ADDRESS, NOW + 0.1) == pytest.approx(NOW + 0.2)


async def test_p1_a_claim_waits_for_a_long_crawl_delay_but_not_for_a_longer_pause() -> None:
    clock = VirtualClock(NOW)
    turn, host = address_turns(PolitenessSettings(), clock), new("a.test", last_ended=NOW)
    host.set_crawl_delay(7_200.0)
    await turn.claim(host, ADDRESS)
    assert clock.now() >= NOW + 7_200
    turn.cancel(host, ADDRESS)
    host.obey(HostOrder("a.test", clock.now(), paused_until=clock.now() + 100_000))
    with pytest.raises(TooLong):
        await turn.claim(host, ADDRESS)


async def test_a_claim_waits_for_the_turn() -> None:
    clock = VirtualClock(NOW)
    turn, host = address_turns(PolitenessSettings(), clock), new("a.test", NOW + 5)
    await turn.claim(host, ADDRESS)
    assert clock.now() >= NOW + 5
    assert host.busy


def test_p3_hosts_that_share_an_address_come_back_one_after_the_other() -> None:
    turn = turns()
    first, *others = [new(f"{number}.test") for number in range(4)]
    turn.begin(first, ADDRESS, NOW)
    times = [turn.come_back_at(host, ADDRESS, NOW) for host in others]
    assert times == pytest.approx([NOW + 0.1, NOW + 0.2, NOW + 0.3])
    assert turn.come_back_at(others[0], ADDRESS, NOW + 5) <= NOW + 5


async def test_f1_who_claims_a_turn_is_known_while_it_waits() -> None:
    """A queue that is always busy lets it go first."""
    host, turn = new("a.test"), turns()
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
    end(turn, host, clock.now())
    await claiming
    assert host.claimed


async def test_f1_a_claim_does_not_wait_for_a_queue_that_never_comes() -> None:
    clock, turn, host = await after_a_claim()
    await turn.claim(host, ADDRESS)
    assert NOW + 1.5 <= clock.now() < NOW + 1.6


async def test_f1_the_own_robots_of_a_host_does_not_wait_behind_claims_of_others() -> None:
    clock = VirtualClock(NOW)
    turn, host = address_turns(PolitenessSettings(), clock), new("a.test")
    await turn.claim(host, ADDRESS)
    others = [asyncio.create_task(turn.claim(host, ADDRESS)) for _ in range(3)]
    await asyncio.sleep(0)
    own = asyncio.create_task(turn.claim(host, ADDRESS, is_own=True))
    await asyncio.sleep(0)
    end(turn, host, NOW)
    await own
    assert not any(claiming.done() for claiming in others)
    for claiming in others:
        claiming.cancel()


async def test_q2_only_so_many_claims_wait_at_one_host() -> None:
    host, turn = new("a.test"), turns()
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
