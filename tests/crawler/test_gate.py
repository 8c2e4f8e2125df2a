"""P1, B2, B3: what a host goes through before its URLs are ready, and what its robots.txt asks for from then on."""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from hondius.crawler.politeness import (
    Addresses,
    Gate,
    Hosts,
    Names,
    Need,
    NotSent,
    RobotsCache,
    RobotsRequests,
    Unresolved,
)
from hondius.crawler.politeness.host import NAME_TRIES
from hondius.model import HostOrder, HostState, RobotsCopy
from hondius.native import Fetched, Identity, Reader, Rehearsal, Resolved
from hondius.settings import PolitenessSettings
from tests.crawler.virtual_clock import VirtualClock
from tests.simulation.engine import LookUp
from tests.turns import address_turns

NOW = 1_000_000.0
IDENTITY = Identity()
HTTP, HTTPS = "http://a.test", "https://a.test"
SLOWLY = "User-agent: *\nCrawl-delay: 60\n"


class Surroundings:
    """A gate with all that stands around it but the network: `answers` are robots.txt files by their address, with
    the seconds that they may be kept; a host without one does not answer."""

    def __init__(
        self,
        answers: Mapping[str, tuple[str, int]],
        copies: Sequence[RobotsCopy] = (),
        known: Mapping[str, HostState] = MappingProxyType({}),
        *,
        wants_tdmrep: bool = False,
    ) -> None:
        self.clock = VirtualClock(NOW)
        self.turns = address_turns(PolitenessSettings(), self.clock)
        self.recorded: list[tuple[RobotsCopy, HostState]] = []
        self.redirects: dict[str, str] = {}
        self.blacklist: set[str] = set()
        """Origins."""
        self.swallows = 0
        """Requests that no answer comes to, for their connection was closed."""
        self.asked_at: list[float] = []
        self.asked_for: list[str] = []
        self.copies = {copy.origin: copy for copy in copies}
        self.robots = RobotsCache(self.copies.get, "Hondius", wants_tdmrep=wants_tdmrep)
        self.hosts = Hosts(PolitenessSettings(), load=known.get, earliest=0.0, unfinished={})
        self.host = self.hosts.get("a.test")
        self.host.set_addresses(["127.0.0.1:80"], float("inf"))
        names = Names(self._resolve, self.clock)
        self.gate = Gate(
            names=names,
            turns=self.turns,
            robots=self.robots,
            requests=RobotsRequests(
                hosts=self.hosts,
                names=names,
                turns=self.turns,
                addresses=Addresses(self.turns, self.clock, 60.0, lambda _: False),
                robots=self.robots,
                fetch=self._fetch,
                is_banned=lambda origin: origin in self.blacklist,
            ),
            identity=IDENTITY,
            record=lambda copy, _: self.recorded.append((copy, self.host.make_state(self.clock.now()))),
            record_tdmrep=lambda copy, _: self.recorded.append((copy, self.host.make_state(self.clock.now()))),
            clock=self.clock,
        )
        self._answers = answers
        self._rehearsal = Rehearsal(Reader(IDENTITY, agent_token="Hondius"), user_agent="Hondius")

    async def _fetch(self, key: bytes, href: str, address: str, kind: str, within: float | None) -> Fetched:
        self.asked_at.append(self.clock.now())
        self.asked_for.append(href)
        body, max_age = self._answers.get(href, ("", 0))
        failure = ("connection_reset", "nobody answers")
        if self.swallows > 0:
            self.swallows -= 1
            body, failure = "", ("connection_stale", "closed")
        head = f"HTTP/1.1 200 OK\r\nCache-Control: max-age={max_age}\r\nContent-Length: {len(body)}\r\n\r\n"
        if to := self.redirects.get(href):
            body, head = "moved", f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 5\r\n\r\n"
        return self._rehearsal.play(
            (1, key, href, address, kind, ()),
            started_at=self.clock.now(),
            ended_at=self.clock.now(),
            head=head.encode() if body else b"",
            body=body.encode(),
            failure=None if body else failure,
        )

    async def _resolve(self, name: str) -> Resolved:
        raise AssertionError(f"{name} has an address")


