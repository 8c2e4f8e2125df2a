"""robots.txt (RFC 9309): what an origin allows, by the copy in force (B1-B4)."""

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache, partial

import msgspec

from hondius.crawler.politeness.asking import Ask, ask_inline
from hondius.crawler.politeness.tdmrep import carry_tdmrep, judge_tdmrep
from hondius.model import RobotsCopy
from hondius.native import Fetched, Robots, Tdmrep
from hondius.usage import join_signals

DAY = 86_400.0
LONGEST_KEPT = DAY
SHORTEST_KEPT = 60.0
GIVEN_UP_AFTER = 30 * DAY
"""Applies if there never was a good copy. A good copy stays in force, however old it is (B2)."""
FIRST_RETRY = 60.0
MOST_ORIGINS = 100_000
MOST_BYTES = 100_000_000
"""Approximate memory of all rules: a robots.txt may have half a megabyte."""
BYTES_A_COPY = 2_000
"""An empty copy takes less. So there are at most fifty thousand copies in memory."""


class Verdict(msgspec.Struct, frozen=True):
    allowed: bool
    line: int
    rule: str
    usage: str | None = None
    """The usage preferences for the path, one a line (W1). They never decide whether it is allowed."""


ALLOWED = Verdict(True, 0, "")
ROBOTS_ITSELF = "/robots.txt"


class Rules:
    """The parsed copy in force for one origin. If `parsed` is None, everything is allowed."""

    __slots__ = ("copy", "crawl_delay", "parsed", "ready_until", "tdmrep")

    def __init__(self, copy: RobotsCopy, agent: str, *, wants_tdmrep: bool = False) -> None:
        """`wants_tdmrep`: pages may be requested only if tdmrep.json was requested before."""
        self.copy = copy
        self.tdmrep = Tdmrep(copy.tdmrep) if copy.tdmrep else None
        self.parsed = Robots(copy.body, agent) if copy.outcome != "none" and copy.good_at is not None else None
        self.crawl_delay = (self.parsed.crawl_delay or 0.0) if self.parsed is not None else 0.0
        self.ready_until = copy.expires_at
        """Until then pages may be requested without another request for robots.txt or tdmrep.json."""
        if wants_tdmrep and not self.is_unreachable:
            asked_at = copy.tdmrep_at
            self.ready_until = 0.0 if asked_at is None else min(copy.expires_at, asked_at + LONGEST_KEPT)

    @property
    def usage_lines(self) -> list[str]:
        """The lines that state usage preferences, for people."""
        robots = self.parsed.usage_lines if self.parsed is not None else []
        return [*robots, *(self.tdmrep.lines if self.tdmrep is not None else [])]

    def with_usage_lines(self) -> "Rules":
        """Adds the lines that state usage preferences to a copy that is about to be recorded."""
        self.copy = msgspec.structs.replace(self.copy, usage="\n".join(self.usage_lines) or None)
        return self

    @property
    def bytes(self) -> int:
        """Approximate memory: the body and its parsed form."""
        tdmrep = self.tdmrep.memory + len(self.copy.tdmrep) if self.tdmrep is not None else 0
        return BYTES_A_COPY + len(self.copy.body) + (self.parsed.memory if self.parsed is not None else 0) + tdmrep

    @property
    def is_unreachable(self) -> bool:
        """No rules are known and none can be fetched: the URLs of this origin wait (F7)."""
        return self.copy.outcome == "unreachable" and self.copy.good_at is None

    def judge(self, path_and_query: str) -> Verdict | None:
        """None if the rules are unknown; the URL waits until they are known."""
        if self.is_unreachable:
            return None
        if path_and_query == ROBOTS_ITSELF:
            return ALLOWED
        stated = self.tdmrep.usage(path_and_query) if self.tdmrep is not None else None
        if self.parsed is None:
            return ALLOWED if stated is None else Verdict(True, 0, "", stated)
        allowed, line, rule = self.parsed.allowed(path_and_query)
        usage = join_signals(self.parsed.usage(path_and_query), stated) if allowed else None
        return Verdict(allowed, line, rule, usage)


