"""Combines the attempt records and the log."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from hondius.errors import BadDirectory
from hondius.hints import quote_command
from hondius.model import AnyEvent, HostState, RobotsCopy, RobotsHop, RunStarted
from hondius.ports import Log
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.opening import open_log
from hondius.use.audit.clocks import Clocks
from hondius.use.audit.facts import Ending, Fact, Facts
from hondius.use.audit.gaps import Gaps
from hondius.use.audit.judge import Judge, get_host
from hondius.use.audit.kinds import Kind
from hondius.use.audit.orders import Orders, hash_host
from hondius.use.audit.pending_requests import PendingRequests, Request
from hondius.use.audit.records import Records
from hondius.use.audit.report import Case, Ledger, Report, Run
from hondius.use.audit.robots import RobotsHistory
from hondius.use.audit.rules import UNKNOWN, Rules
from hondius.use.audit.shifts import AnyAttempt, Shifts, shift_attempt
from hondius.use.audit.site import Site, SiteReport


def audit_crawl(directory: Path, site: str | None = None, contact: str = "") -> tuple[Report, SiteReport | None]:
    """Only reads, also while the crawl runs: up to the last complete frame, and the records before it."""
    if not (directory / "log").is_dir():
        start = quote_command("crawl", "URL", "--into", "NEW")
        raise BadDirectory(f"{directory} holds no crawl: name the directory of one, or start one with {start}")
    began = time.monotonic()
    with closing(EmbeddedDisk(directory)) as disk, _open_scratch() as database:
        # Read the records first, so that the log is at least as new as they are.
        records = Records(disk)
        audit = Audit(records, open_log(disk, read_only=True), database, site)
        report = audit.run()
        report.seconds = time.monotonic() - began
        return report, audit.site_report(report, contact)


@contextmanager
def _open_scratch() -> Iterator[apsw.Connection]:
    with tempfile.TemporaryDirectory(prefix="hondius-audit-") as name:
        database = apsw.Connection(str(Path(name) / "audit.db"))
        database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; BEGIN")
        try:
            yield database
        finally:
            database.close()


class Audit:
    def __init__(self, records: Records, log: Log, database: apsw.Connection, site: str | None) -> None:
        self.robots = RobotsHistory(database)
        self.site = Site(site, hash_host(site)) if site is not None else None
        self._records = records
        self._log = log
        self._gaps = Gaps()
        self._ledger = Ledger(self._gaps, self.site.host if self.site else None)
        self._orders = Orders()
        self._clocks = Clocks(self._ledger, self._orders)
        if self.site is not None:
            self._clocks.get(self.site.number).name = self.site.host
        self._pending = PendingRequests(database)
        self._report = Report()
        shifts = Shifts()
        self._judge = Judge(self._ledger, self._orders, self.robots, self._report, self.site, shifts)
        self._facts = Facts(log, self._observe, self._gaps, shifts)
        self._rules = UNKNOWN
        self._without_rules = 0

    def run(self) -> Report:
        current, shift, last = 0, 0.0, float("-inf")
        for recorded_at, run, attempt in self._records:
            if run != current:
                before, current = shift, run
                shift = self._facts.enter_run(run, recorded_at, last)
                if shift > before:
                    self._clocks.forget_address_times()
            last = recorded_at + shift
            for fact in self._facts.read_until(last):
                self._process_fact(fact)
            self._process_attempt(last, run, shift_attempt(attempt, shift))
        for fact in self._facts.read_rest():
            self._process_fact(fact)
        for request, href in self._pending.match_rest(self._log):
            self._judge.judge_unfinished(request, href)
        return self._conclude()

    def site_report(self, report: Report, contact: str) -> SiteReport | None:
        if self.site is None:
            return None
        return self.site.report(report, self.robots.list_copies(self.site.host), self._ledger.of_site, contact)

    def _observe(self, event: AnyEvent, committed: float) -> None:
        if isinstance(event, RobotsCopy):
            if event.imported is None:  # others justify no request
                self.robots.add(event)
        elif isinstance(event, RobotsHop):
            self._judge.observe_redirect(event)
        else:
            self._orders.observe(event, committed)
        if self.site is not None:
            self.site.observe(event)

    def _process_fact(self, fact: Fact) -> None:
        match fact:
            case HostState():
                clock = self._clocks.get(hash_host(fact.host))
                clock.name = clock.name or fact.host
                self._clocks.update(fact, clock)
            case Ending():
                self._process_ending(fact)
            case RobotsCopy():
                clock = self._clocks.get(hash_host(get_host(fact.origin)))
                clock.name = clock.name or get_host(fact.origin)
                self._judge.judge_robots_request(clock)
                self._judge.judge_tdmrep_request(fact, self._rules.agent)
            case RobotsHop():
                self._judge.judge_robots_redirect(fact, self._rules.agent)
            case RunStarted():
                self._rules = Rules.of(fact)
                self._gaps.run_started = fact.at
                run = Run(fact.at, fact.version, self._rules.agent, self._rules.delay, self._rules.recorded)
                self._report.runs.append(run)

    def _process_ending(self, ending: Ending) -> None:
        request = self._pending.match_ending(ending)
        if request is not None:
            self._clocks.record_end_from_log(request.host, request.key, request.at, ending.ended_at)
            self._judge.judge_request(request, ending.url)
        if ending.status is not None:
            self._judge.judge_record(ending, request)

    def _process_attempt(self, at: float, run: int, attempt: AnyAttempt) -> None:
        clocks = self._clocks
        if attempt.ended:
            clocks.end(attempt, run, self._rules)
        else:
            rested = clocks.start(attempt, run, self._rules)
            if attempt.sent:
                self._count_request(at, attempt, rested)
        clocks.record_activity(run, at)
        if self.site is not None and attempt.sent and attempt.host_hash == self.site.number:
            self.site.record_attempt(attempt, clocks.get(attempt.host_hash), self._rules)

    def _count_request(self, at: float, attempt: AnyAttempt, rested: float) -> None:
        report = self._report
        report.requests += 1
        self._without_rules += self._rules is UNKNOWN
        report.first_at = at if report.first_at is None else report.first_at
        report.last_at = at
        if attempt.kind != "robots":
            asked = self._clocks.get(attempt.host_hash).asked_robots
            self._pending.add(Request(at, attempt.key, attempt.host_hash, rested, asked, self._rules))

    def _conclude(self) -> Report:
        report = self._report
        self._clocks.finish()
        report.damaged = self._records.list_damage(len(report.runs))
        for place in report.damaged:
            self._ledger.record_violation(Case(Kind.DAMAGED, report.last_at or 0.0, "", None, None, None, place))
        report.hosts = sum(clock.run > 0 for clock in self._clocks.hosts.values())
        report.without_end = self._clocks.without_end
        report.pushed_back = self._clocks.pushed_back
        report.tallies = self._ledger.list_tallies()
        report.undecided = self._ledger.undecided
        report.imported = self._facts.imported
        report.notes = list(_list_notes(report, self._without_rules, self._gaps.frames, self._facts.steps))
        return report


def _list_notes(report: Report, unruled: int, lost: int, steps: int) -> Iterator[str]:
    if report.imported:
        answers = "1 answer comes" if report.imported == 1 else f"{report.imported:,} answers come"
        yield f"{answers} from imported archives: this crawl sent no request for them, and how others did is unknown"
    if steps:
        times = "once" if steps == 1 else f"{steps:,} times"
        yield f"the machine's clock was set back {times} between two runs: later times are shown as if it had not been"
    if lost:
        frames = f"{lost:,} frame{'' if lost == 1 else 's'} of the log {'was' if lost == 1 else 'were'} lost (salvaged)"
        more = f" Not judged for that: {report.undecided:,} checks." if report.undecided else ""
        yield f"{frames}: their content is unknown.{more}"
    if unruled:
        yield f"the log has no start of their run, so their delays are not judged: {_format_requests(unruled)}"
    if any(run.delay == 0 for run in report.runs):
        some = "in runs" if any(run.delay for run in report.runs) else "in this crawl"
        yield f"{some} with a delay of 0, the waits of P1, P2 and P3 were off and are not judged"
    if any(not run.rules_recorded for run in report.runs):
        yield "some runs did not record their rules: the defaults of the specification were assumed"
    if report.unproven:
        yield (
            f"sent just before a kill: {_format_requests(report.unproven)}; "
            "the robots.txt that allowed them was lost with the process"
        )
    if report.unnamed:
        have = "has" if report.unnamed == 1 else "have"
        yield f"{_format_requests(report.unnamed)} {have} no URL in the log, so only the times were checked"


def _format_requests(count: int) -> str:
    return f"{count:,} request{'' if count == 1 else 's'}"