async def test_p1_f5_a_crawl_delay_is_written_down_with_the_robots_that_brought_it() -> None:
    """Killed right after that, the next run contacts the host's other origin as slowly."""
    around = Surroundings({f"{HTTPS}/robots.txt": (SLOWLY, 3_600)})
    await around.gate.fetch_robots(around.host, HTTPS)
    ((copy, state),) = around.recorded
    assert copy.outcome == "parsed"
    assert (state.crawl_delay, state.not_before) == (60.0, NOW + 60)


@pytest.mark.parametrize(
    "step", ["hondius.crawler.politeness.RobotsCache.accept", "hondius.crawler.politeness.host.find_treatment"]
)
async def test_p1_the_crawl_delay_of_a_robots_that_a_bug_keeps_from_being_accepted_is_obeyed(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("planted")

    around = Surroundings({f"{HTTPS}/robots.txt": (SLOWLY, 3_600)})
    monkeypatch.setattr(step, fail)
    with pytest.raises(RuntimeError, match="planted"):
        await around.gate.fetch_robots(around.host, HTTPS)
    assert around.recorded == []
    assert around.host.free_at() == NOW + 60


async def test_p1_a_robots_that_cannot_be_had_tells_nothing_of_the_pace() -> None:
    around = Surroundings({f"{HTTPS}/robots.txt": (SLOWLY, 3_600)})
    await around.gate.fetch_robots(around.host, HTTPS)
    await around.gate.fetch_robots(around.host, HTTP)
    assert around.host.crawl_delay == 60.0
    assert around.host.not_before == pytest.approx(NOW + 120)


async def test_b2_a_robots_that_is_kept_briefly_outlasts_the_pause_it_costs() -> None:
    around = Surroundings({f"{HTTP}/robots.txt": (SLOWLY, 1)})
    await around.gate.fetch_robots(around.host, HTTP)
    turn = around.host.free_at()
    assert turn == NOW + 60
    rules = around.robots.read_rules(HTTP)
    assert around.host.find_need(rules, turn + 30) is Need.NOTHING
    assert around.host.find_need(rules, turn + 61) is Need.ROBOTS
    assert around.recorded[0][0].expires_at == turn + 60


async def test_b2_no_robots_is_kept_for_longer_than_a_day() -> None:
    around = Surroundings({f"{HTTP}/robots.txt": ("User-agent: *\n", 10**9)})
    around.hosts.obey(HostOrder("a.test", NOW - 300_000, delay=200_000.0))
    await around.gate.fetch_robots(around.host, HTTP)
    assert around.recorded[0][0].expires_at == NOW + 86_400


async def test_p1_a_robots_that_a_kept_connection_swallowed_is_asked_for_again_at_the_next_turn() -> None:
    around = Surroundings({f"{HTTP}/robots.txt": ("User-agent: *\n", 3_600)})
    around.swallows = 1
    await around.gate.fetch_robots(around.host, HTTP)
    first, second = around.asked_at
    assert second - first >= 1.0
    assert around.recorded[0][0].outcome == "parsed"
    assert around.host.consecutive_failures == 0


async def test_b2_a_robots_that_is_swallowed_twice_cannot_be_had() -> None:
    around = Surroundings({f"{HTTP}/robots.txt": ("User-agent: *\n", 3_600)})
    around.swallows = 2
    await around.gate.fetch_robots(around.host, HTTP)
    assert len(around.asked_at) == 2
    assert around.recorded[0][0].outcome == "unreachable"


def closed(origin: str) -> RobotsCopy:
    """A copy that forbids everything, as old as it may be."""
    return RobotsCopy(
        origin, NOW - 100_000, "parsed", 200, NOW - 10_000, b"User-agent: *\nDisallow: /\n", NOW - 100_000
    )


async def test_b2_a_site_may_move_its_robots_to_where_its_own_old_rules_forbid_to_go() -> None:
    """Otherwise the old rules would stay in force for ever."""
    around = Surroundings({f"{HTTP}/rules.txt": ("User-agent: *\n", 3_600)}, [closed(HTTP)])
    around.redirects[f"{HTTP}/robots.txt"] = f"{HTTP}/rules.txt"
    await around.gate.fetch_robots(around.host, HTTP)
    assert around.asked_for == [f"{HTTP}/robots.txt", f"{HTTP}/rules.txt"]
    assert around.recorded[0][0].outcome == "parsed"


@pytest.mark.parametrize("path", ["/robots.txt", "/robots.txt?1", "/rules.txt"])
async def test_b4_a_robots_elsewhere_is_asked_for_only_where_the_rules_there_allow_it(path: str) -> None:
    around = Surroundings({f"{HTTPS}{path}": ("User-agent: *\n", 3_600)}, [closed(HTTPS)])
    around.redirects[f"{HTTP}/robots.txt"] = f"{HTTPS}{path}"
    await around.gate.fetch_robots(around.host, HTTP)
    copy = around.recorded[0][0]
    if path == "/robots.txt":  # which is never forbidden
        assert copy.outcome == "parsed"
    else:
        assert around.asked_for == [f"{HTTP}/robots.txt"]
        assert (copy.outcome, copy.failures) == ("unreachable", 1)
        assert "which the robots.txt there forbids (line 2: Disallow: /)" in copy.detail


async def test_b4_the_rules_count_that_are_in_force_when_the_turn_has_come() -> None:
    around = Surroundings({f"{HTTPS}/rules.txt": ("User-agent: *\n", 3_600)})
    around.redirects[f"{HTTP}/robots.txt"] = f"{HTTPS}/rules.txt"
    asking = asyncio.create_task(around.gate.fetch_robots(around.host, HTTP))
    await asyncio.sleep(0)
    assert around.host.claims == 1  # the redirect waits for its turn
    around.robots.learn(HTTPS, closed(HTTPS))
    await asking
    assert around.asked_for == [f"{HTTP}/robots.txt"]
    assert not around.host.busy


async def test_o1_a_host_that_came_onto_the_blacklist_while_its_turn_was_waited_for_is_not_asked() -> None:
    around = Surroundings({f"{HTTP}/robots.txt": ("User-agent: *\n", 3_600)})
    around.turns.begin(around.host, "127.0.0.1:80", NOW)
    asking = asyncio.create_task(around.gate.fetch_robots(around.host, HTTP))
    await asyncio.sleep(0)
    assert around.host.claims == 1
    around.blacklist.add(HTTP)
    around.turns.abandon(around.host, "127.0.0.1:80")
    with pytest.raises(NotSent, match="on the blacklist"):
        await asking
    assert around.asked_for == []
    assert around.recorded == []
    assert not around.host.busy


async def test_o1_a_robots_is_not_followed_to_a_host_that_came_onto_the_blacklist_meanwhile() -> None:
    busy = {"b.test": HostState("b.test", NOW - 1, NOW + 20)}
    around = Surroundings({"http://b.test/rules.txt": ("User-agent: *\n", 3_600)}, known=busy)
    other = around.hosts.get("b.test")
    other.set_addresses(["127.0.0.2:80"], float("inf"))
    around.redirects[f"{HTTP}/robots.txt"] = "http://b.test/rules.txt"
    asking = asyncio.create_task(around.gate.fetch_robots(around.host, HTTP))
    await asyncio.sleep(0)
    assert other.claims == 1
    around.blacklist.add("http://b.test")
    await asking
    assert around.asked_for == [f"{HTTP}/robots.txt"]
    copy = around.recorded[0][0]
    assert (copy.outcome, copy.detail) == ("unreachable", "http://b.test is on the blacklist")
    assert not other.busy


def test_n1_what_fails_for_several_origins_at_once_is_one_failure_of_the_name() -> None:
    host = Surroundings({}).host
    for _ in range(6):
        host.count_name_failure(NOW)
    assert not host.has_lost_name("dns_failure")
    for minute in range(1, 4):
        host.count_name_failure(NOW + 60 * minute)
    assert host.has_lost_name("dns_failure")


async def test_n1_a_look_up_that_was_put_off_is_no_failure_of_the_name() -> None:
    host = Surroundings({}).host
    host.set_addresses([], 0.0)
    clock = VirtualClock(NOW)
    for cause in ["lease_ended"] * NAME_TRIES + ["dns_failure"] * (NAME_TRIES - 1):

        async def fail(name: str, cause: str = cause) -> Any:
            return LookUp(1, name, [], clock.now(), cause)

        clock.time += 60.0
        with pytest.raises(Unresolved):
            await Names(fail, clock).resolve(host)
    assert not host.has_lost_name("dns_failure")


def test_f4_n1_a_look_up_that_got_lost_on_our_side_never_ends_a_url() -> None:
    host = Surroundings({}).host
    for minute in range(10):
        host.count_name_failure(NOW + 60 * minute)
    assert not host.has_lost_name("lease_ended")
