"""The path of one URL, from its hand-out by the frontier to the submission of its outcome.

Its host is ready and has its turn (`run/hand_out.py`). An exception ends the turn and this URL, and undoes what it
admitted.
"""

from dataclasses import dataclass

from hondius.crawler.dedup import Duplicates
from hondius.crawler.fetch import PAGE, Answer, classify_answer
from hondius.crawler.frontier import BackQueue
from hondius.crawler.hooks import HookStep
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links, PreviousVisit, Readings
from hondius.crawler.page_requests import PageRequests, Sent, Unsent
from hondius.crawler.politeness import Host, Rules
from hondius.native import QueuedUrl


@dataclass(frozen=True, slots=True)
class Journey:
    """The stages that a URL passes through, connected by `assemble/`."""

    requests: PageRequests
    readings: Readings
    copies: Duplicates
    links: Links
    outcomes: Outcomes
    wanted_types: frozenset[str]
    hooks: HookStep | None = None

    async def process(
        self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, rules: Rules, previous: PreviousVisit | None
    ) -> None:
        """`previous`: the previous visit, if the URL is fetched again."""
        try:
            sent = await self.requests.send(url, queue.origin, host, address, rules, previous)
        except Unsent as unsent:
            return self.outcomes.handle_unsent(url, queue, unsent.verdict)
        fetched, was_conditional = sent.fetched, sent.previous is not None
        try:
            self.requests.release_address(address)
            self.outcomes.learn_from_answer(url, host, fetched, was_conditional=was_conditional)
            return await self._read(url, queue, host, sent)
        except BaseException:
            self.copies.forget(url, fetched)
            self.outcomes.handle_lost_answer(url, host, fetched, was_conditional=was_conditional)
            raise

    async def _read(self, url: QueuedUrl, queue: BackQueue, host: Host, sent: Sent) -> None:
        fetched, previous, usage = sent
        url = self.links.find_closest(url)
        answer, cause = classify_answer(fetched, self.wanted_types)
        if answer is not PAGE:
            match answer:
                case Answer.FAILURE:
                    return self.outcomes.handle_failure(url, queue, host, fetched, cause, usage)
                case Answer.REDIRECT:
                    return self.outcomes.finish_redirect(url, queue, fetched, cause, usage)
                case Answer.NOT_MODIFIED:
                    return self.outcomes.finish_unchanged(url, fetched, previous, usage)
                case _:
                    return self.outcomes.finish_other_type(url, fetched, usage)
        reading, judged = self.readings.classify(url, fetched), None
        if self.hooks is not None:  # the one place for hooks: nothing is admitted yet, so a cancel leaves it queued
            url, judged = await self.hooks.judge(url, fetched, reading)
        near_of = self.copies.near.recognise(url, fetched, reading.kind)
        is_near, are_many, listed = near_of is not None, self.links.has_many(fetched, reading), 0
        if are_many:
            url, listed = await self.outcomes.admit_in_pieces(url, fetched, reading, judged, is_near)
        # From here to the commit nothing is awaited.
        copy = self.copies.exact.recognise(url, fetched) if reading.kind == "page" else None
        found = [] if are_many else self.links.admit_links(url, fetched, reading, fetched.ended_at, judged, is_near)
        try:
            return self.outcomes.finish_page(url, fetched, reading, copy, found, listed, usage, judged, near_of)
        except BaseException:
            self.links.withdraw(found)
            raise
