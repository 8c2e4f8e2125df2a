"""The path of one URL, from the moment the frontier handed it out to the moment it is left to the commit.

Its host has an address and a robots.txt by then, and its turn is taken (`politeness.Gate`, `run.py`).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from hondius.clock import Clock
from hondius.crawler.dedup import ExactCopies
from hondius.crawler.endings import Endings
from hondius.crawler.fetch import Answer, Fetcher, answer_of, conditions
from hondius.crawler.frontier import BackQueue
from hondius.crawler.page import PIECE, Links, Past, Readings
from hondius.crawler.politeness import Addresses, Host, RobotsDesk, Rules, Turns
from hondius.native import Fetched, QueuedUrl


@dataclass(frozen=True, slots=True)
class Journey:
    """The stages a URL passes through, wired by `assemble.py`."""

    robots: RobotsDesk
    turns: Turns
    addresses: Addresses
    fetcher: Fetcher
    readings: Readings
    copies: ExactCopies
    links: Links
    endings: Endings
    past: Callable[[bytes], Past | None]
    """What the catalog knows of a URL that was fetched before."""
    clock: Clock
    wanted_types: frozenset[str]

    async def take(self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, let_in_by: Rules) -> None:
        began = self.clock.now()
        try:
            is_order = url.via == "recrawl" and url.source is None
            past = self.past(url.key) if is_order else None  # one that is fetched for its links is asked for whole
            fetched = await self._fetch(url, queue, host, address, let_in_by, past)
        except BaseException:
            if host.busy:  # until its turn is over nobody else can have one
                self.turns.end(host, address, began, self.clock.now())
            raise
        if fetched is None:
            return
        counted = host.fetched
        try:
            self.turns.end(host, address, fetched.started_at, fetched.ended_at)
            await self._read(url, queue, host, fetched, past)
        except BaseException:
            self.copies.forget(url, fetched)
            self.endings.answer_lost(url, host, fetched, is_counted=host.fetched > counted)
            raise

    async def _fetch(
        self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, let_in_by: Rules, past: Past | None
    ) -> Fetched | None:
        """None: nothing is sent, and the URL has ended or waits."""
        verdict = self.robots.verdict(queue.origin, url.href[len(queue.origin) :], let_in_by)
        if verdict is None:
            self.turns.cancel(host, address)
            self.endings.postponed(url, queue)
            return None
        if not verdict.allowed:
            self.turns.cancel(host, address)
            self.endings.blocked(url, verdict)
            return None
        kind = "seed" if url.is_seed and url.kind == "page" else url.kind
        headers = conditions(past)
        return await self.addresses.ask(
            host, address, lambda at, within: self.fetcher.fetch(url.key, url.href, at, kind, headers, within)
        )

    async def _read(self, url: QueuedUrl, queue: BackQueue, host: Host, fetched: Fetched, past: Past | None) -> None:
        """What came, up to its end. Nothing is awaited between an admission and the commit: what fails there is taken
        back."""
        answer, cause = answer_of(fetched, self.wanted_types)
        match answer:
            case Answer.FAILURE:
                return self.endings.failed(url, queue, host, fetched, cause)
            case Answer.REDIRECT:
                return self.endings.redirected(url, queue, host, fetched, cause)
            case Answer.NOT_MODIFIED:
                return self.endings.unchanged(url, host, fetched, past)
            case Answer.OTHER_TYPE:
                return self.endings.other_type(url, host, fetched)

        listed = await self._list(url, fetched) if fetched.entries > PIECE else 0
        now = self.clock.now()
        reading = self.readings.of(url, fetched)
        copy = self.copies.recognise(url, fetched) if reading.kind == "page" else None
        found = self.links.of_answer(url, fetched, reading, now)
        try:
            return self.endings.completed(url, host, fetched, reading, copy, found, listed)
        except BaseException:
            self.links.take_back(found)
            raise

    async def _list(self, url: QueuedUrl, fetched: Fetched) -> int:
        """A large sitemap, a piece at a time. Nothing is awaited between admission and commit: no piece can be lost."""
        listed = 0
        for piece in self.links.in_pieces(url, fetched, self.clock.now()):
            with self.links.taken_back_on_failure([piece]):
                listed += self.endings.listed(url, piece)
            await asyncio.sleep(0)
        return listed
