"""Counts of the running crawl, for limits, the progress display and the summary."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

from hondius.model import NOTHING_SENT, Finished, RefusedMore, State
from hondius.native import Discoveries, Fetched

RECEIVED = (State.COMPLETED, State.DUPLICATE)
"""States of pages whose content was received."""
MOST_WAITING = 10_000
LONGEST_REASON = 500
RATE_WINDOW, RATE_SAMPLE = 60.0, 1.0
"""Seconds."""
VERY_SLOW = 3_600.0
"""Seconds between two requests. Hosts that ask for more are listed at the end (P1)."""


class Statistics:
    """Totals over all runs of the crawl, starting from those of the catalog, and the rate of this run."""

    def __init__(self, totals: Mapping[str, Any], now: float) -> None:
        self.states: Counter[str] = Counter(totals["states"])
        self.causes: Counter[tuple[str, str]] = Counter(totals["causes"])
        self.sitemaps: Counter[tuple[str, str]] = Counter(totals["sitemaps"])
        """Sitemaps by (state, cause): they are not counted as pages."""
        self.requisites: Counter[tuple[str, str]] = Counter(totals["requisites"])
        """Requisites of pages by (state, cause)."""
        self.wire_bytes: int = totals["wire_bytes"]
        self.requests: int = totals["fetches"]
        self.refused_more: int = totals["refused_more"]
        """Refused links that were only counted."""
        self.unread_links: int = totals["unread_links"]
        """Links of pages and sitemaps that a cap cut off."""
        self.retries: Counter[str] = Counter()
        self.internal_failures = 0
        """Bugs in this run that ended a URL, or made a host wait."""
        self.hook_failures = 0
        """Calls of hooks in this run that raised an exception or took too long."""
        self.discovered = 0
        self.newest = ""
        """The URL of the last page that this run fetched."""
        self.waiting: dict[str, str] = {}
        """Origins from which nothing can be fetched at the moment, and why."""
        self.waiting_causes: dict[str, str] = {}
        """The causes for the same origins, by the failure table."""
        self.circuits: dict[str, tuple[int, float]] = {}
        """Hosts whose circuit is open (P4): consecutive failures, and until when they are not contacted."""
        self.very_slow: dict[str, float] = {}
        """Hosts whose Crawl-delay is above an hour, and the Crawl-delay."""
        self.started_at = now
        self.pages_this_run = 0
        self.truncated_this_run = 0
        """Pages longer than `fetch.page_cap`."""
        """Pages that were received, including recrawled ones."""
        self._recent: deque[tuple[float, int]] = deque([(now, self.pages)])
        """(time, pages), one sample per second, for the last minute and the sample before it."""

    @property
    def pages(self) -> int:
        """Pages whose content was received: new ones and copies."""
        return self.states[State.COMPLETED] + self.states[State.DUPLICATE]

    def continue_from(self, earlier: "Statistics") -> None:
        """The stores were reopened: for the user it is the same run."""
        self.started_at = earlier.started_at
        self.pages_this_run = earlier.pages_this_run
        self.truncated_this_run = earlier.truncated_this_run
        self.internal_failures = earlier.internal_failures
        self.hook_failures = earlier.hook_failures

    def count_answer(self, fetched: Fetched) -> None:
        self.count_request(fetched)
        self.wire_bytes += fetched.wire_bytes

    def count_request(self, fetched: Fetched) -> bool:
        """Counts a request, also for robots.txt, if anything was sent. Returns whether it was."""
        was_sent = fetched.failure not in NOTHING_SENT
        self.requests += was_sent
        return was_sent

    def note_waiting(self, origin: str, reason: str, cause: str) -> None:
        """For the first MOST_WAITING origins; each with its newest reason."""
        if len(self.waiting) < MOST_WAITING or origin in self.waiting:
            self.waiting[origin] = reason[:LONGEST_REASON]
            self.waiting_causes[origin] = cause

    def note_ready(self, origin: str) -> None:
        self.waiting.pop(origin, None)
        self.waiting_causes.pop(origin, None)

    def note_circuit(self, host: str, failures: int, until: float) -> None:
        """`until`: 0 while the circuit is closed."""
        if not until:
            if self.circuits:
                self.circuits.pop(host, None)
        elif len(self.circuits) < MOST_WAITING or host in self.circuits:
            self.circuits[host] = (failures, until)

    def list_open_circuits(self, now: float) -> list[tuple[str, int, float]]:
        """(host, consecutive failures, until when) of open circuits, the next to be tried first."""
        found = [(host, failures, until) for host, (failures, until) in self.circuits.items() if until > now]
        return sorted(found, key=lambda circuit: circuit[2])

    def note_crawl_delay(self, host: str, crawl_delay: float) -> None:
        if crawl_delay <= VERY_SLOW:
            self.very_slow.pop(host, None)
        elif len(self.very_slow) < MOST_WAITING:
            self.very_slow[host] = crawl_delay

    def count_retry(self, cause: str) -> None:
        self.retries[cause] += 1

    def count_end(self, event: Finished, found: Sequence[Discoveries]) -> None:
        self._count(event)
        for some in found:
            self.discovered += some.count

    def count_refusals(self, kept: Sequence[Finished], more: Sequence[RefusedMore]) -> None:
        for event in kept:
            self._count(event)
        self.refused_more += sum(event.count for event in more)

    def _count(self, event: Finished) -> None:
        self.unread_links += event.unread_links
        if event.kind != "page":
            counts = self.requisites if event.kind == "requisite" else self.sitemaps
            counts[(event.state, event.cause)] += 1
            return
        self.states[event.state] += 1
        self.causes[(event.state, event.cause)] += 1
        if event.state in RECEIVED:
            self.pages_this_run += 1
            self.truncated_this_run += event.truncated
            self.newest = event.url

    def set_totals(self, totals: Mapping[str, Any]) -> None:
        """A URL that ended twice was counted twice; the catalog counts it once."""
        self.states = Counter(totals["states"])
        self.causes = Counter(totals["causes"])
        self.sitemaps = Counter(totals["sitemaps"])
        self.requisites = Counter(totals["requisites"])
        self.unread_links = totals["unread_links"]

    def compute_rate(self, now: float) -> float:
        """Pages per second over the last minute, or since the run began."""
        recent = self._recent
        if now >= recent[-1][0] + RATE_SAMPLE:
            recent.append((now, self.pages))
        while len(recent) > 2 and recent[1][0] <= now - RATE_WINDOW:
            recent.popleft()
        then, pages = recent[0]
        return (self.pages - pages) / (now - then) if now > then else 0.0
