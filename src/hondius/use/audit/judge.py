"""Checks requests whose URL is known against robots.txt and the blacklist."""

from hondius.model import RobotsCopy, RobotsHop
from hondius.use.audit.clocks import NEVER, HostClock
from hondius.use.audit.facts import Ending
from hondius.use.audit.kinds import Kind
from hondius.use.audit.orders import Orders
from hondius.use.audit.pending_requests import Request
from hondius.use.audit.report import Case, Ledger, Report
from hondius.use.audit.robots import DAY, GRACE, TDMREP_PATH, CopyInForce, RobotsHistory
from hondius.use.audit.rules import TOLERANCE
from hondius.use.audit.shifts import Shifts
from hondius.use.audit.site import Site

NOT_REQUESTED = "robots"
"""The cause of a tdmrep.json that robots.txt forbids."""


class Judge:
    def __init__(
        self, ledger: Ledger, orders: Orders, robots: RobotsHistory, report: Report, site: Site | None, shifts: Shifts
    ) -> None:
        self._ledger = ledger
        self._orders = orders
        self._robots = robots
        self._report = report
        self._site = site
        self._shifts = shifts
        self._redirecting: set[str] = set()
        """Origins whose robots.txt redirects."""

    def judge_request(self, request: Request, href: str) -> None:
        origin, path = split_href(href)
        copy = self._robots.find_in_force(origin, request.at, request.rules.agent)
        self._check_robots(copy, request, origin, path)
        self._check_blacklist(get_host(origin), request.at, href)
        if self._site is not None and request.host == self._site.number:
            asked_for = copy.crawl_delay if copy is not None else 0.0
            self._site.name_request(request, href, asked_for)

    def judge_unfinished(self, request: Request, href: str | None) -> None:
        """The log has no end of the request. A robots.txt that arrived just before a kill may not have been committed.
        Then the rules for the request are unknown, and nothing is proven for or against it."""
        if href is None:
            self._report.unnamed += 1
            return
        origin, _ = split_href(href)
        copy = self._robots.find_in_force(origin, request.at, request.rules.agent)
        known_at = NEVER if copy is None else copy.copy.at
        if request.asked_robots > known_at and (
            copy is None or copy.unreachable or copy.measure_overdue(request.at) > 0
        ):
            self._report.unproven += 1
            return
        self.judge_request(request, href)

    def judge_robots_request(self, host: HostClock) -> None:
        """robots.txt may be requested from any host that is not on the blacklist."""
        self._check_blacklist(host.name, host.started, f"{host.name}/robots.txt")

    def judge_tdmrep_request(self, copy: RobotsCopy, agent: str) -> None:
        """tdmrep.json may be requested only if robots.txt allows it (W1). `copy` is the one that its answer was
        recorded with; older answers are carried by newer copies and were judged before."""
        asked_at = copy.tdmrep_at
        if asked_at is None or asked_at < copy.at or copy.tdmrep_cause == NOT_REQUESTED:
            return None
        in_force = self._robots.find_in_force(copy.origin, asked_at, agent)
        allowed, line, rule = (True, 0, "") if in_force is None else in_force.verdict(TDMREP_PATH)
        if allowed:
            return self._ledger.record_pass(Kind.FORBIDDEN)
        host, url = get_host(copy.origin), copy.origin + TDMREP_PATH
        case = Case(Kind.FORBIDDEN, asked_at, host, url, None, None, f"line {line}: {rule}")
        return self._ledger.record_violation(case, max(copy.at, asked_at - DAY - GRACE))

    def observe_redirect(self, hop: RobotsHop) -> None:
        self._redirecting.add(split_href(hop.source)[0])

    def judge_robots_redirect(self, hop: RobotsHop, agent: str) -> None:
        """A redirect of robots.txt to another site may be followed only if the known rules of that site allow it."""
        origin, path = split_href(hop.href)
        copy = self._robots.find_in_force(origin, hop.at, agent)
        if origin == split_href(hop.source)[0] or copy is None or copy.unreachable:
            return None
        allowed, line, rule = copy.verdict(path)
        if allowed or self._may_have_arrived_late(copy, origin, path, hop.at):
            return self._ledger.record_pass(Kind.FORBIDDEN)
        detail = f"line {line}: {rule}; {hop.source} redirected to it"
        case = Case(Kind.FORBIDDEN, hop.at, get_host(origin), hop.href, None, None, detail)
        return self._ledger.record_violation(case, max(copy.copy.at, hop.at - DAY - GRACE))

    def _may_have_arrived_late(self, copy: CopyInForce, origin: str, path: str, hop_at: float) -> bool:
        """A copy that came from another host by a redirect may arrive while a connection is being made. A copy from the
        host itself cannot: a host gets one request at a time."""
        if origin not in self._redirecting or copy.copy.at < hop_at - GRACE:
            return False
        before = self._robots.find_in_force(origin, copy.copy.at - TOLERANCE, copy.agent)
        return before is None or before.unreachable or before.verdict(path)[0]

    def judge_record(self, ending: Ending, request: Request | None) -> None:
        if request is not None:
            return self._ledger.record_pass(Kind.UNRECORDED)
        at = ending.started_at or ending.ended_at
        detail = f"the log has its answer, status {ending.status}"
        return self._ledger.record_violation(Case(Kind.UNRECORDED, at, ending.host, ending.url, None, None, detail))

    def _check_robots(self, copy: CopyInForce | None, request: Request, origin: str, path: str) -> None:
        longest = request.at - DAY - GRACE
        since = longest if copy is None else max(copy.copy.at, longest)

        def report_violation(kind: Kind, detail: str) -> None:
            case = Case(kind, request.at, get_host(origin), origin + path, None, None, detail)
            self._ledger.record_violation(case, since)

        if copy is None:
            return report_violation(Kind.ROBOTS_UNKNOWN, "no earlier copy is known")
        self._ledger.record_pass(Kind.ROBOTS_UNKNOWN)
        if copy.unreachable:
            return report_violation(Kind.ROBOTS_UNREACHABLE, "it could not be fetched, and there was no good copy")
        self._ledger.record_pass(Kind.ROBOTS_UNREACHABLE)
        if copy.measure_overdue(request.at) > self._shifts.between(copy.copy.at, request.at):
            report_violation(Kind.ROBOTS_EXPIRED, f"the copy was {request.at - copy.copy.at:,.0f} s old")
        else:
            self._ledger.record_pass(Kind.ROBOTS_EXPIRED)
        allowed, line, rule = copy.verdict(path)
        if allowed:
            self._ledger.record_pass(Kind.FORBIDDEN)
        else:
            report_violation(Kind.FORBIDDEN, f"line {line}: {rule}")
        return self._check_crawl_delay(copy, request, origin, path, since)

    def _check_crawl_delay(self, copy: CopyInForce, request: Request, origin: str, path: str, since: float) -> None:
        needed = copy.crawl_delay
        if not needed or not request.rules.has_waits or request.rested == float("inf"):
            return
        self._ledger.check(
            Kind.CRAWL_DELAY,
            needed - request.rested,
            lambda: Case(Kind.CRAWL_DELAY, request.at, get_host(origin), origin + path, needed, request.rested),
            since,
        )

    def _check_blacklist(self, host: str, at: float, url: str) -> None:
        entry = self._orders.find_blacklisting(host, at)
        if entry is None:
            return self._ledger.record_pass(Kind.BLACKLISTED) if self._orders.has_blacklist else None
        detail = f"{entry.domain}: {entry.reason}"
        return self._ledger.record_violation(Case(Kind.BLACKLISTED, at, host, url, None, None, detail))


def split_href(href: str) -> tuple[str, str]:
    """Splits into origin and path with query. An href in the log always has both."""
    end = href.find("/", href.find("://") + 3)
    return (href, "/") if end < 0 else (href[:end], href[end:])


def get_host(origin: str) -> str:
    name = origin.partition("://")[2]
    host = name if name.endswith("]") else name.rpartition(":")[0] or name
    return host.rstrip(".")
