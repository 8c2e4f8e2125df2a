"""Sends the request for one page, in the turn of its host.

The robots verdict is the last check before the request is sent (B3).
"""

from functools import partial
from typing import NamedTuple

from hondius.crawler.fetch import Fetcher, make_conditions
from hondius.crawler.page import PreviousVisit
from hondius.crawler.politeness import Addresses, AddressTurns, Host, RobotsCache, Rules, Verdict
from hondius.errors import CalledOff
from hondius.native import Fetched, QueuedUrl


class Unsent(Exception):
    """robots.txt forbids it; if `verdict` is None, its rules are no longer known. The turn was given back."""

    def __init__(self, verdict: Verdict | None) -> None:
        super().__init__(verdict)
        self.verdict = verdict


class Sent(NamedTuple):
    """A request that was sent."""

    fetched: Fetched
    previous: PreviousVisit | None
    """The previous visit, if the request was conditional on it."""
    usage: str | None
    """The usage preferences of the robots.txt in force (W2)."""


class PageRequests:
    def __init__(
        self,
        *,
        robots: RobotsCache,
        turns: AddressTurns,
        addresses: Addresses,
        fetcher: Fetcher,
    ) -> None:
        self._robots = robots
        self._turns = turns
        self._addresses = addresses
        self._fetcher = fetcher

    async def send(
        self, url: QueuedUrl, origin: str, host: Host, address: str, admitted_by: Rules, previous: PreviousVisit | None
    ) -> Sent:
        """The turn continues. Raises Unsent; if anything is raised, the turn is over. An answer that came before the
        request could be called off counts like any other: its outcome is submitted without another await."""
        try:
            verdict = self._judge(url, origin, host, address, admitted_by)
            kind = "seed" if url.is_seed and url.kind == "page" else url.kind
            headers = make_conditions(previous)
            fetched = await self._fetcher.fetch(url.key, url.href, address, kind, headers)
            if fetched.failure is not None:
                ask = partial(self._fetcher.fetch_at, url.key, url.href, kind, headers)
                fetched = await self._addresses.try_others(host, address, fetched, ask, admitted_by.copy.expires_at)
        except CalledOff as late:
            fetched = late.answer
        except BaseException:
            self._turns.abandon(host, address)
            raise
        return Sent(fetched, previous if headers else None, verdict.usage)

    def _judge(self, url: QueuedUrl, origin: str, host: Host, address: str, admitted_by: Rules) -> Verdict:
        if not url.href.startswith(f"{origin}/"):
            raise ValueError(f"{url.href} is queued for {origin}: its rules say nothing about it")
        verdict = self._robots.judge(origin, url.href[len(origin) :], admitted_by)
        if verdict is None or not verdict.allowed:
            self._turns.cancel(host, address)
            raise Unsent(verdict)
        return verdict

    def release_address(self, address: str) -> None:
        """The request at this address is over (P3)."""
        self._turns.release(address)

    def call_off_overdue(self) -> None:
        self._fetcher.call_off_overdue()

    def call_off_slow_preparations(self, most: int) -> None:
        """Calls off up to `most` look-ups and as many robots.txt that take long, because other hosts wait."""
        self._fetcher.call_off_slow_robots(most)
        self._fetcher.call_off_slow_names(most)
