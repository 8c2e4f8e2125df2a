"""Archives a robots.txt, records the copy in the log, and queues its sitemaps. The same for a tdmrep.json."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, FetchRecord, Outcome
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links
from hondius.crawler.politeness import PUSHED_BACK, Exchange, RobotsCache
from hondius.crawler.sitemaps import Sitemaps
from hondius.crawler.statistics import Statistics
from hondius.model import RobotsCopy, RobotsHop
from hondius.native import Discoveries


class RobotsRecord:
    def __init__(
        self,
        *,
        robots: RobotsCache,
        sitemaps: Sitemaps,
        links: Links,
        commit: Commit,
        outcomes: Outcomes,
        boundary: Boundary,
        statistics: Statistics,
    ) -> None:
        self._robots = robots
        self._sitemaps = sitemaps
        self._links = links
        self._commit = commit
        self._outcomes = outcomes
        self._boundary = boundary
        self._statistics = statistics
        self.unwritable: dict[str, BaseException] = {}
        """Origins whose robots.txt could not be written because of a bug: their preparation fails."""

    def record(self, copy: RobotsCopy, exchanges: list[Exchange]) -> None:
        asked = sum(self._statistics.count_request(exchange.fetched) for exchange in exchanges)
        copy = msgspec.structs.replace(copy, requests=asked)
        for exchange in exchanges:
            self._save_host(exchange)
            if exchange.fetched.status is not None:
                self._commit.submit(Outcome(record=FetchRecord(exchange.fetched)))
        steps = pairwise(exchange.fetched for exchange in exchanges)
        hops = [RobotsHop(hop.href, before.href, hop.started_at) for before, hop in steps]
        found, left_out = self._sitemaps.admit_from_copy(copy)
        with self._links.withdraw_on_failure(found):
            self._commit.submit(
                Outcome(
                    events=[copy, *hops, *self._outcomes.list_refusals(found), *left_out],
                    discoveries=found,
                    on_unwritten=lambda error: self._handle_unwritten(copy.origin, found, error),
                )
            )

    def record_tdmrep(self, copy: RobotsCopy, exchange: Exchange | None) -> None:
        """Records the copy of robots.txt again, with the tdmrep.json of its origin (W1). `exchange` is None if nothing
        was requested."""
        asked = 0
        if exchange is not None:
            asked = int(self._statistics.count_request(exchange.fetched))
            self._save_host(exchange)
            if exchange.fetched.status is not None:
                self._commit.submit(Outcome(record=FetchRecord(exchange.fetched)))
        self._commit.submit(
            Outcome(
                events=[msgspec.structs.replace(copy, requests=asked)],
                on_unwritten=lambda error: self._handle_unwritten(copy.origin, (), error),
            )
        )

    def _save_host(self, exchange: Exchange) -> None:
        """Any good answer shrinks the host's back-off (P2). The host has already learned about 429 and 503."""
        host, fetched = exchange.host, exchange.fetched
        if fetched.failure is None and (fetched.status or 500) < 500 and fetched.status not in PUSHED_BACK:
            host.shrink_back_off()
        self._outcomes.save_host(host)

    def _handle_unwritten(self, origin: str, found: Sequence[Discoveries], error: BaseException) -> None:
        """No page of the origin is requested any more: the log would not show which rules were in force (B3)."""
        self._links.withdraw(found)
        self._robots.forget(origin)
        self._boundary.report(f"the robots.txt of {origin} could not be written", error)
        self.unwritable[origin] = error
