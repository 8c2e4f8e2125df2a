"""Turns: one request at a time per host (P1, P2), few and spaced per address (P3)."""

from hondius.clock import Clock
from hondius.crawler.politeness.hosts import Host
from hondius.settings import PolitenessSettings

RECOVERY = 0.8
LONGEST_CLAIM = 120.0
"""Seconds beyond the host's ordinary pace; what waits longer is pushed back, paused or broken."""
MOST_CLAIMS = 100
"""Claims that may wait for turns at one host: any site may redirect its robots.txt there."""
QUEUE_GRACE = 0.5
"""Seconds that a free host is kept for its own queue after a claim. The queue comes back within a tenth of that, unless
all fetch slots are taken."""


class TooLong(Exception):
    """The turn is too far away to be waited for."""


class Address:
    __slots__ = ("in_use", "last_host", "last_start", "promised", "start_before")

    def __init__(self) -> None:
        self.in_use = 0
        self.last_start = 0.0
        self.last_host: Host | None = None
        """Who has the last start, and can give it back."""
        self.start_before = 0.0
        self.promised = 0.0
        """The last time that somebody was told to come back at."""


class Turns:
    def __init__(self, settings: PolitenessSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._addresses: dict[str, Address] = {}
        self.waits = settings.delay > 0
        self.claims = 0
        """How many wait in `claim`."""
        self.are_over = False
        """The run ends: whoever claims a turn gets none any more."""

    def free_at(self, host: Host) -> float:
        """When the host itself may be contacted: its clock, its circuit and the operator allow it."""
        clock = host.not_before if self.waits or host.ordered_delay else 0.0
        return max(clock, host.circuit_until, host.paused_until)

    def ready_at(self, host: Host, address: str, now: float) -> float:
        """When a request may start; `now` or earlier means at once. A busy host is asked about when it is free."""
        when = self.free_at(host)
        turn = self._addresses.get(bare(address))
        if turn is None:
            return when
        if turn.in_use >= self._settings.address_concurrency:
            when = max(when, now + max(self._settings.address_gap, 0.01))
        if self.waits:
            when = max(when, turn.last_start + self._settings.address_gap)
        return when

    def come_back_at(self, host: Host, address: str, now: float) -> float:
        """`ready_at`, and where it is the address that is taken, a time of one's own: hosts that share an address come
        back one after the other, not all at once."""
        when = self.ready_at(host, address, now)
        turn = self._addresses.get(bare(address))
        if when <= now or turn is None or self.free_at(host) > now:
            return when
        turn.promised = max(when, turn.promised + max(self._settings.address_gap, 0.01))
        return turn.promised

    def begin(self, host: Host, address: str, now: float) -> None:
        if not host.busy:  # otherwise its turn goes on at another address
            host.busy, host.began = True, now
        host.claimed = host.queue_waits = False
        turn = self._addresses.setdefault(bare(address), Address())
        turn.in_use += 1
        turn.start_before, turn.last_start, turn.last_host = turn.last_start, now, host

    def cancel(self, host: Host, address: str) -> None:
        """Nothing was sent: the clocks are as they were before."""
        host.busy = False
        turn = self._addresses.get(bare(address))
        if turn is not None and turn.last_host is host:
            turn.last_start, turn.last_host = turn.start_before, None
        self._leave(address)

    def end_if_busy(self, host: Host, address: str) -> None:
        """After an exception: ends the turn unless it has ended. Otherwise nobody could contact the host again."""
        if host.busy:
            self.end(host, address, host.began, self._clock.now())

    def end(self, host: Host, address: str, started_at: float, ended_at: float) -> None:
        """The host's next request starts no earlier than this one's end plus its delay (P1)."""
        host.last_duration = max(0.0, ended_at - started_at)
        host.last_ended = ended_at
        host.busy = False
        self._leave(address)
        if self.waits or host.ordered_delay:
            host.not_before = max(host.not_before, ended_at + self.delay(host))

    def heed(self, host: Host, crawl_delay: float) -> None:
        """The Crawl-delay of the origin to be contacted next. It counts from the last request, also where that was the
        one that brought it, or went to another origin of the host."""
        if crawl_delay != host.crawl_delay:
            host.crawl_delay = crawl_delay
            if self.waits:
                host.not_before = max(host.not_before, host.last_ended + self.delay(host))

    def delay(self, host: Host) -> float:
        return max(self._pace(host), host.back_off) if self.waits else host.ordered_delay

    def paced_until(self, host: Host) -> float:
        """Until then it waits as any host does between two requests; longer only if it was pushed back, is paused, or
        its circuit is open."""
        return host.last_ended + (self._pace(host) if self.waits else host.ordered_delay)

    def _pace(self, host: Host) -> float:
        settings = self._settings
        slow = min(settings.duration_cap, settings.duration_factor * host.last_duration)
        return max(host.ordered_delay, settings.delay, slow, host.crawl_delay)

    def pushed_back(self, host: Host, retry_after: float | None, ended_at: float) -> None:
        """429 or 503 (P2). The wait asked for, else the delay doubles."""
        if not self.waits:
            return
        settings = self._settings
        if retry_after is not None:
            host.not_before = max(host.not_before, ended_at + min(retry_after, settings.retry_after_cap))
            return
        host.back_off = min(settings.back_off_cap, 2 * max(host.back_off, settings.delay))
        host.not_before = max(host.not_before, ended_at + self.delay(host))

    def recovered(self, host: Host) -> None:
        """A good answer: the extra delay shrinks, and is gone once it is below the ordinary one."""
        if host.back_off:
            host.back_off *= RECOVERY
            if host.back_off <= self._settings.delay:
                host.back_off = 0.0

    async def claim(self, host: Host, address: str, *, is_own: bool = False) -> None:
        """Waits for a turn without a queue, to ask for a robots.txt. `is_own`: it is that of the host, on behalf of
        its queue; otherwise another host redirected us here. Claims of others and the host's own requests alternate.
        Raises TooLong where the turn would not come soon."""
        if not is_own:
            self._refuse_crowd(host)
        host.waiting += 1
        host.claims += 1
        self.claims += 1
        try:
            while True:
                now = self._clock.now()
                when = self.ready_at(host, address, now)
                is_free = not host.busy and when <= now and not self.are_over
                if is_free and (is_own or not self._is_kept_for_queue(host, when, now)):
                    self.begin(host, address, now)
                    host.claimed = not is_own
                    return
                host.queue_waits = host.queue_waits or is_own
                if when > max(now, self.paced_until(host)) + LONGEST_CLAIM:
                    raise TooLong(f"{host.name} may not be contacted for {when - now:.0f} s")
                await self._clock.sleep_until(max(when, now + 0.02))
        finally:
            host.waiting -= 1
            host.claims -= 1
            self.claims -= 1

    def _refuse_crowd(self, host: Host) -> None:
        """Raises TooLong if too many wait: each occupies the slot in which another host is prepared."""
        if host.claims >= MOST_CLAIMS or host.claims * self.delay(host) > LONGEST_CLAIM:
            raise TooLong(
                f"{host.claims} other robots.txt files are redirected to {host.name} and wait for a turn there"
            )

    def _is_kept_for_queue(self, host: Host, free_since: float, now: float) -> bool:
        """Whether the queue has the next turn, as a claim had the last. Not for long: the queue may have ended."""
        return host.claimed and host.queue_waits and now < max(free_since, host.last_ended) + QUEUE_GRACE

    async def visit(self, host: Host, address: str, until: float) -> bool:
        """The turn that the host has goes on at another of its addresses, which must have one to give (P3); `leave`
        ends it there. False: it would not come before `until`."""
        while True:
            now = self._clock.now()
            when = self.ready_at(host, address, now)
            if max(when, now) >= until:
                return False
            if when <= now:
                whose = host.claimed, host.queue_waits
                self.begin(host, address, now)
                host.claimed, host.queue_waits = whose
                return True
            await self._clock.sleep_until(max(when, now + 0.02))

    def leave(self, address: str) -> None:
        """What `visit` took."""
        self._leave(address)

    def _leave(self, address: str) -> None:
        name = bare(address)
        turn = self._addresses.get(name)
        if turn is None:
            return
        turn.in_use -= 1
        if turn.in_use <= 0 and (not self.waits or len(self._addresses) > 10_000):
            self._drop_idle(name)

    def _drop_idle(self, name: str) -> None:
        if not self.waits:
            del self._addresses[name]
            return
        old = self._clock.now() - self._settings.address_gap
        self._addresses = {
            name: turn for name, turn in self._addresses.items() if turn.in_use > 0 or turn.last_start > old
        }


def bare(address: str) -> str:
    """The address without its port: `127.0.0.1:80` and `[::1]:80`."""
    return address.rpartition(":")[0]
