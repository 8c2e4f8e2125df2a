"""A host with several addresses: which are tried, when, and what is remembered."""

from math import inf
from typing import cast

from hondius.crawler.politeness import Addresses, Host
from hondius.native import Fetched, Identity, Reader, Rehearsal
from hondius.settings import PolitenessSettings
from tests.crawler.virtual_clock import VirtualClock
from tests.turns import address_turns, requests_under_way

IDENTITY = Identity()
FIRST, SECOND, THIRD = "192.0.2.1:80", "192.0.2.2:80", "192.0.2.3:80"


class Asked:
    """`causes`: why a request at an address fails; elsewhere it does not."""

    def __init__(self, causes: dict[str, str], takes: float = 0.01) -> None:
        self.clock = VirtualClock()
        self.blacklist: set[str] = set()
        self.turns = address_turns(PolitenessSettings(), self.clock)
        self.addresses = Addresses(self.turns, self.clock, 60.0, lambda name: name in self.blacklist)
        self.host = Host("a.test", PolitenessSettings())
        self.host.set_addresses([FIRST, SECOND, THIRD], inf)
        self.bans: dict[str, set[str]] = {}
        """Hosts that come onto the blacklist while an address is asked."""
        self.tried: list[str] = []
        self.left: list[float | None] = []
        self._causes = causes
        self._takes = takes
        self._rehearsal = Rehearsal(Reader(IDENTITY, agent_token="Hondius"), user_agent="Hondius")

    async def ask(self, allowed_until: float = inf) -> Fetched:
        address = self.host.addresses[0]
        self.turns.begin(self.host, address, self.clock.now())
        failed = await self._fetch(address, None)
        fetched = await self.addresses.try_others(self.host, address, failed, self._fetch, allowed_until)
        self.turns.release(address)
        self.host.end_request(fetched)
        return fetched

    async def _fetch(self, address: str, within: float | None) -> Fetched:
        self.tried.append(address)
        self.left.append(within)
        self.blacklist |= self.bans.get(address, set())
        started, self.clock.time = self.clock.time, self.clock.time + self._takes
        url = IDENTITY.parse("http://a.test/")
        cause = self._causes.get(address)
        return self._rehearsal.play(
            (1, url.key, url.href, address, "page", ()),
            started_at=started,
            ended_at=self.clock.time,
            head=b"" if cause else b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
            body=b"",
            failure=(cause, "") if cause else None,
        )


async def test_p3_the_next_address_is_tried_where_no_connection_came_about_and_is_the_first_next_time() -> None:
    asked = Asked({FIRST: "connect_refused", SECOND: "connect_timeout"})
    assert (await asked.ask()).status == 200
    assert asked.tried == [FIRST, SECOND, THIRD]
    assert asked.host.addresses == [THIRD, FIRST, SECOND]


async def test_p1_a_request_that_was_sent_is_not_sent_again_elsewhere() -> None:
    asked = Asked({FIRST: "connection_reset"})
    assert (await asked.ask()).failure == "connection_reset"
    assert asked.tried == [FIRST]


async def test_b2_no_further_address_is_tried_when_the_robots_txt_that_allows_the_request_has_expired() -> None:
    asked = Asked(dict.fromkeys((FIRST, SECOND), "connect_timeout"), takes=10.0)
    assert (await asked.ask(allowed_until=asked.clock.now() + 15.0)).failure == "connect_timeout"
    assert asked.tried == [FIRST, SECOND]


async def test_h2_all_tries_together_stay_within_the_total_time_out() -> None:
    asked = Asked(dict.fromkeys((FIRST, SECOND, THIRD), "connect_timeout"), takes=40.0)
    assert (await asked.ask()).failure == "connect_timeout"
    assert asked.tried == [FIRST, SECOND]
    assert cast("float", asked.left[1]) <= 20.0


async def test_p3_each_try_waits_for_its_turn_at_its_address() -> None:
    asked = Asked({FIRST: "connect_refused"})
    asked.turns.begin(Host("b.test", PolitenessSettings()), SECOND, asked.clock.now())
    began = asked.clock.now()
    fetched = await asked.ask()
    assert fetched.started_at - began >= PolitenessSettings().address_gap - 1e-6


async def test_p3_the_turns_at_all_addresses_are_given_back() -> None:
    asked = Asked({FIRST: "connect_refused", SECOND: "connect_refused", THIRD: "connect_refused"})
    await asked.ask()
    assert requests_under_way(asked.turns) == [0, 0, 0]
    assert not asked.host.busy


async def test_p1_the_delay_counts_from_the_last_try() -> None:
    asked = Asked({FIRST: "connect_refused"}, takes=0.02)
    fetched = await asked.ask()
    assert asked.host.not_before == fetched.ended_at + 1.0


async def test_s5_a_later_try_that_cannot_be_recorded_leaves_the_failure_of_the_first() -> None:
    asked = Asked({FIRST: "connect_refused", SECOND: "attempt_not_recorded"})
    assert (await asked.ask()).failure == "connect_refused"


async def test_o1_a_host_that_came_onto_the_blacklist_meanwhile_is_asked_at_no_other_address() -> None:
    asked = Asked(dict.fromkeys((FIRST, SECOND), "connect_timeout"))
    asked.bans[SECOND] = {asked.host.name}
    assert (await asked.ask()).failure == "connect_timeout"
    assert asked.tried == [FIRST, SECOND]
    assert requests_under_way(asked.turns) == [0, 0, 0]
    assert not asked.host.busy
