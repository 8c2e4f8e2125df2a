"""Puts the two witnesses together."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from hondius.advice import command
from hondius.errors import BadDirectory
from hondius.model import AnyEvent, HostState, RobotsCopy, RobotsHop, RunStarted
from hondius.ports import Log
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.opening import open_log
from hondius.use.audit.clocks import Clocks
from hondius.use.audit.facts import Ending, Fact, Facts
from hondius.use.audit.gaps import Gaps
from hondius.use.audit.judge import Judge, host_of
from hondius.use.audit.kinds import Kind
from hondius.use.audit.names import Names, Request
from hondius.use.audit.orders import Orders, hash_of
from hondius.use.audit.records import Records
from hondius.use.audit.report import Case, Ledger, Report, Run
from hondius.use.audit.robots import Shelf
from hondius.use.audit.rules import UNKNOWN, Rules
from hondius.use.audit.shifts import AnyAttempt, Shifts, shift_attempt
from hondius.use.audit.site import Site, SiteReport


def audit_crawl(directory: Path, site: str | None = None, contact: str = "") -> tuple[Report, SiteReport | None]:
    """Reads only, and while the crawl runs too: up to the last whole frame, and the records before it."""
    if not (directory / "log").is_dir():
        start = command("crawl", "URL", "--into", "NEW")
        raise BadDirectory(f"{directory} holds no crawl: name the directory of one, or start one with {start}")
    began = time.monotonic()
    with closing(EmbeddedDisk(directory)) as disk, _scratch() as database:
        # The records first: whatever they tell of then has a log that is as new or newer.
        records = Records(disk)
        audit = Audit(records, open_log(disk, read_only=True), database, site)
        report = audit.run()
        report.seconds = time.monotonic() - began
        return report, audit.site_report(report, contact)


@contextmanager
def _scratch() -> Iterator[apsw.Connection]:
    with tempfile.TemporaryDirectory(prefix="hondius-audit-") as name:
        database = apsw.Connection(str(Path(name) / "audit.db"))
        database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; BEGIN")
        try:
            yield database
        finally:
            database.close()


class Audit:
    def __init__(self, records: Records, log: Log, database: apsw.Connection, site: str | None) -> None:
        self.shelf = Shelf(database)
        self.site = Site(site, hash_of(site)) if site is not None else None
        self._records = records
        self._log = log
        self._gaps = Gaps()
        self._ledger = Ledger(self._gaps, self.site.host if self.site else None)
        self._orders = Orders()
        self._clocks = Clocks(self._ledger, self._orders)
        if self.site is not None:
            self._clocks.of(self.site.number).name = self.site.host
        self._names = Names(database)
        self._report = Report()
        shifts = Shifts()
        self._judge = Judge(self._ledger, self._orders, self.shelf, self._report, self.site, shifts)
        self._facts = Facts(log, self._hear, self._gaps, shifts)
        self._rules = UNKNOWN
        self._unruled = 0

    def run(self) -> Report:
        current, shift, last = 0, 0.0, float("-inf")
        for recorded_at, run, attempt in self._records:
            if run != current:
                before, current = shift, run
                shift = self._facts.enter(run, recorded_at, last)
                if shift > before:
                    self._clocks.clock_was_set_back()
            last = recorded_at + shift
            for fact in self._facts.until(last):
                self._take(fact)
            self._follow(last, run, shift_attempt(attempt, shift))
        for fact in self._facts.rest():
            self._take(fact)
        for request, href in self._names.rest(self._log):
            self._judge.unfinished(request, href)
        return self._concluded()

    def site_report(self, report: Report, contact: str) -> SiteReport | None:
        if self.site is None:
            return None
        return self.site.report(report, self.shelf.history(self.site.host), self._ledger.of_site, contact)

    def _hear(self, event: AnyEvent, committed: float) -> None:
        if isinstance(event, RobotsCopy):
            self.shelf.keep(event)
        elif isinstance(event, RobotsHop):
            self._judge.hear_redirect(event)
        else:
            self._orders.hear(event, committed)
        if self.site is not None:
            self.site.hear(event)

    def _take(self, fact: Fact) -> None:
        match fact:
            case HostState():
                clock = self._clocks.of(hash_of(fact.host))
                clock.name = clock.name or fact.host
                self._clocks.learn(fact, clock)
            case Ending():
                self._ended(fact)
            case RobotsCopy():
                clock = self._clocks.of(hash_of(host_of(fact.origin)))
                clock.name = clock.name or host_of(fact.origin)
                self._judge.robots_asked(clock)
            case RobotsHop():
                self._judge.robots_redirected(fact, self._rules.agent)
            case RunStarted():
                self._rules = Rules.of(fact)
                self._gaps.run_started = fact.at
                run = Run(fact.at, fact.version, self._rules.agent, self._rules.delay, self._rules.recorded)
                self._report.runs.append(run)

    def _ended(self, ending: Ending) -> None:
        request = self._names.tell(ending)
        if request is not None:
            self._clocks.told_of_end(request.host, request.key, request.at, ending.ended_at)
            self._judge.named(request, ending.url)
        if ending.status is not None:
            self._judge.recorded(ending, request)

    def _follow(self, at: float, run: int, attempt: AnyAttempt) -> None:
        clocks = self._clocks
        if attempt.ended:
            clocks.end(attempt, run, self._rules)
        else:
            rested = clocks.start(attempt, run, self._rules)
            if attempt.sent:
                self._sent(at, attempt, rested)
        clocks.sign_of_life(run, at)
        if self.site is not None and attempt.sent and attempt.host_hash == self.site.number:
            self.site.follow(attempt, clocks.of(attempt.host_hash), self._rules)

    def _sent(self, at: float, attempt: AnyAttempt, rested: float) -> None:
        report = self._report
        report.requests += 1
        self._unruled += self._rules is UNKNOWN
        report.first_at = at if report.first_at is None else report.first_at
        report.last_at = at
        if attempt.kind != "robots":
            asked = self._clocks.of(attempt.host_hash).asked_robots
            self._names.expect(Request(at, attempt.key, attempt.host_hash, rested, asked, self._rules))

    def _concluded(self) -> Report:
        report = self._report
        self._clocks.finish()
        report.damaged = self._records.wrong(len(report.runs))
        for place in report.damaged:
            self._ledger.violated(Case(Kind.DAMAGED, report.last_at or 0.0, "", None, None, None, place))
        report.hosts = sum(clock.run > 0 for clock in self._clocks.hosts.values())
        report.without_end = self._clocks.without_end
        report.pushed_back = self._clocks.pushed_back
        report.tallies = self._ledger.tallies()
        report.undecided = self._ledger.undecided
        report.notes = list(_notes(report, self._unruled, self._gaps.frames, self._facts.steps))
        return report


def _notes(report: Report, unruled: int, lost: int, steps: int) -> Iterator[str]:
    if steps:
        times = "once" if steps == 1 else f"{steps:,} times"
        yield f"the machine's clock was set back {times} between two runs: later times are shown as if it had not been"
    if lost:
        frames = f"{lost:,} frame{'' if lost == 1 else 's'} of the log {'was' if lost == 1 else 'were'} lost (salvaged)"
        more = f" Not judged for that: {report.undecided:,} checks." if report.undecided else ""
        yield f"{frames}: what {'it' if lost == 1 else 'they'} told is not known.{more}"
    if unruled:
        yield f"of a run whose start the log does not tell, the pauses are not judged: {_requests(unruled)}"
    if any(run.delay == 0 for run in report.runs):
        some = "in runs" if any(run.delay for run in report.runs) else "in this crawl"
        yield f"{some} with a delay of 0 the waits of P1, P2 and P3 were switched off and are not judged"
    if any(not run.rules_recorded for run in report.runs):
        yield "some runs are older than the record of their rules: the defaults of the specification were assumed"
    if report.unproven:
        yield (
            f"sent in the last moment before a kill: {_requests(report.unproven)}; "
            "the robots.txt that decided died with the process"
        )
    if report.unnamed:
        yield f"without a URL in the log, and held against the clocks only: {_requests(report.unnamed)}"


def _requests(count: int) -> str:
    return f"{count:,} request{'' if count == 1 else 's'}"