class RobotsCache:
    """The rules of every origin whose robots.txt was requested. The most recently used are in memory; the others are
    read from the partition's view when they are needed."""

    def __init__(
        self,
        load: Callable[[str], RobotsCopy | None],
        agent: str,
        most: int | None = None,
        *,
        ask: Ask = ask_inline,
        view_may_know: bool = True,
        wants_tdmrep: bool = False,
    ) -> None:
        """`load` reads the copy from the view, and blocks; `ask` runs it on a thread that may wait. `view_may_know`:
        whether the view may have a copy that is not in memory. `wants_tdmrep`: as in `Rules`."""
        self._wants_tdmrep = wants_tdmrep
        self._load = load
        self._agent = agent
        self._most = MOST_ORIGINS if most is None else most
        self._rules: OrderedDict[str, Rules | None] = OrderedDict()
        """None: the view was read and has no copy."""
        self._bytes = 0
        self._ask = ask
        self._view_may_know = view_may_know

    def read_rules(self, origin: str) -> Rules | None:
        """Blocks if they must be read. On the event loop use `find` or `load`."""
        rules = self.find(origin)
        if rules is not None:
            return rules
        copy = self._load(origin)
        return self._keep(copy) if copy is not None else None

    def find(self, origin: str) -> Rules | None:
        """The rules, if they are in memory."""
        rules = self._rules.get(origin)
        if rules is not None:
            self._rules.move_to_end(origin)
        return rules

    def must_read(self, origin: str) -> bool:
        """Whether the view must be read before it is known if there are rules."""
        return self._view_may_know and origin not in self._rules

    def read(self, origin: str) -> RobotsCopy | None:
        """The copy in the view. Blocks; any thread may call it."""
        return self._load(origin)

    def learn(self, origin: str, copy: RobotsCopy | None) -> None:
        """`copy` has just been read by the holder of the origin's queue. Nobody else can have fetched a newer one
        meanwhile."""
        if origin in self._rules:
            return
        if copy is not None:
            self._keep(copy)
        else:
            self._rules[origin] = None
            self._make_room()

    async def load(self, origin: str) -> Rules | None:
        """The rules, for the holder of the origin's queue."""
        if self.must_read(origin):
            copy = await self._ask(partial(self._load, origin))
            self.learn(origin, copy)
        return self.find(origin)

    async def look_up(self, origin: str) -> Rules | None:
        """The rules, for any other caller. They are not cached: a newer copy may arrive while this one is read."""
        if not self.must_read(origin):
            return self.find(origin)
        copy = await self._ask(partial(self._load, origin))
        return self.find_in_force(origin, self._make_rules(copy) if copy is not None else None)

    def find_in_force(self, origin: str, seen: Rules | None) -> Rules | None:
        """The newer of the rules in memory and the rules that the caller has seen. Rules may leave memory and still be
        in force."""
        newest = self._rules.get(origin)
        if newest is None or seen is None:
            return newest or seen
        return newest if newest.copy.at >= seen.copy.at else seen

    def find_fresh(self, origin: str, now: float) -> Rules | None:
        """The rules in memory, unless they must be fetched (again) before anything is sent."""
        rules = self.find(origin)
        return rules if rules is not None and now < rules.copy.expires_at else None

    def judge(self, origin: str, path_and_query: str, admitted_by: Rules) -> Verdict | None:
        """Called at the moment of sending, with the copy then in force: the one that let the URL in, or a newer one.
        Reads nothing."""
        newest = self._rules.get(origin) or admitted_by
        rules = newest if newest.copy.at >= admitted_by.copy.at else admitted_by
        return rules.judge(path_and_query)

    def accept(
        self,
        origin: str,
        fetched: Fetched | None,
        now: float,
        detail: str = "",
        cause: str = "",
        before: Rules | None = None,
    ) -> Rules:
        """Stores the result of a request for robots.txt. `fetched`: the last answer after redirects, or None if there
        was none; then `cause` says why. `before`: the rules in force at the time of the request; they may not be in
        memory any more."""
        before = self.find_in_force(origin, before)
        copy = judge_robots(origin, fetched, before.copy if before else None, now, detail, cause)
        if before is not None and self._wants_tdmrep:
            copy = carry_tdmrep(copy, before.copy)
        return self._keep(copy).with_usage_lines()

    def accept_imported(self, origin: str, fetched: Fetched) -> Rules:
        """Stores a robots.txt of an imported archive, as of its date. A crawl on the web does not load it."""
        copy = judge_robots(origin, fetched, None, fetched.started_at, "")
        copy = msgspec.structs.replace(copy, expires_at=copy.at, imported=fetched.imported or "")
        return self._keep(copy).with_usage_lines()

    def accept_tdmrep(self, rules: Rules, fetched: Fetched | None, now: float, cause: str = "") -> Rules:
        """Stores the result of a request for tdmrep.json. `rules`: those in force. `fetched` is None if nothing was
        requested; then `cause` says why."""
        return self._keep(judge_tdmrep(rules.copy, fetched, now, cause)).with_usage_lines()

    def parse_usage_lines(self, body: bytes) -> list[str]:
        """The lines of a robots.txt that state usage preferences."""
        return Robots(body, self._agent).usage_lines

    def parse_usage(self, lines: bytes, path_and_query: str) -> str | None:
        """What such lines state about a path."""
        return _parse_lines(lines, self._agent).usage(path_and_query)

    def parse_crawl_delay(self, fetched: Fetched) -> float | None:
        """The Crawl-delay of a robots.txt that was fetched; None if the request failed."""
        if fetched.failure is not None or fetched.status is None or not 200 <= fetched.status < 300:
            return None
        return Robots(fetched.robots_txt or b"", self._agent).crawl_delay or 0.0

    def forget(self, origin: str) -> None:
        """The copy that was just accepted could not be recorded: it is fetched again."""
        if (rules := self._rules.pop(origin, None)) is not None:
            self._bytes -= rules.bytes

    def extend(self, rules: Rules, pause: float) -> Rules:
        """Keeps rules in force for a minute after the pause that their request costs, but no longer than a day.
        Otherwise a host with a long Crawl-delay and a short `max-age` would be asked for nothing but robots.txt."""
        copy = rules.copy
        until = min(pause + SHORTEST_KEPT, copy.at + LONGEST_KEPT)
        if until <= copy.expires_at:
            return rules
        return self._keep(msgspec.structs.replace(copy, expires_at=until))

    def _make_rules(self, copy: RobotsCopy) -> Rules:
        return Rules(copy, self._agent, wants_tdmrep=self._wants_tdmrep)

    def _keep(self, copy: RobotsCopy) -> Rules:
        """The copy in force is kept, however large it is."""
        self.forget(copy.origin)
        rules = self._rules[copy.origin] = self._make_rules(copy)
        self._bytes += rules.bytes
        self._make_room()
        return rules

    def _make_room(self) -> None:
        while len(self._rules) > 1 and (len(self._rules) > self._most or self._bytes > MOST_BYTES):
            _, rules = self._rules.popitem(last=False)
            self._bytes -= rules.bytes if rules is not None else 0
            self._view_may_know = True


