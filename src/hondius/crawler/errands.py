"""What is done for an origin before its URLs are ready: its address, its robots.txt, its sitemaps."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.endings import Endings
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.page import Links
from hondius.crawler.politeness import (
    PUSHED_BACK,
    AddressTurns,
    Gate,
    Hosts,
    NotSent,
    RobotsDesk,
    Unnamed,
    host_of,
)
from hondius.crawler.statistics import Statistics
from hondius.model import AnyEvent, RobotsCopy, RobotsHop
from hondius.native import Discoveries, Fetched, Identity, NativeError, QueuedUrl
from hondius.settings import Settings

NAME_RETRY = 60.0
NOT_SENT_RETRY = 1.0
SOON = 0.05
MOST_NAMED = 1_000
"""Sitemaps that one robots.txt may name."""


class Errands:
    def __init__(
        self,
        *,
        hosts: Hosts,
        robots: RobotsDesk,
        turns: AddressTurns,
        frontier: Frontier,
        links: Links,
        commit: Commit,
        endings: Endings,
        left_outs: LeftOuts,
        boundary: Boundary,
        budgets: HostBudgets,
        identity: Identity,
        statistics: Statistics,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._hosts = hosts
        self._robots = robots
        self._turns = turns
        self._frontier = frontier
        self._links = links
        self._commit = commit
        self._endings = endings
        self._left_outs = left_outs
        self._boundary = boundary
        self._budgets = budgets
        self._identity = identity
        self._statistics = statistics
        self._settings = settings
        self._clock = clock
        self._unwritable: dict[str, BaseException] = {}
        """Origins whose robots.txt met a bug when it was written: their preparation fails."""

    async def prepare(self, gate: Gate, queue: BackQueue) -> None:
        """Ends with the queue back in the frontier, ready or waiting, or emptied."""
        if queue.origin in self._unwritable:
            raise self._unwritable[queue.origin]
        host = self._hosts.get(queue.host)
        host.hold()
        try:
            address = await gate.address_of(host)
            if limit := self._budgets.crowded_by(host, address):
                return self._frontier.shelve(queue, limit)
            now = self._clock.now()
            if self._robots.fresh(queue.origin, now) is None:
                host.follow(self._robots.rules(queue.origin))
                when = self._turns.come_back_at(host, address, now)
                if host.busy or when > now:
                    return self._frontier.put_back(queue, max(when, now + SOON))
                await gate.ask_robots(queue.origin)
        except NotSent:
            return self._frontier.put_back(queue, self._clock.now() + NOT_SENT_RETRY)
        except Unnamed as failed:
            if host.has_lost_name(failed.cause):
                return self._empty(queue, failed)
            self._statistics.waits(queue.origin, f"{failed.cause}: {failed}", failed.cause)
            return self._frontier.put_back(queue, self._clock.now() + NAME_RETRY)
        finally:
            host.release()
        rules = self._robots.rules(queue.origin)
        if rules is not None and rules.unreachable:
            reason = f"its robots.txt cannot be had: {rules.copy.detail}"
            self._statistics.waits(queue.origin, reason, rules.copy.cause)
            return self._frontier.put_back(queue, rules.copy.expires_at)
        self._statistics.waits_no_more(queue.origin)
        self._statistics.paced(host.name, rules.crawl_delay if rules is not None else 0.0)
        return self._frontier.put_back(queue, host.free_at())

    def record_robots(self, copy: RobotsCopy, exchanges: list[Fetched]) -> None:
        """robots.txt is archived like any page, the copy goes into the log, its sitemaps into the frontier."""
        copy = msgspec.structs.replace(copy, requests=sum(self._statistics.asked(fetched) for fetched in exchanges))
        for fetched in exchanges:
            self._heed(fetched)
            if fetched.status is not None:
                self._commit.leave(Outcome(fetched=fetched))
        hops = [RobotsHop(hop.href, before.href, hop.started_at) for before, hop in pairwise(exchanges)]
        found: list[Discoveries] = []
        left_out: Sequence[AnyEvent] = ()
        if copy.outcome != "unreachable" and self._settings.scope.sitemaps:
            found = self._sitemaps(copy.origin)
            left_out = () if found else self._left_outs.note(origin=copy.origin)
        with self._links.taken_back_on_failure(found):
            self._commit.leave(
                Outcome(
                    events=[copy, *hops, *self._endings.refusals(found), *left_out],
                    discoveries=found,
                    unwritten=lambda error: self._unwritten(copy.origin, found, error),
                )
            )

    def _unwritten(self, origin: str, found: Sequence[Discoveries], error: BaseException) -> None:
        """No page of the origin is requested any more: nobody could tell later which rules were in force (B3)."""
        self._links.take_back(found)
        self._robots.forget(origin)
        self._boundary.tell(f"the robots.txt of {origin} could not be written", error)
        self._unwritable[origin] = error

    def _heed(self, fetched: Fetched) -> None:
        """A good answer shortens its host's back-off, whatever it is of (P2). The gate has handled 429 and 503."""
        host = self._hosts.get(host_of(self._identity.parse(fetched.href).origin))
        if fetched.failure is None and (fetched.status or 500) < 500 and fetched.status not in PUSHED_BACK:
            host.recover()
        self._endings.save(host)

    def sitemaps_of(self, origin: str) -> list[Discoveries]:
        """Those that its robots.txt names, or the usual place; nothing of an origin that the scope does not reach."""
        return self._sitemaps(origin)

    def _sitemaps(self, origin: str) -> list[Discoveries]:
        if not self._links.is_near(origin):
            return []
        rules = self._robots.rules(origin)
        named = rules.parsed.sitemaps if rules is not None and rules.parsed is not None else []
        if not named:
            return [self._links.guessed_sitemap(origin, self._clock.now())]
        files = self._parsed(named[:MOST_NAMED], origin)
        return [self._links.sitemaps(files, host_of(origin), self._clock.now())]

    def _parsed(self, named: Sequence[str], origin: str) -> list[tuple[str, bytes]]:
        files = []
        for text in named:
            try:
                url = self._identity.parse(text, origin)
            except NativeError:
                continue
            files.append((url.href, url.key))
        return files

    def _empty(self, queue: BackQueue, failed: Unnamed) -> None:
        """Nobody answers to this name: its URLs end, a batch at a time so that the loop stays free."""
        for _ in range(1_000):
            url = self._frontier.take(queue, float("inf"))
            if not isinstance(url, QueuedUrl):
                self._hosts.get(queue.host).try_name_anew()
                return self._frontier.drop(queue)
            with self._boundary.around(queue, url):
                self._endings.unnamed(url, failed.cause, str(failed))
        return self._frontier.put_back(queue, self._clock.now())
