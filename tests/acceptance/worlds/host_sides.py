"""The old host and today's, each with the parts around it, behind the same verbs."""

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

from hondius.crawler.politeness.earlier_times import EarlierTimes
from hondius.crawler.politeness.failures import NOT_SENT
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.host_events import HostEvent, Need
from hondius.crawler.politeness.known_hosts import Hosts
from hondius.crawler.politeness.recovery import PUSHED_BACK, find_unfinished_requests
from hondius.crawler.politeness.robots import RobotsCache
from hondius.errors import EnginePanic
from hondius.model import HostOrder, HostState, RobotsCopy
from hondius.position import Position
from hondius.settings import PolitenessSettings
from tests.turns import address_turns

AGENT = "Hondius"
ADDRESSES = ("192.0.2.1:80", "192.0.2.2:80", "[2001:db8::1]:80")
TOTAL_TIMEOUT = 60.0
WANTED_TYPES: frozenset[str] = frozenset({"text/html"})


@dataclass(slots=True)
class Result:
    """A request that is over: as much of `Fetched` as anybody looks at."""

    href: str
    started_at: float
    ended_at: float
    failure: str | None
    status: int | None
    is_redirect: bool
    retry_after: float | None
    wire_bytes: int
    ticket: int
    robots_txt: bytes | None = None
    detail: str = ""
    kind: str = "page"
    is_sitemap: bool = False
    content_type: str = "text/html"
    page: object = None
    key: bytes = b""
    address: str = ""

    def location(self, identity: object) -> None:
        return None


class Resolved(NamedTuple):
    addresses: list[str]
    expires_at: float
    failure: str | None
    detail: str = ""


class Attempt(NamedTuple):
    """A record of what was sent."""

    at: float
    host_hash: int
    ended: bool
    sent: bool
    status: int


class Waiting:
    """Awaited by a task: tells the driver what it waits for, and takes its answer."""

    def __init__(self, what: str, value: object = None) -> None:
        self._what = what, value

    def __await__(self) -> Generator[tuple[str, object], Any, Any]:
        return (yield self._what)


