"""One host: its addresses, its clock, its circuit, its counters.

A state machine without I/O, tasks or timers. Other parts tell it what happened (`begin`, `end_request`,
`set_addresses`, `obey`), and ask what it needs next and when (`find_need`, `free_at`). Only its own methods write its
fields (`test_architecture.py`).

The clock (P1, P2): a host gets one request at a time, and the next one starts no earlier than `not_before`. That is the
end of the last request plus the delay. The delay is the greatest of: the configured delay, the Crawl-delay, the delay
that the operator ordered, ten times the duration of the last answer, and the back-off after 429 and 503.

The circuit (P4): while it is closed, requests pass. Five failures in a row open it. When its time is over it is
half-open, and one request passes, because a host gets one request at a time. A good answer closes the circuit; another
failure opens it for twice as long. The circuit also works in a crawl without a delay.
"""

from hondius.crawler.politeness.failures import ENGINE_PANIC, NOT_SENT, STALE_CONNECTION, find_treatment
from hondius.crawler.politeness.host_events import (
    CHANGED_AND_CLOSED,
    NOTHING,
    NOTHING_NEW,
    ONLY_CHANGED,
    Events,
    HostEvent,
    Need,
    Result,
)
from hondius.crawler.politeness.recovery import PUSHED_BACK, Sent
from hondius.crawler.politeness.robots import Rules
from hondius.model import HostOrder, HostState
from hondius.native import registrable_domain
from hondius.settings import PolitenessSettings

SLOW = 1.0
"""Seconds. A host whose last answer took longer is slow."""
RECOVERY = 0.8
"""A good answer multiplies the back-off by this."""
NAME_FAILURE_LASTS = 30.0
"""Seconds. Look-ups that fail within this time count as one failure."""
NAME_TRIES = 4
LONGEST_CLAIM = 120.0
"""Seconds beyond the ordinary pace. A host that is not free by then was pushed back or paused, or its circuit is
open."""
MOST_CLAIMS = 100
"""Claims that may wait at one host: any site may redirect its robots.txt to it."""
QUEUE_GRACE = 0.5
"""Seconds for which a free host is reserved for its own queue after a claim. The queue comes back within a tenth of
that, unless all fetch slots are taken."""
NOT_MODIFIED = 304
LOST = frozenset({"lease_ended", "cancelled"})
"""Failures of look-ups on our side: no name server has answered."""
NO_FAILURE = frozenset({STALE_CONNECTION, ENGINE_PANIC})
"""Causes that are not counted as failures of the host."""