@lru_cache(maxsize=64)
def _parse_lines(lines: bytes, agent: str) -> Robots:
    """Pages of one host mostly follow each other."""
    return Robots(b"User-agent: *\n" + lines, agent)


def judge_robots(
    origin: str, fetched: Fetched | None, before: RobotsCopy | None, now: float, detail: str, cause: str = ""
) -> RobotsCopy:
    """The table of B2. `cause` says why nothing was fetched."""
    status = fetched.status if fetched is not None and fetched.failure is None else None
    if fetched is not None and status is not None and 200 <= status < 300:
        return RobotsCopy(
            origin=origin,
            at=now,
            outcome="parsed",
            status=status,
            expires_at=now + _find_lifetime(fetched),
            body=fetched.robots_txt or b"",
            good_at=now,
        )
    if status is not None and 300 <= status < 500 and status != 429:
        return RobotsCopy(origin=origin, at=now, outcome="none", status=status, expires_at=now + LONGEST_KEPT)
    failure = (fetched.failure if fetched is not None else None) or ""
    copy = _make_unreachable(origin, status, before, now, detail or failure or f"status {status}")
    return msgspec.structs.replace(copy, cause=failure or (f"http_{status}" if status is not None else cause))


def ignore_imported(copy: RobotsCopy | None) -> RobotsCopy | None:
    """The copy, unless a stranger may have written it: then nothing is known of the origin."""
    return copy if copy is None or copy.imported is None else None


def _make_unreachable(
    origin: str, status: int | None, before: RobotsCopy | None, now: float, detail: str
) -> RobotsCopy:
    failing_since = before.failing_since if before and before.failing_since is not None else now
    failures = before.failures + 1 if before and before.failing_since is not None else 1
    wait = min(LONGEST_KEPT, FIRST_RETRY * 2 ** min(failures - 1, 20))
    good = before is not None and before.good_at is not None
    gave_up = not good and now - failing_since >= GIVEN_UP_AFTER
    return RobotsCopy(
        origin=origin,
        at=now,
        outcome="none" if gave_up else "unreachable",
        status=status,
        expires_at=now + (LONGEST_KEPT if gave_up else wait),
        body=before.body if before and good else b"",
        good_at=before.good_at if before and good else None,
        failing_since=failing_since,
        failures=failures,
        detail=detail,
    )


def _find_lifetime(fetched: Fetched) -> float:
    """24 hours, or `max-age` if that is shorter."""
    if fetched.max_age is None:
        return LONGEST_KEPT
    return max(SHORTEST_KEPT, min(LONGEST_KEPT, fetched.max_age))
