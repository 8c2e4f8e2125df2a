"""One random history of a few hosts, lived by the old host and by today's at once.

After each step both must give the same times, and the same state to be saved. A history has answers of all kinds, moves
of the clock, look-ups, robots.txt, claims of other hosts, several addresses, orders of the operator, hosts that are
forgotten and read back, and restarts: with requests that no frame knows of, and with a clock that was set in between.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace

from hondius.crawler.politeness.failures import TABLE
from hondius.model import FOREVER, HostOrder, HostState, RobotsCopy
from hondius.native import host_hash
from hondius.settings import PolitenessSettings
from tests.acceptance.worlds.host_sides import (
    ADDRESSES,
    Attempt,
    DrivenClock,
    NewSide,
    OldSide,
    Resolved,
    Result,
    Start,
    Task,
    Verb,
    Written,
    name_of,
)

NAMES = ("a.test", "b.test", "shop.c.test")
MORE_OFTEN = (*NAMES, "a.test", "a.test", "a.test")
START = 1_000_000_000.0
DAY = 86_400.0
STEPS = 36
ALL_EVERY = 4
"""After so many steps all hosts are compared; after the others, the one that a step was about."""
STATUSES = (200, 200, 200, 200, 204, 301, 304, 400, 404, 408, 410, 425, 429, 429, 500, 502, 503, 503, 504, 599)
MOODS = (STATUSES, STATUSES, (200, 301, 304), (429, 503, 200), (500, 502, 599, 404), (500, 503))
"""What the servers of a history answer."""
UNCONNECTED = frozenset({"connect_refused", "connect_failed", "connect_timeout", "tls_failed", "address_refused"})
"""The gate tries other addresses after these, in the same turn."""
FAILURES = tuple(cause for cause in TABLE if not cause.startswith("http_4") and not cause.startswith("http_5"))
LOOK_UPS = ("dns_nxdomain", "dns_failure", "address_refused", "lease_ended", "cancelled")
CRAWL_DELAYS = (0, 0, 3, 60, 7_200)
LEAPS = (0.0, 0.0, 5.0, 3_600.0, 3 * DAY, -3_600.0, -3 * DAY)
"""How far the wall clock is set between two runs."""


class Difference(Exception):
    """The two hosts do not agree."""


@dataclass(slots=True)
class Request:
    """Under way: for a page, or for a robots.txt, whose two tasks wait for the answer."""

    name: str
    address: str
    began: float
    tasks: tuple[Task, Task] | None = None


@dataclass(slots=True)
class Claim:
    """Waits for a turn, to ask for a robots.txt."""

    origin: str
    wakes: float
    tasks: tuple[Task, Task]


class History:
    def __init__(self, old: SimpleNamespace, seed: int) -> None:
        self._old_parts = old
        self._chance = Random(f"history {seed}")
        self.counts: Counter[str] = Counter()
        self._trace: list[str] = []
        self._settings = self._some_settings()
        self._statuses = self._chance.choice(MOODS)
        self._is_crowded = self._chance.random() < 0.2
        """Claims of other hosts and the queue of one host compete for its turns."""
        self._clock = DrivenClock(START)
        self._written = Written()
        self._unwritten: dict[str, HostState] = {}
        self._copies: dict[str, RobotsCopy] = {}
        self._runs: list[list[Attempt]] = []
        self._ticket = 0
        self._named_last = NAMES[0]
        self._begin_run()

    def run(self) -> None:
        steps = (
            *[self._move] * 8,
            *[self._hand_out] * 12,
            *[self._answer] * 10,
            *[self._ask_robots] * (12 if self._is_crowded else 3),
            self._look_up,
            self._look_up,
            self._change_robots,
            self._heed_known,
            self._obey,
            self._commit,
            self._commit,
            self._visit,
            self._forget,
            self._restart,
        )
        for number in range(STEPS):
            self._chance.choice(steps)()
            for name in NAMES if number % ALL_EVERY == 0 or number == STEPS - 1 else (self._named_last,):
                self._agree(lambda side, name=name: side.times(name), f"the times of {name}")  # type: ignore[misc]
        self._drop_tasks()

    def _some_settings(self) -> PolitenessSettings:
        chance = self._chance
        return PolitenessSettings(
            delay=chance.choice((0.0, 0.5, 1.0, 1.0, 5.0)),
            duration_factor=chance.choice((0.0, 10.0)),
            back_off_cap=chance.choice((3.0, 60.0)),
            retry_after_cap=chance.choice((100.0, DAY)),
            address_gap=chance.choice((0.0, 0.1, 2.0)),
            address_concurrency=chance.choice((1, 2, 8)),
            circuit_failures=chance.choice((1, 2, 5)),
            circuit_wait=chance.choice((1.0, 60.0)),
            circuit_cap=chance.choice((100.0, 3_600.0)),
        )

    def _begin_run(self) -> None:
        start = Start(self._settings, self._clock, self._written, self._runs, self._copies)
        self._old, self._new = OldSide(self._old_parts, start), NewSide(start)
        self._written.begin_run(self._clock.now())
        self._attempts: list[Attempt] = []
        self._requests: list[Request] = []
        self._claims: list[Claim] = []

    def _agree(self, verb: Verb, what: str) -> object:
        old, new = verb(self._old), verb(self._new)
        if old != new:
            raise Difference(f"{what}: {old} → {new} (after {', '.join(self._trace[-8:])})")
        return new

    def _note(self, what: str, detail: str = "") -> None:
        self.counts[what] += 1
        self._trace.append(f"{what} {detail}".strip())

    # Steps

    def _move(self) -> None:
        chance = self._chance
        self._clock.time += chance.choice(
            (chance.random() * 0.2, 0.45, chance.random() * 3, chance.random() * 100, 5_000.0)
        )
        self._note("moves of the clock", f"to {self._clock.time - START:.3f}")
        for claim in [claim for claim in self._claims if claim.wakes <= self._clock.time]:
            self._claims.remove(claim)
            self._go_on(claim)

    def _hand_out(self) -> None:
        """As the run does: the queue must be offered the turn, and its time must have come."""
        name, address, now = self._a_name(), self._an_address(), self._clock.now()
        self._note("offers to queues", f"{name} at {address}")
        is_offered = self._agree(lambda side: side.may_serve_queue(name), "the offer to the queue")
        origin = self._an_origin(name)
        self._agree(lambda side: side.is_let_in(name, origin), f"whether {origin} is let in")
        when = self._agree(lambda side: side.come_back_at(name, address), "when to come back")
        if is_offered and isinstance(when, float) and when <= now:
            self._agree(lambda side: side.begin(name, address), "the start")
            self._attempt(name, now, ended=False)
            self._requests.append(Request(name, address, now))
            self._note("requests for pages", f"{name} at {address}")

    def _answer(self) -> None:
        if not self._requests:
            return self._move()
        request = self._requests.pop(self._chance.randrange(len(self._requests)))
        name, address = request.name, request.address
        self._named_last = name
        if request.tasks is not None:
            return self._answer_robots(request, request.tasks)
        if self._chance.random() < 0.05:
            self._note("turns cancelled", name)
            self._agree(lambda side: side.cancel(name, address), "the cancellation")
        elif self._chance.random() < 0.05:
            self._note("turns abandoned", name)
            self._agree(lambda side: side.abandon(name, address), "the turn that a bug ends")
        else:
            self._answer_page(request)
        return None

    def _answer_page(self, request: Request) -> None:
        name, address = request.name, request.address
        result = self._a_result(request, f"http://{name}/")
        is_recrawl, was_conditional = self._chance.random() < 0.2, self._chance.random() < 0.5
        self._note("answers to pages", f"{name} {result.failure or result.status} {result.retry_after}")
        left = self._agree(
            lambda side: side.page_ended(name, address, result, is_recrawl=is_recrawl, was_conditional=was_conditional),
            "the state to be saved",
        )
        self._leave(left)
        self._attempt(name, result.ended_at, ended=True, result=result)
        host = self._new.hosts.get(name)
        self.counts["answers with an open circuit behind them"] += host.circuit_openings > 0
        self.counts["answers with a back-off behind them"] += host.back_off > 0

    def _answer_robots(self, request: Request, tasks: tuple[Task, Task]) -> None:
        result = self._a_result(request, f"http://{request.name}/robots.txt", is_page=False)
        self._note("answers to robots.txt", f"{request.name} {result.failure or result.status}")
        self._agree_on(tasks, result)
        self._attempt(request.name, result.ended_at, ended=True, result=result)
        if result.failure not in ("attempt_not_recorded", "engine_panic"):
            self._leave(self._agree(lambda side: side.robots_recorded(result), "the state after a robots.txt"))

    def _ask_robots(self) -> None:
        """Of the host itself, or of another host that redirects there."""
        origin = f"http://{NAMES[0] if self._is_crowded else self._a_name()}"
        first = f"http://{self._chance.choice(NAMES)}"
        name, now = name_of(origin), self._clock.now()
        if not self._new.hosts.get(name).has_address(now):
            return self._look_up_name(name)
        self._note("claims" if origin != first else "claims of the host's own", f"{first} at {origin}")
        tasks = self._old.ask_robots(origin, first), self._new.ask_robots(origin, first)
        return self._go_on(Claim(origin, now, tasks))

    def _go_on(self, claim: Claim) -> None:
        what, value = self._agree_on(claim.tasks)
        name, now = name_of(claim.origin), self._clock.now()
        if what == "until" and isinstance(value, float):
            claim.wakes = value
            self._claims.append(claim)
        elif what == "answer":
            self._attempt(name, now, ended=False)
            address = self._new.hosts.get(name).addresses[0]
            self._requests.append(Request(name, address, now, claim.tasks))
        else:
            self._note(f"claims that were {what}")

    def _agree_on(self, tasks: tuple[Task, Task], value: object = None) -> tuple[str, object]:
        old, new = tasks[0].go_on(value), tasks[1].go_on(value)
        if old != new:
            raise Difference(f"a task: {old} → {new} (after {', '.join(self._trace[-8:])})")
        return new

    def _look_up(self) -> None:
        self._look_up_name(self._a_name())

    def _look_up_name(self, name: str) -> None:
        chance = self._chance
        addresses = chance.sample(ADDRESSES, chance.randint(1, len(ADDRESSES)))
        resolved = Resolved(addresses, self._clock.now() + chance.choice((30.0, 3_600.0, DAY)), None)
        if chance.random() < 0.3:
            resolved = Resolved([], 0.0, chance.choice(LOOK_UPS))
        self._note("look-ups", f"{name}: {resolved.failure or len(addresses)}")
        self._agree(lambda side: side.look_up(name, resolved), "the look-up")

    def _change_robots(self) -> None:
        chance, now = self._chance, self._clock.now()
        origin = self._an_origin(self._a_name())
        body = f"User-agent: *\nCrawl-delay: {chance.choice(CRAWL_DELAYS)}\n".encode()
        expires_at = now + chance.choice((-1.0, 100.0, DAY))
        copy = RobotsCopy(origin, now, "parsed", 200, expires_at, body, now)
        if chance.random() < 0.3:
            good_at = chance.choice((None, now))
            copy = RobotsCopy(origin, now, "unreachable", None, expires_at, body if good_at else b"", good_at)
        self._copies[origin] = copy
        self._note("new robots.txt", f"{origin}: {copy.outcome}")
        self._agree(lambda side: side.robots_changed(origin), "the new rules")

    def _heed_known(self) -> None:
        name = self._a_name()
        origin = self._an_origin(name)
        self._note("Crawl-delays", origin)
        self._agree(lambda side: side.heed_known(name, origin), "the Crawl-delay")

    def _obey(self) -> None:
        chance, now = self._chance, self._clock.now()
        paused_until = chance.choice((None, None, now + 50.0, now + 10_000.0, FOREVER))
        order = HostOrder(self._a_name(), now, paused_until, chance.choice((None, 0.5, 5.0, 60.0, 200_000.0)))
        self._note("orders", f"{order.host} {order.paused_until} {order.delay}")
        self._written.add(order)
        self._agree(lambda side: side.obey(order), "the order")

    def _commit(self) -> None:
        self._note("commits")
        for name, state in self._unwritten.items():
            self._written.add(state)
            self._agree(lambda side, name=name: side.saved(name), "what is durable")  # type: ignore[misc]
        self._unwritten.clear()

    def _visit(self) -> None:
        """The turn goes on at another address."""
        pages = [request for request in self._requests if request.tasks is None]
        if not pages:
            return self._look_up()
        request, address = self._chance.choice(pages), self._an_address()
        name, until = request.name, self._clock.now() + self._chance.choice((0.0, 0.05, 10.0))
        tasks = self._old.visit(name, address, until), self._new.visit(name, address, until)
        what, value = self._agree_on(tasks)
        self._note("visits to other addresses", f"{name} at {address}")
        if (what, value) == ("ended", True):
            worked = self._chance.random() < 0.5
            self._agree(lambda side: side.leave(name, address, worked=worked), "the visit's end")
        _close(tasks)
        return None

    def _forget(self) -> None:
        """A host that nobody needs is dropped, and read back."""
        name = self._a_name()
        if not self._new.hosts.get(name).is_needed:
            self._note("hosts forgotten", name)
            self._agree(lambda side: side.forget(name), "who is forgotten")

    def _restart(self) -> None:
        """Killed: what was not committed is lost, and what was under way is known from the attempt records."""
        self._drop_tasks()
        self._unwritten.clear()
        self._runs.append(self._attempts)
        del self._runs[:-3]
        leap = self._chance.choice(LEAPS)
        self._clock.time += self._chance.random() * 10 + leap
        self._note("restarts", f"with the clock set by {leap:.0f} s")
        if leap:
            self.counts["restarts with another clock"] += 1
        self._begin_run()

    def _drop_tasks(self) -> None:
        for tasks in [waiting.tasks for waiting in self._claims] + [request.tasks for request in self._requests]:
            if tasks is not None:
                _close(tasks)

    # What chance gives

    def _a_name(self) -> str:
        self._named_last = self._chance.choice(MORE_OFTEN)
        return self._named_last

    def _an_origin(self, name: str) -> str:
        return f"{self._chance.choice(('http', 'https'))}://{name}"

    def _an_address(self) -> str:
        return self._chance.choice(ADDRESSES)

    def _a_result(self, request: Request, href: str, *, is_page: bool = True) -> Result:
        chance, now = self._chance, self._clock.now()
        self._ticket += 1
        failure = chance.choice(FAILURES) if chance.random() < 0.3 else None
        if failure in UNCONNECTED and not is_page:
            failure = "read_timeout"
        status = chance.choice(self._statuses) if failure is None or chance.random() < 0.3 else None
        if failure in ("attempt_not_recorded", "connection_stale", "engine_panic"):
            status = None
        return Result(
            href=href,
            started_at=min(now, request.began + chance.choice((0.0, 0.01))),
            ended_at=now,
            failure=failure,
            status=status,
            is_redirect=failure is None and status == 301 and chance.random() < 0.8,
            retry_after=chance.choice((None, None, 0.0, 7.0, 120.0, 1e9)),
            wire_bytes=chance.randrange(100_000),
            ticket=self._ticket,
            robots_txt=f"User-agent: *\nCrawl-delay: {chance.choice(CRAWL_DELAYS)}\n".encode(),
            content_type=chance.choice(("text/html", "image/png")),
        )

    def _attempt(self, name: str, at: float, *, ended: bool, result: Result | None = None) -> None:
        sent = result is None or result.failure not in UNCONNECTED
        status = (result.status or 0) if result is not None else 0
        self._attempts.append(Attempt(at, host_hash(name), ended, sent, status))

    def _leave(self, states: object) -> None:
        for state in states if isinstance(states, list) else []:
            self._unwritten[state.host] = state


def _close(tasks: tuple[Task, Task]) -> None:
    for task in tasks:
        task.close()
