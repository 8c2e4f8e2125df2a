"""The report of an audit: what was checked, the violations of each kind, and the worst cases."""

from collections.abc import Callable
from operator import attrgetter

import msgspec

from hondius.use.audit.gaps import Gaps
from hondius.use.audit.kinds import MEANING, Kind
from hondius.use.audit.rules import TOLERANCE

SHOWN = 5
"""Cases kept of each kind."""
MAX_OF_SITE = 1_000
UNBOUNDED = float("inf")
"""The shortfall of a violation that has no measure."""


class Case(msgspec.Struct, frozen=True):
    """One request: a violation, or the request that came closest to one."""

    kind: Kind
    at: float
    host: str
    url: str | None
    needed: float | None
    """Seconds that had to pass, or concurrent requests that were allowed."""
    found: float | None
    detail: str = ""

    @property
    def short(self) -> float:
        """The shortfall; not above the tolerance if there is no violation."""
        if self.needed is None or self.found is None:
            return UNBOUNDED
        return self.found - self.needed if self.kind is Kind.ADDRESS_CROWD else self.needed - self.found


class Tally(msgspec.Struct):
    kind: Kind
    requirement: str
    specified: str
    checked: int = 0
    violations: int = 0
    worst: list[Case] = []
    """The worst first: violations, or the closest cases if there are none."""


class Run(msgspec.Struct, frozen=True):
    started_at: float
    version: str
    agent: str
    delay: float
    rules_recorded: bool


class Report(msgspec.Struct):
    requests: int = 0
    hosts: int = 0
    runs: list[Run] = []
    first_at: float | None = None
    last_at: float | None = None
    without_end: int = 0
    """Cut off by a kill, or in progress: they count as ended with the last activity of their run."""
    pushed_back: int = 0
    """Answers with status 429 or 503."""
    damaged: list[str] = []
    """Missing or damaged attempt records: nothing is proven about their requests."""
    unproven: int = 0
    """Sent just before a kill: the robots.txt that allowed them was lost with the process."""
    unnamed: int = 0
    """Requests whose URL is not in the log: only their times were checked."""
    imported: int = 0
    """Answers that come from archives of others (S11): no request was sent for them."""
    undecided: int = 0
    """Possible violations that lost frames of the log could justify: not judged."""
    tallies: list[Tally] = []
    notes: list[str] = []
    seconds: float = 0.0

    @property
    def violations(self) -> int:
        return sum(tally.violations for tally in self.tallies)

    @property
    def clean(self) -> bool:
        return self.violations == 0


class Ledger:
    """Counts checks, and keeps the worst cases."""

    def __init__(self, gaps: Gaps, site: str | None = None) -> None:
        self._gaps = gaps
        self._site = site
        self.undecided = 0
        self.of_site: list[Case] = []
        """Violations at the host of the site report, also those that are not among the worst."""
        self._floors = dict.fromkeys(Kind, -UNBOUNDED)
        """The shortfall that a case must exceed to be among the worst."""
        self._tallies = {kind: Tally(kind, words, where) for kind, (where, words) in MEANING.items()}

    def check(self, kind: Kind, short: float, case: Callable[[], Case], since: float | None = None) -> None:
        """`short` is the shortfall; up to the tolerance it is not a violation. Cases that lost frames of a salvaged log
        could justify are not judged; for `since` see `Gaps.leaves_doubt`."""
        if short > TOLERANCE and self._gaps.leaves_doubt(kind, case().at, since):
            self.undecided += 1
            return
        tally = self._tallies[kind]
        tally.checked += 1
        if short > TOLERANCE:
            tally.violations += 1
            if self._site is not None and len(self.of_site) < MAX_OF_SITE and (found := case()).host == self._site:
                self.of_site.append(found)
        if short > self._floors[kind]:
            tally.worst = sorted([*tally.worst, case()], key=attrgetter("short"), reverse=True)[:SHOWN]
            if len(tally.worst) == SHOWN:
                self._floors[kind] = tally.worst[-1].short

    def record_pass(self, kind: Kind) -> None:
        """Counts a check without a measure that found no violation."""
        self._tallies[kind].checked += 1

    def record_violation(self, case: Case, since: float | None = None) -> None:
        self.check(case.kind, UNBOUNDED, lambda: case, since)

    def list_tallies(self) -> list[Tally]:
        for tally in self._tallies.values():
            if tally.violations:
                tally.worst = [case for case in tally.worst if case.short > TOLERANCE]
        return list(self._tallies.values())
