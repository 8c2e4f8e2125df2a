"""Decides that the crawl is over (F9)."""

from hondius.clock import Clock
from hondius.crawler.commit import Commit
from hondius.crawler.frontier import Frontier
from hondius.crawler.politeness import parse_host
from hondius.crawler.run.background import Background
from hondius.crawler.run.dispatch import Dispatch
from hondius.crawler.run.limits import RunLimits
from hondius.crawler.run.origin_reads import OriginReads
from hondius.crawler.seed_loading import SeedLoading

NOTHING_DUE_WITHIN = 59.0
"""F9's minute, less the time that passes between setting a wait of a minute and reading it here."""
PACE_SLACK = 1.0
"""Seconds that a shared address may add to the delay of a host."""
LONGEST_PACE = 86_400.0
"""Seconds. A robots.txt is valid no longer than that (B2), so a host with a longer delay would be asked for nothing
else. Such a host counts as waiting."""
MOST_PACED = 1_000
"""Waiting origins that are checked before the crawl is over."""


class Completion:
    def __init__(
        self,
        *,
        limits: RunLimits,
        dispatch: Dispatch,
        background: Background,
        seeds: SeedLoading,
        commit: Commit,
        frontier: Frontier,
        origins: OriginReads,
        clock: Clock,
    ) -> None:
        self._limits = limits
        self._dispatch = dispatch
        self._background = background
        self._seeds = seeds
        self._commit = commit
        self._frontier = frontier
        self._origins = origins
        self._clock = clock

    def find_reason(self) -> str:
        """Why the crawl is over; empty if it is not."""
        return self._limits.find_reached() or self._find_end()

    def _find_end(self) -> str:
        if self._may_bring_more():
            return ""
        if not self._commit.is_idle:
            self._commit.hurry()
            return ""
        due = self._frontier.find_next_time()
        if due is not None and due > self._clock.now():
            self._frontier.drop_finished()
            due = self._frontier.find_next_time()
        if due is None:
            shelved = self._frontier.shelved.most_common(1)
            return shelved[0][0] if shelved else "done"
        return "waiting" if due > self._clock.now() + NOTHING_DUE_WITHIN and not self._is_paced() else ""

    def _may_bring_more(self) -> bool:
        if self._dispatch.in_flight or self._dispatch.preparing:
            return True
        return not self._seeds.is_over or self._background.may_bring_more

    def _is_paced(self) -> bool:
        """Whether an origin waits only for the ordinary delay of its host, however long that is. A crawl that ended
        here would send one request each time it is resumed, and that might always be for robots.txt. While hosts are
        read from the view, this is unknown, and the crawl is not over."""
        waiting = list(self._frontier.list_next_origins(MOST_PACED))
        hosts = self._origins.find_hosts([parse_host(origin) for _, origin in waiting])
        if hosts is None:
            return True
        for (due, _), host in zip(waiting, hosts, strict=True):
            paced_until = host.paced_until()
            if due <= paced_until + PACE_SLACK and paced_until < host.last_ended + LONGEST_PACE:
                return True
        return False
