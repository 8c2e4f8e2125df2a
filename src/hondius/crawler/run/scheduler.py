"""Decides what happens to a due origin: a URL is handed out, its host is prepared, or it waits."""

from hondius.crawler.budgets import HostBudgets
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.politeness import NOTHING, Host, Hosts, RobotsCache
from hondius.crawler.run.hand_out import HandOut
from hondius.crawler.run.origin_reads import OriginReads
from hondius.crawler.run.preparations import FULL_LANE, Preparations

BUSY_HOST = 0.05
"""Seconds until a host is tried again that another of its origins keeps busy."""


class Scheduler:
    def __init__(
        self,
        *,
        hosts: Hosts,
        frontier: Frontier,
        budgets: HostBudgets,
        robots: RobotsCache,
        origins: OriginReads,
        preparations: Preparations,
        hand_out: HandOut,
    ) -> None:
        self._hosts = hosts
        self._frontier = frontier
        self._budgets = budgets
        self._robots = robots
        self._origins = origins
        self._preparations = preparations
        self._hand_out = hand_out

    def serve(self, queue: BackQueue, now: float) -> None:
        host = self._hosts.get_loaded(queue.host)
        if host is None or self._budgets.must_read(host.domain):
            self._origins.read(queue)
        elif not host.may_serve_queue():
            self._frontier.put_back(queue, now + BUSY_HOST)
        elif self._has_no_place(host):
            self._frontier.put_back(queue, now + FULL_LANE)
        elif limit := self._budgets.find_spent_limit(host):
            self._frontier.shelve(queue, limit)
        else:
            rules = self._robots.find(queue.origin) if host.has_address(now) else None
            if rules is not None and host.find_need(rules, now) is NOTHING:
                self._hand_out.hand_out(queue, host, host.addresses[0], rules, now)
            elif rules is None and self._robots.must_read(queue.origin):
                self._origins.read(queue)
            else:
                self._preparations.begin(queue, now)

    def _has_no_place(self, host: Host) -> bool:
        """Whether all slots are taken that slow hosts, or newcomers, may have (P4)."""
        slots = self._hand_out.slots
        if host.is_slow and slots.slow_lane_is_full():
            return True
        return not host.has_answered and slots.newcomers_are_full()
