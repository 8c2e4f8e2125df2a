"""Clocks of hosts and addresses: when the last request ended, and when the next one may start."""

from hondius.model import HostState
from hondius.use.audit.kinds import Kind
from hondius.use.audit.orders import Orders
from hondius.use.audit.report import Case, Ledger
from hondius.use.audit.rules import TOLERANCE, Rules
from hondius.use.audit.shifts import AnyAttempt

PUSHED_BACK = frozenset({429, 503})
MAX_ADDRESSES = 100_000
NEVER = float("-inf")


class HostClock:
    """The state of a host between two requests. There may be a million of them."""

    __slots__ = (
        "asked_robots",
        "back_off",
        "circuit_until",
        "doubled",
        "duration",
        "ended",
        "failures",
        "key",
        "name",
        "not_before",
        "run",
        "started",
        "tried",
        "turn_after",
        "turn_key",
        "turn_rested",
    )

    def __init__(self) -> None:
        self.name = ""
        self.run = 0
        self.started = NEVER
        self.ended = NEVER
        self.duration = 0.0
        self.key: bytes | None = None
        """The key of the request in progress."""
        self.back_off = 0.0
        self.doubled = 0.0
        """The delay that the last answer, a 429 or 503, requires."""
        self.not_before = 0.0
        self.circuit_until = 0.0
        self.failures = 0
        """Consecutive 5xx answers in this run."""
        self.asked_robots = NEVER
        """When robots.txt was last answered in this run."""
        self.tried: tuple[str, ...] = ()
        """Addresses that could not be connected to in the present turn. `turn_key` is its URL, `turn_after` the end of
        the request before it, `turn_rested` the time between the two."""
        self.turn_key: bytes | None = None
        self.turn_after = NEVER
        self.turn_rested = float("inf")


class AddressClock:
    __slots__ = ("run", "started", "under_way")

    def __init__(self) -> None:
        self.run = 0
        self.started = NEVER
        self.under_way = 0