class Host:
    __slots__ = (
        "_settings",
        "addresses",
        "addresses_until",
        "back_off",
        "began",
        "busy",
        "bytes",
        "circuit_openings",
        "circuit_until",
        "claimed",
        "claims",
        "consecutive_failures",
        "crawl_delay",
        "domain",
        "failed",
        "fetched",
        "heard",
        "is_stored",
        "last_duration",
        "last_ended",
        "name",
        "name_failed_at",
        "name_failures",
        "not_before",
        "ordered_delay",
        "paused_until",
        "queue_waits",
        "recrawled",
        "seconds",
        "unsaved",
        "waiting",
    )

    def __init__(
        self,
        name: str,
        settings: PolitenessSettings,
        record: HostState | None = None,
        order: HostOrder | None = None,
    ) -> None:
        """`record`: its state after an earlier run. `order`: the operator's order for it."""
        self._settings = settings
        self.name = name
        self.domain = registrable_domain(name) or name
        self.busy = False
        self.began = 0.0
        """When its last turn began."""
        self.waiting = 0
        """How many callers wait for it. Until this is 0, it is not forgotten."""
        self.claims = 0
        """Waiting claims: requests for a turn without a queue. They alternate with the queue, so neither starves."""
        self.claimed = False
        """Its last turn went to a claim of another host."""
        self.queue_waits = False
        """Since its last turn, one of its queues wanted a turn while claims were waiting."""
        self.addresses: list[str] = []
        self.addresses_until = 0.0
        self.name_failures = 0
        self.name_failed_at = 0.0
        self.unsaved = False
        self.is_stored = record is not None
        """Whether the view has a state of it, or will have one. Otherwise there is nothing to read back."""
        self.paused_until = 0.0
        self.ordered_delay = 0.0
        self.not_before = record.not_before if record else 0.0
        self.crawl_delay = record.crawl_delay if record else 0.0
        self.back_off = record.back_off if record else 0.0
        self.fetched = record.fetched if record else 0
        self.failed = record.failed if record else 0
        self.recrawled = record.recrawled if record else 0
        self.seconds = record.seconds if record else 0.0
        self.bytes = record.bytes if record else 0
        self.consecutive_failures = record.consecutive_failures if record else 0
        self.last_duration = record.last_duration if record else 0.0
        self.last_ended = record.at if record else 0.0
        """When its last request ended. After a restart: when that was recorded, which is no earlier."""
        self.circuit_until = record.circuit_until if record else 0.0
        self.circuit_openings = record.circuit_openings if record else 0
        self.heard = 0
        """The ticket of the last page result."""
        if order is not None:
            self._apply_order(order)

    @property
    def is_slow(self) -> bool:
        """Its last answer took long or did not come, so the next may take long, too."""
        return self.last_duration > SLOW or self.consecutive_failures > 0

    @property
    def is_needed(self) -> bool:
        """Whether it must stay in memory: it is busy, somebody waits for it, or its newest state is not durable yet."""
        return self.busy or self.waiting > 0 or self.unsaved

    @property
    def has_answered(self) -> bool:
        """Whether a page of it was ever fetched without a failure."""
        return self.fetched > self.failed

    @property
    def was_contacted(self) -> bool:
        return self.fetched > 0 or self.last_ended > 0

    def has_spent(self, most_pages: int) -> bool:
        """Whether its own budget of pages is used up (D5). Recrawls do not count: a crawl that goes on would stop."""
        return self.fetched - self.recrawled >= most_pages

    # When it may be contacted

    def free_at(self) -> float:
        """When its clock, its circuit and the operator allow the next request."""
        has_clock = self._settings.delay > 0 or self.ordered_delay
        return max(self.not_before if has_clock else 0.0, self.circuit_until, self.paused_until)

    def delay(self) -> float:
        """Seconds between the end of a request and the start of the next."""
        return max(self._pace(), self.back_off) if self._settings.delay > 0 else self.ordered_delay

    def paced_until(self) -> float:
        """Until then it waits as any host does between two requests. It waits longer only if it was pushed back or
        paused, or if its circuit is open."""
        return self.last_ended + (self._pace() if self._settings.delay > 0 else self.ordered_delay)

    def _pace(self) -> float:
        settings = self._settings
        slow = min(settings.duration_cap, settings.duration_factor * self.last_duration)
        return max(self.ordered_delay, settings.delay, slow, self.crawl_delay)

    # What a request needs

    def has_address(self, now: float) -> bool:
        return bool(self.addresses) and now < self.addresses_until

    def find_need(self, rules: Rules | None, now: float) -> Need:
        """What must be done before a request to an origin with these rules. If nothing, their Crawl-delay is in force
        from now on."""
        if not self.addresses or now >= self.addresses_until:
            return Need.ADDRESS
        if rules is None or now >= rules.ready_until:
            return Need.ROBOTS
        if rules.is_unreachable:
            return Need.TIME
        self.set_crawl_delay(rules.crawl_delay)
        return NOTHING

    def follow_rules(self, rules: Rules | None) -> None:
        """Sets the Crawl-delay of these rules. It stays in force until there are other rules, even if these expire.
        Unreachable rules change nothing."""
        if rules is not None and not rules.is_unreachable:
            self.set_crawl_delay(rules.crawl_delay)

    def set_crawl_delay(self, crawl_delay: float) -> None:
        """Sets the Crawl-delay of the origin that is contacted next. It counts from the last request, even if that
        request fetched the robots.txt or went to another origin of the host."""
        if crawl_delay != self.crawl_delay:
            self.crawl_delay = crawl_delay
            if self._settings.delay > 0:
                self.not_before = max(self.not_before, self.last_ended + self.delay())

    def set_addresses(self, addresses: list[str], until: float) -> None:
        """Stores the result of a successful look-up."""
        self.name_failures = 0
        self.addresses = addresses
        self.addresses_until = until

    def count_name_failure(self, now: float) -> None:
        """The origins of a host are resolved side by side: failures at the same time count as one."""
        if now >= self.name_failed_at + NAME_FAILURE_LASTS:
            self.name_failures += 1
            self.name_failed_at = now

    def has_lost_name(self, cause: str) -> bool:
        """Whether its name, which failed with this cause, is not looked up again. A look-up that failed on our side
        says nothing about the name."""
        if cause in LOST:
            return False
        return not find_treatment(cause).retried or self.name_failures >= NAME_TRIES

    def reset_name_failures(self) -> None:
        """The URLs that waited for the name have ended. Later ones get all tries again."""
        self.name_failures = 0

    def prefer(self, address: str) -> None:
        """Moves an address that worked to the front. Does nothing if a newer look-up did not return it."""
        if address in self.addresses:
            self.addresses = [address, *(one for one in self.addresses if one != address)]

    def hold(self) -> None:
        """Keeps it in memory until `release`."""
        self.waiting += 1

    def release(self) -> None:
        self.waiting -= 1

    # Whose turn it is

    def may_serve_queue(self) -> bool:
        """Whether one of its queues may have the turn. If claims wait, it also remembers that a queue asked."""
        if self.claims:
            self.queue_waits = True
            return not self.busy and self.claimed
        return not self.busy

    def refuses_claim(self) -> bool:
        """Whether too many claims wait here: each occupies a slot in which another host could be prepared."""
        return self.claims >= MOST_CLAIMS or self.claims * self.delay() > LONGEST_CLAIM

    def add_claim(self) -> None:
        self.waiting += 1
        self.claims += 1

    def remove_claim(self) -> None:
        self.waiting -= 1
        self.claims -= 1

    def may_serve_claim(self, free_since: float, now: float, *, is_own: bool) -> bool:
        """Whether a claim may have the turn of a host that is free since `free_since`. `is_own`: the claim is for the
        host's own robots.txt, on behalf of its queue."""
        if not self.busy and free_since <= now and (is_own or not self._is_kept_for_queue(free_since, now)):
            return True
        self.queue_waits = self.queue_waits or is_own
        return False

    def _is_kept_for_queue(self, free_since: float, now: float) -> bool:
        """Whether the next turn is reserved for the queue because a claim had the last. Only for a short time: the
        queue may have ended."""
        return self.claimed and self.queue_waits and now < max(free_since, self.last_ended) + QUEUE_GRACE

    def begin(self, now: float, *, claimed: bool = False) -> None:
        """Begins a turn. `claimed`: the turn goes to a claim of another host."""
        self.busy, self.began = True, now
        self.claimed, self.queue_waits = claimed, False

    def cancel(self) -> None:
        """Ends a turn in which nothing was sent: the clock does not change."""
        self.busy = False

    def abandon(self, now: float) -> None:
        """Ends a turn whose request has an unknown result."""
        self._end_turn(self.began, now)

    # What it learns from a request

    def end_request(self, result: Result, *, is_recrawl: bool = False, was_conditional: bool = False) -> Events:
        """Ends the turn of a request for a page, and learns from the result. `is_recrawl`: the URL was fetched before.
        A result counts once, even if it is reported several times: after a bug nobody knows whether it was reported."""
        if result.ticket <= self.heard:
            return NOTHING_NEW
        self.heard = result.ticket
        self._end_turn(result.started_at, result.ended_at)
        failure, status = result.failure, result.status or 0
        if failure == NOT_SENT:
            return NOTHING_NEW
        self._count(result, is_recrawl)
        if failure is None and (
            200 <= status < 300 or result.is_redirect or (status == NOT_MODIFIED and was_conditional)
        ):
            return self._note_success()
        if failure not in NO_FAILURE:
            self.failed += 1
        if failure == STALE_CONNECTION or (failure is None and status == NOT_MODIFIED):
            return ONLY_CHANGED
        return self._judge(result)

    def end_robots_request(self, result: Result) -> None:
        """Ends the turn of a request for a robots.txt, and learns from the result. It counts for no budget."""
        self._end_turn(result.started_at, result.ended_at)
        self._judge(result)

    def shrink_back_off(self) -> None:
        """After a good answer. The back-off is reset once it is below the ordinary delay."""
        if self.back_off:
            self.back_off *= RECOVERY
            if self.back_off <= self._settings.delay:
                self.back_off = 0.0

    def _end_turn(self, started_at: float, ended_at: float) -> None:
        """The next request starts no earlier than the end of this one plus the delay (P1)."""
        self.last_duration = max(0.0, ended_at - started_at)
        self.last_ended = ended_at
        self.busy = False
        if self._settings.delay > 0 or self.ordered_delay:
            self.not_before = max(self.not_before, ended_at + self.delay())

    def _count(self, result: Result, is_recrawl: bool) -> None:
        self.fetched += 1
        self.recrawled += is_recrawl
        self.seconds += self.last_duration
        self.bytes += result.wire_bytes

    def _note_success(self) -> Events:
        self.shrink_back_off()
        was_open = self.circuit_openings > 0
        self._close_circuit()
        return CHANGED_AND_CLOSED if was_open else ONLY_CHANGED

    def _judge(self, result: Result) -> Events:
        """Applies the failure table to any answer; for a robots.txt also to a good one."""
        status = result.status
        events = ONLY_CHANGED
        if status in PUSHED_BACK:
            self._push_back(result.retry_after, result.ended_at)
            events += (HostEvent.PUSHED_BACK,)
        cause = result.failure or f"http_{status}"
        if find_treatment(cause).against_host or (status or 0) >= 500:
            self.consecutive_failures += 1
            if self.consecutive_failures >= self._settings.circuit_failures:
                self._open_circuit(result.ended_at)
                events += (HostEvent.CIRCUIT_OPENED,)
        elif status is not None:
            self._close_circuit()
        return events

    def _push_back(self, retry_after: float | None, ended_at: float) -> None:
        """After 429 or 503 (P2): waits as long as the answer asks for, otherwise doubles the delay."""
        settings = self._settings
        if settings.delay <= 0:
            return
        if retry_after is not None:
            self.not_before = max(self.not_before, ended_at + min(retry_after, settings.retry_after_cap))
            return
        self.back_off = min(settings.back_off_cap, 2 * max(self.back_off, settings.delay))
        self.not_before = max(self.not_before, ended_at + self.delay())

    def _open_circuit(self, ended_at: float) -> None:
        wait = self._settings.circuit_wait * 2.0 ** min(self.circuit_openings, 32)
        self.circuit_openings += 1
        self.circuit_until = ended_at + min(wait, self._settings.circuit_cap)

    def _close_circuit(self) -> None:
        """The host answers. A 404 also shows that it is alive."""
        self.consecutive_failures = 0
        self.circuit_until = 0.0
        self.circuit_openings = 0

    # Orders, and its stored state

    def obey(self, order: HostOrder) -> None:
        """The operator's newest order replaces the previous one. A delay counts from the last request."""
        self._apply_order(order)
        self.not_before = max(self.not_before, self.last_ended + self.delay())

    def _apply_order(self, order: HostOrder) -> None:
        self.paused_until = order.paused_until or 0.0
        self.ordered_delay = order.delay or 0.0

    def restore(self, sent: Sent | None, earliest: float) -> None:
        """An earlier run contacted it. `sent`: its last requests, of which the log may have no record. Nothing is sent
        before `earliest`."""
        if sent is not None:
            written_at = self.last_ended
            self.last_duration = sent.duration
            self.last_ended = max(self.last_ended, sent.ended_at)
            for at in sent.pushed_back:
                if at >= written_at:
                    self._push_back(None, at)
        self.not_before = max(self.not_before, self.last_ended + self.delay(), earliest)

    def save(self, at: float) -> HostState:
        """Its state, to be made durable. `mark_saved` says that it is."""
        self.unsaved = self.is_stored = True
        return self.make_state(at)

    def mark_saved(self) -> None:
        self.unsaved = False

    def make_state(self, at: float) -> HostState:
        return HostState(
            host=self.name,
            at=at,
            not_before=self.not_before,
            back_off=self.back_off,
            address=self.addresses[0] if self.addresses else None,
            fetched=self.fetched,
            failed=self.failed,
            seconds=self.seconds,
            bytes=self.bytes,
            consecutive_failures=self.consecutive_failures,
            last_duration=self.last_duration,
            crawl_delay=self.crawl_delay,
            circuit_until=self.circuit_until,
            circuit_openings=self.circuit_openings,
            recrawled=self.recrawled,
        )
