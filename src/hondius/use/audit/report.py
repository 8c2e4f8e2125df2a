"""What an audit tells: how much was looked at, how many violations of each kind, and the worst cases."""

from collections.abc import Callable
from operator import attrgetter

import msgspec

from hondius.use.audit.gaps import Gaps
from hondius.use.audit.kinds import MEANING, Kind
from hondius.use.audit.rules import TOLERANCE

SHOWN = 5
"""Cases kept of each kind."""
MOST_OF_SITE = 1_000
UTTERLY = float("inf")
"""How much short a request is of something that knows no measure."""


class Case(msgspec.Struct, frozen=True):
    """One request. Where it is no violation it is the one that came closest to it."""

    kind: Kind
    at: float
    host: str
    url: str | None
    needed: float | None
    """Seconds that had to pass, or how many requests at once were allowed."""
    found: float | None
    detail: str = ""

    @property
    def short(self) -> float:
        """What is missing; not above the tolerance where nothing is."""
        if self.needed is None or self.found is None:
            return UTTERLY
        return self.found - self.needed if self.kind is Kind.ADDRESS_CROWD else self.needed - self.found


class Tally(msgspec.Struct):
    kind: Kind
    requirement: str
    specified: str
    checked: int = 0
    violations: int = 0
    worst: list[Case] = []
    """The first is the worst. Violations, or where there are none what came closest."""


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
    """Cut off by a kill, or under way: they count as ended with their run's last sign of life."""
    pushed_back: int = 0
    """Answers 429 and 503."""
    damaged: list[str] = []
    """What is missing or damaged of the records: without them nothing is proven of the requests that they told of."""
    unproven: int = 0
    """Sent in the last moment before a kill: the robots.txt that they were held against died with the process."""
    unnamed: int = 0
    """Requests of which the log has no URL: held against the clocks only."""
    undecided: int = 0
    """What seems wrong, and could be excused by frames of the log that were lost: not judged."""
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
    """Takes what was checked and keeps the worst of it."""

    def __init__(self, gaps: Gaps, site: str | None = None) -> None:
        self._gaps = gaps
        self._site = site
        self.undecided = 0
        self.of_site: list[Case] = []
        """Violations at the host that somebody asked about, also those that are not among the worst."""
        self._floors = dict.fromkeys(Kind, -UTTERLY)
        """What a case must be short of to be among the worst."""
        self._tallies = {kind: Tally(kind, words, where) for kind, (where, words) in MEANING.items()}

    def check(self, kind: Kind, short: float, case: Callable[[], Case], since: float | None = None) -> None:
        """`short` is by how much the rule was missed; what is below the tolerance is no violation. What the lost frames
        of a salvaged log could excuse is not judged; `since` is as in `Gaps.leave_doubt`."""
        if short > TOLERANCE and self._gaps.leave_doubt(kind, case().at, since):
            self.undecided += 1
            return
        tally = self._tallies[kind]
        tally.checked += 1
        if short > TOLERANCE:
            tally.violations += 1
            if self._site is not None and len(self.of_site) < MOST_OF_SITE and (found := case()).host == self._site:
                self.of_site.append(found)
        if short > self._floors[kind]:
            tally.worst = sorted([*tally.worst, case()], key=attrgetter("short"), reverse=True)[:SHOWN]
            if len(tally.worst) == SHOWN:
                self._floors[kind] = tally.worst[-1].short

    def passed(self, kind: Kind) -> None:
        """Something without a measure that is as it must be."""
        self._tallies[kind].checked += 1

    def violated(self, case: Case, since: float | None = None) -> None:
        self.check(case.kind, UTTERLY, lambda: case, since)

    def tallies(self) -> list[Tally]:
        for tally in self._tallies.values():
            if tally.violations:
                tally.worst = [case for case in tally.worst if case.short > TOLERANCE]
        return list(self._tallies.values())
