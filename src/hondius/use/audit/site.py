"""The report for the owner of a site: when and how often we came, the robots.txt we used, and whom to contact."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

import msgspec

from hondius.model import AnyEvent, Finished, RobotsCopy, State
from hondius.native import Robots, Tdmrep
from hondius.usage import judge_usage, parse_signals
from hondius.use.audit.clocks import NEVER, HostClock
from hondius.use.audit.pending_requests import Request
from hondius.use.audit.report import Case, Report
from hondius.use.audit.rules import PRODUCT, Rules
from hondius.use.audit.shifts import AnyAttempt

MAX_VISITS = 200_000
"""Requests kept in memory, the newest; all are counted."""
SHOWN_BLOCKED = 20
MAX_USAGES = 1_000
"""Different sets of signals that are told apart."""
OTHER_USAGE = "other signals"
"""Stands for the sets above that number."""
LONGEST_COPY = 20_000
"""Characters shown of a robots.txt."""


class Visit(msgspec.Struct):
    at: float
    kind: str
    pause: float | None
    """Seconds since the previous request ended; None for the first."""
    needed: float | None
    """The shortest pause allowed; None if waiting was turned off."""
    ended_at: float | None = None
    status: int | None = None
    url: str | None = None


class BlockedUrl(msgspec.Struct, frozen=True):
    url: str
    line: int
    rule: str


class ShownCopy(msgspec.Struct, frozen=True):
    """A robots.txt as received, and the time when it expired."""

    origin: str
    at: float
    outcome: str
    status: int | None
    expires_at: float
    crawl_delay: float | None
    text: str
    usage: list[str] = []
    """Its lines that state usage preferences for us, and the rules of the tdmrep.json that belongs to it."""


class PagesOfUsage(msgspec.Struct, frozen=True):
    """Pages with the same usage preferences (W3)."""

    signals: list[str]
    """Empty: the owner stated nothing."""
    pages: int
    """How often such a page was fetched."""
    uses: dict[str, str]
    """For each use: allowed, reserved or unstated."""


class SiteReport(msgspec.Struct, frozen=True):
    host: str
    agent: str
    contact: str
    requests: int
    kinds: dict[str, int]
    statuses: dict[str, int]
    first_at: float | None
    last_at: float | None
    shortest_pause: float | None
    median_pause: float | None
    busiest_hour: tuple[float, int] | None
    """Its start, and its number of requests."""
    robots: list[ShownCopy]
    forbidden: int
    """Known URLs that were not requested because robots.txt forbids it."""
    forbidden_examples: list[BlockedUrl]
    violations: list[Case]
    visits: list[Visit]
    usage: list[PagesOfUsage] = []
    """The most frequent first. Empty if no page has any signal."""


class Site:
    """Collects what concerns one host during the audit."""

    def __init__(self, host: str, number: int) -> None:
        self.host = host.lower()
        self.number = number
        self._visits: list[Visit] = []
        self._by_start: dict[float, Visit] = {}
        self._kinds: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._hours: Counter[int] = Counter()
        self._shortest = float("inf")
        self._first: float | None = None
        self._last: float | None = None
        self._forbidden = 0
        self._examples: list[BlockedUrl] = []
        self._usage: Counter[str | None] = Counter()

    def observe(self, event: AnyEvent) -> None:
        if not isinstance(event, Finished) or event.host != self.host:
            return
        if event.state is State.BLOCKED:
            self._forbidden += 1
            if len(self._examples) < SHOWN_BLOCKED:
                self._examples.append(BlockedUrl(event.url, event.rule_line, event.detail))
        elif event.state in (State.COMPLETED, State.DUPLICATE):
            is_shown = event.usage in self._usage or len(self._usage) < MAX_USAGES
            self._usage[event.usage if is_shown else OTHER_USAGE] += 1

    def record_attempt(self, attempt: AnyAttempt, clock: HostClock, rules: Rules) -> None:
        if attempt.ended:
            self._record_end(attempt)
            return
        pause = None if clock.ended == NEVER else attempt.at - clock.ended
        needed = rules.compute_pause(clock.duration) if rules.has_waits and pause is not None else None
        self._visits.append(Visit(attempt.at, attempt.kind, pause, needed))
        if len(self._visits) > MAX_VISITS:
            del self._visits[: MAX_VISITS // 10]
        if attempt.kind != "robots":
            self._by_start[attempt.at] = self._visits[-1]
        self._kinds[attempt.kind] += 1
        self._hours[int(attempt.at // 3600)] += 1
        self._shortest = min(self._shortest, self._shortest if pause is None else pause)
        self._first = attempt.at if self._first is None else self._first
        self._last = attempt.at

    def name_request(self, request: Request, href: str, crawl_delay: float) -> None:
        visit = self._by_start.pop(request.at, None)
        if visit is not None:
            visit.url = href
            visit.needed = None if visit.needed is None else max(visit.needed, crawl_delay)

    def report(self, report: Report, copies: Sequence[RobotsCopy], violations: list[Case], contact: str) -> SiteReport:
        agent = report.runs[-1].agent if report.runs else PRODUCT
        pauses = [visit.pause for visit in self._visits if visit.pause is not None]
        busiest = self._hours.most_common(1)
        return SiteReport(
            host=self.host,
            agent=agent,
            contact=contact,
            requests=self._kinds.total(),
            kinds=dict(self._kinds),
            statuses=dict(sorted(self._statuses.items())),
            first_at=self._first,
            last_at=self._last,
            shortest_pause=None if self._shortest == float("inf") else self._shortest,
            median_pause=median(pauses) if pauses else None,
            busiest_hour=(busiest[0][0] * 3600.0, busiest[0][1]) if busiest else None,
            robots=[
                ShownCopy(
                    copy.origin,
                    copy.at,
                    copy.outcome,
                    copy.status,
                    copy.expires_at,
                    Robots(copy.body, agent).crawl_delay,
                    copy.body.decode("utf-8", "replace")[:LONGEST_COPY],
                    [*Robots(copy.body, agent).usage_lines, *Tdmrep(copy.tdmrep).lines],
                )
                for copy in copies
            ],
            forbidden=self._forbidden,
            forbidden_examples=self._examples,
            violations=violations,
            visits=self._visits,
            usage=self._list_usages(),
        )

    def _list_usages(self) -> list[PagesOfUsage]:
        if set(self._usage) <= {None}:
            return []
        return [
            PagesOfUsage(
                [str(signal) for signal in parse_signals(usage)],
                count,
                {str(use): str(judgement.stance) for use, judgement in judge_usage(usage).items()},
            )
            for usage, count in self._usage.most_common()
        ]

    def _record_end(self, attempt: AnyAttempt) -> None:
        self._statuses[str(attempt.status) if attempt.status else "no answer"] += 1
        visit = self._visits[-1] if self._visits else None
        if visit is not None and visit.ended_at is None:
            visit.ended_at, visit.status = attempt.at, attempt.status or None