class Clocks:
    """Processes every record once, in order of time. `_last_sign` is the time of the last record of each run."""

    def __init__(self, ledger: Ledger, orders: Orders) -> None:
        self._ledger = ledger
        self._orders = orders
        self._addresses: dict[str, AddressClock] = {}
        self._last_sign: dict[int, float] = {}
        self.hosts: dict[int, HostClock] = {}
        self.without_end = 0
        self.pushed_back = 0

    def get(self, number: int) -> HostClock:
        clock = self.hosts.get(number)
        if clock is None:
            clock = self.hosts[number] = HostClock()
        return clock

    def record_activity(self, run: int, at: float) -> None:
        self._last_sign[run] = at

    def start(self, attempt: AnyAttempt, run: int, rules: Rules) -> float:
        """Returns the time since the last request to the host."""
        at = attempt.at
        host = self.get(attempt.host_hash)
        if host.key is None:
            self._ledger.record_pass(Kind.OVERLAP)
        else:
            self._end_unfinished(host, attempt, run)
        if host.run != run:
            host.asked_robots, host.failures, host.turn_key = NEVER, 0, None
        rested = self._begin_turn(host, attempt, rules)
        if attempt.sent:
            self._start_at_address(attempt, run, host, rules)
            host.turn_key, host.tried = None, ()
        else:
            host.turn_key, host.turn_rested = attempt.key, rested
            host.tried = (*host.tried, attempt.address)
        host.run, host.started, host.key = run, at, attempt.key
        return rested

    def _begin_turn(self, host: HostClock, attempt: AnyAttempt, rules: Rules) -> float:
        """If no connection is made, the other addresses of the host are tried in the same turn: no byte of a request
        was sent. Delays apply to the first of these tries. An order that came during the turn applies to the next try,
        and its delay counts from the request before the turn. An address that was already tried starts another turn."""
        at = attempt.at
        if host.turn_key == attempt.key and attempt.address not in host.tried:
            self._check_orders(host, attempt, at - host.turn_after)
            return host.turn_rested
        host.tried = ()
        host.turn_after = host.ended
        rested = at - host.ended
        if rules.has_waits:
            self._check_pauses(host, at, rested, rules)
        self._check_circuit(host, at, rules)
        self._check_orders(host, attempt, rested)
        return rested

    def end(self, attempt: AnyAttempt, run: int, rules: Rules) -> None:
        host = self.get(attempt.host_hash)
        address = self._addresses.get(strip_port(attempt.address)) if attempt.sent else None
        if address is not None and address.run == run:
            address.under_way -= 1
        if host.key != attempt.key or host.run != run:
            host.ended = max(host.ended, attempt.at)
            return
        host.key = None
        host.ended, host.duration = attempt.at, attempt.at - host.started
        if not attempt.sent:
            return
        host.doubled = 0.0
        if attempt.status:  # a missing answer may be the fault of either side
            host.failures = host.failures + 1 if attempt.status >= 500 else 0
        if attempt.kind == "robots":
            host.asked_robots = attempt.at
        if attempt.status in PUSHED_BACK:
            self.pushed_back += 1
            if attempt.kind != "robots":  # robots.txt is not retried within a minute anyway (B2)
                host.doubled = rules.double_back_off(host.back_off)

    def record_end_from_log(self, number: int, key: bytes, started: float, ended: float) -> None:
        """The log has an end without an attempt record: the disk was full at that moment."""
        host = self.get(number)
        if host.key == key and host.started == started:
            host.key = None
            host.ended, host.duration = ended, ended - started

    def update(self, state: HostState, host: HostClock) -> None:
        """Attempt records do not have Retry-After. After one, the log has no doubled back-off, and `not_before`
        applies."""
        if state.at >= host.ended and state.back_off < host.doubled - TOLERANCE:
            host.doubled = 0.0
        host.back_off = state.back_off
        host.not_before = state.not_before
        host.circuit_until = state.circuit_until

    def forget_address_times(self) -> None:
        """After the wall clock was set back: the time since the last request to an address is unknown. Hosts are not
        affected, because at its start a run waits for the delay of every host contacted before."""
        self._addresses.clear()

    def finish(self) -> None:
        """Requests in progress when the records end have no end, too."""
        self.without_end += sum(host.key is not None for host in self.hosts.values())

    def _end_unfinished(self, host: HostClock, attempt: AnyAttempt, run: int) -> None:
        if host.run == run:
            case = Case(
                Kind.OVERLAP,
                attempt.at,
                host.name or _describe_unknown_host(attempt),
                None,
                None,
                None,
                f"another had been in progress for {attempt.at - host.started:.3f} s",
            )
            self._ledger.record_violation(case)
            return
        self._ledger.record_pass(Kind.OVERLAP)
        self.without_end += 1
        host.ended = max(host.ended, self._last_sign[host.run])
        host.duration = host.ended - host.started
        host.doubled = 0.0

    def _check_pauses(self, host: HostClock, at: float, rested: float, rules: Rules) -> None:
        def check_wait(kind: Kind, needed: float, found: float, detail: str) -> None:
            self._ledger.check(kind, needed - found, lambda: Case(kind, at, host.name, None, needed, found, detail))

        if host.not_before:
            since = at if host.ended == NEVER else host.ended
            check_wait(Kind.NOT_BEFORE, host.not_before - since, at - since, "the time recorded in the log")
        if host.started == NEVER:
            return
        check_wait(
            Kind.PAUSE, rules.compute_pause(host.duration), rested, f"the request before took {host.duration:.3f} s"
        )
        back_off = max(host.doubled, host.back_off)
        if back_off:
            check_wait(Kind.BACK_OFF, back_off, rested, "after 429 or 503")

    def _check_circuit(self, host: HostClock, at: float, rules: Rules) -> None:
        """Uses the circuit recorded in the log, and the one that must follow from the attempt records alone."""
        wait = rules.compute_circuit_wait(host.failures)
        until, name = max(host.circuit_until, host.ended + wait if wait else 0.0), host.name
        if until:
            detail = f"open for another {until - at:.3f} s" if until > at else "closed again by then"
            self._ledger.check(
                Kind.CIRCUIT, until - at, lambda: Case(Kind.CIRCUIT, at, name, None, until - at, 0.0, detail)
            )

    def _check_orders(self, host: HostClock, attempt: AnyAttempt, rested: float) -> None:
        order = self._orders.find_for_host(attempt.host_hash, attempt.at)
        if order is None:
            return
        at = attempt.at
        if order.paused_until:
            left = order.paused_until - at
            detail = f"paused: {order.reason or 'no reason given'}"
            self._ledger.check(Kind.PAUSED, left, lambda: Case(Kind.PAUSED, at, order.host, None, left, 0.0, detail))
        if order.delay:
            needed, detail = order.delay, f"ordered: {order.reason or 'no reason given'}"
            self._ledger.check(
                Kind.ORDERED_DELAY,
                needed - rested,
                lambda: Case(Kind.ORDERED_DELAY, at, order.host, None, needed, rested, detail),
            )

    def _start_at_address(self, attempt: AnyAttempt, run: int, host: HostClock, rules: Rules) -> None:
        name = strip_port(attempt.address)
        address = self._addresses.get(name)
        if address is None:
            if len(self._addresses) >= MAX_ADDRESSES:
                self._forget_addresses(attempt.at)
            address = self._addresses[name] = AddressClock()
        if address.run != run:
            address.run, address.under_way = run, 0
        address.under_way += 1
        if rules.has_waits:
            self._check_address(name, address, attempt, host, rules)
        address.started = attempt.at

    def _check_address(
        self, name: str, address: AddressClock, attempt: AnyAttempt, host: HostClock, rules: Rules
    ) -> None:
        at, gap, crowd = attempt.at, attempt.at - address.started, address.under_way
        most, least = rules.address_concurrency, rules.address_gap
        self._ledger.check(
            Kind.ADDRESS_CROWD,
            crowd - most,
            lambda: Case(Kind.ADDRESS_CROWD, at, host.name, None, most, crowd, f"in progress at {name}"),
        )
        if address.started != NEVER:
            self._ledger.check(
                Kind.ADDRESS_GAP,
                least - gap,
                lambda: Case(Kind.ADDRESS_GAP, at, host.name, None, least, gap, f"both to {name}"),
            )

    def _forget_addresses(self, now: float) -> None:
        """Forgets addresses whose gap is long over and that have no request in progress."""
        self._addresses = {
            name: clock for name, clock in self._addresses.items() if clock.under_way > 0 or clock.started > now - 60
        }


def strip_port(address: str) -> str:
    """The address without its port."""
    return address.rpartition(":")[0]


def _describe_unknown_host(attempt: AnyAttempt) -> str:
    return f"{attempt.address} (host name unknown)"
