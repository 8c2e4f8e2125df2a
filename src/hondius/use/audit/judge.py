"""A request whose URL is known, held against robots.txt and the blacklist."""

from hondius.model import RobotsHop
from hondius.use.audit.clocks import NEVER, HostClock
from hondius.use.audit.facts import Ending
from hondius.use.audit.kinds import Kind
from hondius.use.audit.names import Request
from hondius.use.audit.orders import Orders
from hondius.use.audit.report import Case, Ledger, Report
from hondius.use.audit.robots import DAY, GRACE, InForce, Shelf
from hondius.use.audit.rules import TOLERANCE
from hondius.use.audit.shifts import Shifts
from hondius.use.audit.site import Site


class Judge:
    def __init__(
        self, ledger: Ledger, orders: Orders, shelf: Shelf, report: Report, site: Site | None, shifts: Shifts
    ) -> None:
        self._ledger = ledger
        self._orders = orders
        self._shelf = shelf
        self._report = report
        self._site = site
        self._shifts = shifts
        self._redirecting: set[str] = set()
        """Origins whose robots.txt redirected."""

    def named(self, request: Request, href: str) -> None:
        origin, path = split(href)
        copy = self._shelf.in_force(origin, request.at, request.rules.agent)
        self._held_against(copy, request, origin, path)
        self._not_blacklisted(host_of(origin), request.at, href)
        if self._site is not None and request.host == self._site.number:
            asked_for = copy.crawl_delay if copy is not None else 0.0
            self._site.name(request, href, asked_for)

    def unfinished(self, request: Request, href: str | None) -> None:
        """No event tells how it ended. A robots.txt that came in the last moment of its run may never have been
        committed; then what it was held against is not known, and nothing is proven for or against it."""
        if href is None:
            self._report.unnamed += 1
            return
        origin, _ = split(href)
        copy = self._shelf.in_force(origin, request.at, request.rules.agent)
        known_at = NEVER if copy is None else copy.copy.at
        if request.asked_robots > known_at and (copy is None or copy.unreachable or copy.expired(request.at) > 0):
            self._report.unproven += 1
            return
        self.named(request, href)

    def robots_asked(self, host: HostClock) -> None:
        """robots.txt may be asked for at any host but one on the blacklist."""
        self._not_blacklisted(host.name, host.started, f"{host.name}/robots.txt")

    def hear_redirect(self, hop: RobotsHop) -> None:
        self._redirecting.add(split(hop.source)[0])

    def robots_redirected(self, hop: RobotsHop, agent: str) -> None:
        """A robots.txt may redirect to another site only where the rules that are known of that site allow it."""
        origin, path = split(hop.href)
        copy = self._shelf.in_force(origin, hop.at, agent)
        if origin == split(hop.source)[0] or copy is None or copy.unreachable:
            return None
        allowed, line, rule = copy.verdict(path)
        if allowed or self._may_have_come_too_late(copy, origin, path, hop.at):
            return self._ledger.passed(Kind.FORBIDDEN)
        detail = f"line {line}: {rule}; {hop.source} redirected to it"
        case = Case(Kind.FORBIDDEN, hop.at, host_of(origin), hop.href, None, None, detail)
        return self._ledger.violated(case, max(copy.copy.at, hop.at - DAY - GRACE))

    def _may_have_come_too_late(self, copy: InForce, origin: str, path: str, hop_at: float) -> bool:
        """A copy that another host answered for may come while the request is being connected for. One that the host
        itself answered for cannot: a host gets one request at a time."""
        if origin not in self._redirecting or copy.copy.at < hop_at - GRACE:
            return False
        before = self._shelf.in_force(origin, copy.copy.at - TOLERANCE, copy.agent)
        return before is None or before.unreachable or before.verdict(path)[0]

    def recorded(self, ending: Ending, request: Request | None) -> None:
        if request is not None:
            return self._ledger.passed(Kind.UNRECORDED)
        at = ending.started_at or ending.ended_at
        detail = f"the log has its answer, status {ending.status}"
        return self._ledger.violated(Case(Kind.UNRECORDED, at, ending.host, ending.url, None, None, detail))

    def _held_against(self, copy: InForce | None, request: Request, origin: str, path: str) -> None:
        longest = request.at - DAY - GRACE
        since = longest if copy is None else max(copy.copy.at, longest)

        def wrong(kind: Kind, detail: str) -> None:
            case = Case(kind, request.at, host_of(origin), origin + path, None, None, detail)
            self._ledger.violated(case, since)

        if copy is None:
            return wrong(Kind.ROBOTS_UNKNOWN, "no copy is known from before it")
        self._ledger.passed(Kind.ROBOTS_UNKNOWN)
        if copy.unreachable:
            return wrong(Kind.ROBOTS_UNREACHABLE, "it could not be had, and there was no good copy")
        self._ledger.passed(Kind.ROBOTS_UNREACHABLE)
        if copy.expired(request.at) > self._shifts.between(copy.copy.at, request.at):
            wrong(Kind.ROBOTS_EXPIRED, f"the copy was {request.at - copy.copy.at:,.0f} s old")
        else:
            self._ledger.passed(Kind.ROBOTS_EXPIRED)
        allowed, line, rule = copy.verdict(path)
        if allowed:
            self._ledger.passed(Kind.FORBIDDEN)
        else:
            wrong(Kind.FORBIDDEN, f"line {line}: {rule}")
        return self._pause_asked_for(copy, request, origin, path, since)

    def _pause_asked_for(self, copy: InForce, request: Request, origin: str, path: str, since: float) -> None:
        needed = copy.crawl_delay
        if not needed or not request.rules.waits or request.rested == float("inf"):
            return
        self._ledger.check(
            Kind.CRAWL_DELAY,
            needed - request.rested,
            lambda: Case(Kind.CRAWL_DELAY, request.at, host_of(origin), origin + path, needed, request.rested),
            since,
        )

    def _not_blacklisted(self, host: str, at: float, url: str) -> None:
        entry = self._orders.blacklisting(host, at)
        if entry is None:
            return self._ledger.passed(Kind.BLACKLISTED) if self._orders.has_blacklist else None
        detail = f"{entry.domain}: {entry.reason}"
        return self._ledger.violated(Case(Kind.BLACKLISTED, at, host, url, None, None, detail))


def split(href: str) -> tuple[str, str]:
    """Origin and path with query; hrefs of the log always have both."""
    end = href.find("/", href.find("://") + 3)
    return (href, "/") if end < 0 else (href[:end], href[end:])


def host_of(origin: str) -> str:
    name = origin.partition("://")[2]
    host = name if name.endswith("]") else name.rpartition(":")[0] or name
    return host.rstrip(".")
