"""Prepares an origin before its URLs are handed out: its host needs an address, then its robots.txt."""

from collections.abc import Mapping

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.politeness import Gate, Host, Hosts, NotSent, NotYet, Unresolved
from hondius.crawler.statistics import Statistics

NAME_RETRY = 60.0
NOT_SENT_RETRY = 1.0


class HostPreparation:
    def __init__(
        self,
        *,
        hosts: Hosts,
        gate: Gate,
        frontier: Frontier,
        budgets: HostBudgets,
        boundary: Boundary,
        statistics: Statistics,
        unwritable: Mapping[str, BaseException],
        clock: Clock,
    ) -> None:
        """`unwritable`: origins whose robots.txt could not be written because of a bug."""
        self._hosts = hosts
        self._gate = gate
        self._frontier = frontier
        self._budgets = budgets
        self._boundary = boundary
        self._statistics = statistics
        self._unwritable = unwritable
        self._clock = clock

    async def prepare(self, queue: BackQueue) -> None:
        """When it returns, the queue is back in the frontier, ready or waiting, or it is empty."""
        if queue.origin in self._unwritable:
            raise self._unwritable[queue.origin]
        host = await self._hosts.load(queue.host)
        host.hold()
        try:
            address = await self._gate.find_address(host)
            if limit := await self._budgets.find_crowded_limit(host, address):
                return self._frontier.shelve(queue, limit)
            rules = await self._gate.find_rules(host, queue.origin, address)
        except NotYet as wait:
            return self._frontier.put_back(queue, wait.when)
        except NotSent:
            return self._frontier.put_back(queue, self._clock.now() + NOT_SENT_RETRY)
        except Unresolved as failed:
            return self._handle_unresolved(queue, host, failed)
        finally:
            host.release()
        if rules is not None and rules.is_unreachable:
            reason = f"its robots.txt cannot be fetched: {rules.copy.detail}"
            self._statistics.note_waiting(queue.origin, reason, rules.copy.cause)
            return self._frontier.put_back(queue, rules.copy.expires_at)
        self._statistics.note_ready(queue.origin)
        self._statistics.note_crawl_delay(host.name, rules.crawl_delay if rules is not None else 0.0)
        return self._frontier.put_back(queue, host.free_at())

    def _handle_unresolved(self, queue: BackQueue, host: Host, failed: Unresolved) -> None:
        if not host.has_lost_name(_choose_treatment(host, failed.cause)):
            self._statistics.note_waiting(queue.origin, f"{failed.cause}: {failed}", failed.cause)
            return self._frontier.put_back(queue, self._clock.now() + NAME_RETRY)
        if self._boundary.end_unresolved(queue, failed.cause, str(failed)):
            host.reset_name_failures()
        return None


def _choose_treatment(host: Host, cause: str) -> str:
    """The cause by which the failure table treats it. A host that has answered before does exist: a name server or
    `--resolve` may be wrong for a while, so its name is looked up again (N1, P5)."""
    return "dns_failure" if cause == "dns_nxdomain" and host.fetched else cause