class Task:
    """A coroutine that is driven by hand."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self._work = work

    def go_on(self, value: object = None) -> tuple[str, object]:
        """What it waits for now, or how it ended."""
        try:
            return self._work.send(value)  # type: ignore[no-any-return]
        except StopIteration as end:
            return "ended", end.value if isinstance(end.value, bool) else None
        except Exception as error:
            return "raised", type(error).__name__

    def close(self) -> None:
        self._work.close()


class DrivenClock:
    def __init__(self, now: float) -> None:
        self.time = now

    def now(self) -> float:
        return self.time

    def of_wall(self, at: float) -> float:
        return at

    async def sleep_until(self, when: float) -> None:
        await Waiting("until", when)


class Written:
    """The log, as far as a start reads it."""

    def __init__(self) -> None:
        self.applied = 0
        self.states: dict[str, HostState] = {}
        self.orders: dict[str, HostOrder] = {}
        self._runs: list[tuple[int, float]] = []
        self._frames: dict[tuple[type, str], int] = {}

    def add(self, row: HostState | HostOrder) -> None:
        self.applied += 1
        self._frames[type(row), row.host] = self.applied
        if isinstance(row, HostState):
            self.states[row.host] = row
        else:
            self.orders[row.host] = row

    def begin_run(self, at: float) -> None:
        self.applied += 1
        self._runs.append((self.applied, at))

    @property
    def position(self) -> Position:
        """What the new host is told; the old one reads the number."""
        return Position((self.applied,))

    def runs(self) -> list[tuple[int, float]]:
        return list(self._runs)

    def frame_of(self, row: Any) -> int:
        return self._frames[type(row), row.host]


@dataclass(slots=True)
class Start:
    """What a run finds when it starts."""

    settings: PolitenessSettings
    clock: DrivenClock
    written: Written
    attempts: Sequence[Sequence[Any]]
    copies: Mapping[str, RobotsCopy]


class Quiet:
    """A part of the crawl from which the host learns nothing: whatever is asked of it, it is there."""

    def __init__(self, *arguments: object, **named: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *arguments: object, **named: object) -> Any:
        return self


QUIET: Any = Quiet()
URL = SimpleNamespace(key=b"key", href="http://a.test/", via="link", depth=0, hops=0, is_seed=False)
URL_AGAIN = SimpleNamespace(key=b"key", href="http://a.test/", via="recrawl", depth=0, hops=0, is_seed=False)
PAST = {"body_url": "", "body_at": 0.0}


async def _answer(*arguments: object) -> Any:
    return await Waiting("answer")


class OldSide:
    def __init__(self, old: SimpleNamespace, start: Start) -> None:
        parts, settings, clock = old.politeness, start.settings, start.clock
        self._old, self._parts, self._clock = old, parts, clock
        self._left: list[HostState] = []
        """States that were left to the commit."""
        self._resolved: Any = None
        self.turns = parts.Turns(settings, clock)
        circuit = parts.Circuit(settings)
        earlier = old.EarlierTimes(clock, start.written)
        self.hosts = parts.Hosts(
            load=lambda name: earlier.host(start.written.states.get(name)),
            delay_of=self.turns.delay,
            earliest=clock.now() + settings.delay,
            unfinished=parts.unfinished_requests(start.attempts, clock.now()),
            push_back=self.turns.pushed_back,
            orders=[earlier.order(order) for order in start.written.orders.values()],
        )
        self._robots = parts.RobotsDesk(start.copies.get, AGENT)
        self._endings = old.Endings(
            commit=SimpleNamespace(leave=QUIET, leave_host=self._left.append, hurry=QUIET),
            frontier=SimpleNamespace(tries=lambda key: 0, again=QUIET, finished=QUIET),
            turns=self.turns,
            circuit=circuit,
            links=QUIET,
            recorder=QUIET,
            left_outs=SimpleNamespace(scope_may_grow=False),
            identity=QUIET,
            settings=settings,
            statistics=QUIET,
            clock=clock,
            random=Random(0),
        )
        self._gate = parts.Gate(
            hosts=self.hosts,
            turns=self.turns,
            addresses=parts.Addresses(self.turns, clock, TOTAL_TIMEOUT, lambda name: False),
            circuit=circuit,
            robots=self._robots,
            identity=QUIET,
            fetch=_answer,
            resolve=self._resolve,
            record=QUIET,
            banned=lambda origin: False,
            clock=clock,
        )
        self._errands = SimpleNamespace(
            _hosts=self.hosts,
            _turns=self.turns,
            _endings=self._endings,
            _identity=SimpleNamespace(parse=lambda href: SimpleNamespace(origin=href.removesuffix("/robots.txt"))),
        )

    def times(self, name: str) -> tuple[object, ...]:
        host, turns, now = self.hosts.get(name), self.turns, self._clock.now()
        ready = [turns.ready_at(host, address, now) for address in ADDRESSES]
        when = (turns.free_at(host), turns.delay(host), turns.paced_until(host), ready)
        kept = host.busy or host.waiting > 0 or host.unsaved
        told = (host.is_slow, host.busy, host.claims, kept, host.name_failures)
        return (*when, *told, host.addresses, host.state(now))

    def may_serve_queue(self, name: str) -> bool:
        """As the run did before it handed a URL out."""
        host = self.hosts.get(name)
        if host.claims:
            host.queue_waits = True
        return not (host.busy or (host.claims and not host.claimed))

    def come_back_at(self, name: str, address: str) -> float:
        return self.turns.come_back_at(self.hosts.get(name), address, self._clock.now())  # type: ignore[no-any-return]

    def begin(self, name: str, address: str) -> None:
        self.turns.begin(self.hosts.get(name), address, self._clock.now())

    def cancel(self, name: str, address: str) -> None:
        self.turns.cancel(self.hosts.get(name), address)

    def abandon(self, name: str, address: str) -> None:
        self.turns.end_if_busy(self.hosts.get(name), address)

    def visit(self, name: str, address: str, until: float) -> Task:
        return Task(self.turns.visit(self.hosts.get(name), address, until))

    def leave(self, name: str, address: str, *, worked: bool) -> None:
        self.turns.leave(address)
        if worked:
            self._old.prefer(self.hosts.get(name), address)

    def page_ended(
        self, name: str, address: str, result: Result, *, is_recrawl: bool, was_conditional: bool
    ) -> list[HostState]:
        host, endings = self.hosts.get(name), self._endings
        url = URL_AGAIN if is_recrawl else URL
        self.turns.end(host, address, result.started_at, result.ended_at)
        kind, cause = self._old.answer_of(result, WANTED_TYPES)
        try:
            match kind.name:
                case "FAILURE":
                    endings.failed(url, QUIET, host, result, cause)
                case "REDIRECT":
                    endings.redirected(url, QUIET, host, result, cause)
                case "NOT_MODIFIED":
                    endings.unchanged(url, host, result, PAST if was_conditional else None)
                case "OTHER_TYPE":
                    endings.other_type(url, host, result)
                case _:
                    endings.completed(url, host, result, QUIET, None, [])
        except EnginePanic:
            endings.answer_lost(url, host, result)
        return self._take_left()

    def ask_robots(self, origin: str, first: str) -> Task:
        url = SimpleNamespace(origin=origin, key=b"key", href=f"{origin}/robots.txt")
        return Task(self._gate._ask(url, first, first))

    def robots_recorded(self, result: Result) -> list[HostState]:
        self._old.Errands._heed(self._errands, result)
        return self._take_left()

    def robots_changed(self, origin: str) -> None:
        self._robots.forget(origin)

    def look_up(self, name: str, resolved: Resolved) -> tuple[str, object]:
        self._resolved = resolved
        host = self.hosts.get(name)
        ended = Task(self._gate.address_of(host)).go_on()
        failed = self._parts.Unnamed(resolved.failure or "", "")
        return ended[0], ended[0] == "raised" and self._gate.given_up(host, failed)

    async def _resolve(self, name: str) -> Any:
        return self._resolved

    def is_let_in(self, name: str, origin: str) -> bool:
        return self._gate.let_in_by(self.hosts.get(name), origin, self._clock.now()) is not None

    def heed_known(self, name: str, origin: str) -> None:
        self._gate.heed_known(self.hosts.get(name), origin)

    def obey(self, order: HostOrder) -> None:
        self.hosts.obey(order)

    def saved(self, name: str) -> None:
        self.hosts.saved(name)

    def forget(self, name: str) -> None:
        self.hosts._hosts.pop(name, None)

    def _take_left(self) -> list[HostState]:
        left = list(self._left)
        self._left.clear()
        return left


class NewSide:
    def __init__(self, start: Start) -> None:
        settings, clock = start.settings, start.clock
        self._clock = clock
        self.turns = address_turns(settings, clock)
        earlier = EarlierTimes(clock, start.written)
        self.hosts = Hosts(
            settings,
            load=lambda name: earlier.adjust_host(start.written.states.get(name)),
            earliest=clock.now() + settings.delay,
            unfinished=find_unfinished_requests(start.attempts, clock.now()),
            orders=[earlier.adjust_order(order) for order in start.written.orders.values()],
        )
        self._robots = RobotsCache(start.copies.get, AGENT)

    def times(self, name: str) -> tuple[object, ...]:
        host, now = self.hosts.get(name), self._clock.now()
        ready = [self.turns.ready_at(host, address, now) for address in ADDRESSES]
        when = (host.free_at(), host.delay(), host.paced_until(), ready)
        told = (host.is_slow, host.busy, host.claims, host.is_needed, host.name_failures)
        return (*when, *told, host.addresses, host.make_state(now))

    def may_serve_queue(self, name: str) -> bool:
        return self.hosts.get(name).may_serve_queue()

    def come_back_at(self, name: str, address: str) -> float:
        return self.turns.come_back_at(self.hosts.get(name), address, self._clock.now())

    def begin(self, name: str, address: str) -> None:
        self.turns.begin(self.hosts.get(name), address, self._clock.now())

    def cancel(self, name: str, address: str) -> None:
        self.turns.cancel(self.hosts.get(name), address)

    def abandon(self, name: str, address: str) -> None:
        self.turns.abandon(self.hosts.get(name), address)

    def visit(self, name: str, address: str, until: float) -> Task:
        return Task(self.turns.continue_at(self.hosts.get(name), address, until))

    def leave(self, name: str, address: str, *, worked: bool) -> None:
        self.turns.release(address)
        if worked:
            self.hosts.get(name).prefer(address)

    def page_ended(
        self, name: str, address: str, result: Result, *, is_recrawl: bool, was_conditional: bool
    ) -> list[HostState]:
        host = self.hosts.get(name)
        self.turns.release(address)
        events = host.end_request(result, is_recrawl=is_recrawl, was_conditional=was_conditional)
        return [host.save(self._clock.now())] if HostEvent.CHANGED in events else []

    def ask_robots(self, origin: str, first: str) -> Task:
        return Task(self._ask(self.hosts.get(name_of(origin)), name_of(first)))

    async def _ask(self, host: Host, first: str) -> None:
        """As the gate does."""
        address = host.addresses[0]
        await self.turns.claim(host, address, is_own=host.name == first)
        result = await _answer()
        if result.failure == NOT_SENT:
            self.turns.cancel(host, address)
            raise NotSent
        self.turns.release(address)
        host.end_robots_request(result)
        if (pace := self._robots.parse_crawl_delay(result)) is not None:
            self.hosts.get(first).set_crawl_delay(pace)
        if result.failure == "engine_panic":
            raise EnginePanic

    def robots_recorded(self, result: Result) -> list[HostState]:
        host = self.hosts.get(name_of(result.href.removesuffix("/robots.txt")))
        if result.failure is None and (result.status or 500) < 500 and result.status not in PUSHED_BACK:
            host.shrink_back_off()
        return [host.save(self._clock.now())]

    def robots_changed(self, origin: str) -> None:
        self._robots.forget(origin)

    def look_up(self, name: str, resolved: Resolved) -> tuple[str, object]:
        host = self.hosts.get(name)
        if host.has_address(self._clock.now()):
            return "ended", False
        if resolved.failure is None and resolved.addresses:
            host.set_addresses(resolved.addresses, resolved.expires_at)
            return "ended", False
        host.count_name_failure(self._clock.now())
        return "raised", host.has_lost_name(resolved.failure or "")

    def is_let_in(self, name: str, origin: str) -> bool:
        host, now = self.hosts.get(name), self._clock.now()
        return host.find_need(self._robots.read_rules(origin), now) is Need.NOTHING

    def heed_known(self, name: str, origin: str) -> None:
        self.hosts.get(name).follow_rules(self._robots.read_rules(origin))

    def obey(self, order: HostOrder) -> None:
        self.hosts.obey(order)

    def saved(self, name: str) -> None:
        self.hosts.mark_saved(name)

    def forget(self, name: str) -> None:
        self.hosts._hosts.pop(name, None)


class NotSent(Exception):
    pass


def name_of(origin: str) -> str:
    return origin.partition("://")[2]


Side = OldSide | NewSide
Verb = Callable[[Side], object]
