"""The path of one answer from an archive of others, to the submission of its outcome (S11).

It is that of `journey.py` without what belongs to a request: no host is prepared, nothing is sent, nothing is retried,
and robots.txt has no say. The links that are found are queued by the scope, for a later run on the web.
"""

from dataclasses import dataclass

from hondius.clock import Clock
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.dedup import Duplicates
from hondius.crawler.fetch import PAGE, Answer, classify_answer
from hondius.crawler.imported_robots import ImportedRobots
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links, PreviousVisit, Readings
from hondius.model import SeedsTaken
from hondius.native import Fetched, QueuedUrl, Url

HREFS_A_FRAME = 5_000


@dataclass(frozen=True, slots=True)
class ImportJourney:
    links: Links
    readings: Readings
    copies: Duplicates
    robots: ImportedRobots
    outcomes: Outcomes
    commit: Commit
    clock: Clock
    wanted_types: frozenset[str]

    def extend_scope(self, hrefs: list[str], source: str) -> None:
        """Records the hosts of the archives before their first page."""
        now = self.clock.now()
        for first in range(0, max(1, len(hrefs)), HREFS_A_FRAME):
            some = hrefs[first : first + HREFS_A_FRAME]
            is_last = first + HREFS_A_FRAME >= len(hrefs)
            joined = self.links.extend_scope("\n".join(some)) if some else ""
            self.commit.submit(Outcome(events=[SeedsTaken(now, source, 0, is_last, joined)]))
        self.commit.hurry()

    async def process(self, url: Url, fetched: Fetched, *, is_known: bool, previous: PreviousVisit | None) -> bool:
        """`is_known`: the URL has ended before. `previous`: that visit, if the answer is a 304. Returns whether it is a
        page."""
        now = self.clock.now()
        found = self.links.admit_imported(url, is_known=is_known, now=now)
        with self.links.withdraw_on_failure([found]):
            self.commit.submit(Outcome(discoveries=[found]))
        queued = QueuedUrl.imported(url.href, url.key, discovered_at=now, is_known=is_known)
        return await self._read(queued, fetched, previous, self.robots.find_usage(url))

    async def _read(self, url: QueuedUrl, fetched: Fetched, previous: PreviousVisit | None, usage: str | None) -> bool:
        answer, cause = classify_answer(fetched, self.wanted_types)
        match answer:
            case Answer.FAILURE:
                self.outcomes.finish_failed(url, fetched, cause, fetched.detail, usage)
                return False
            case Answer.REDIRECT:
                self.outcomes.finish_redirect(url, None, fetched, cause, usage)
                return False
            case Answer.NOT_MODIFIED:
                self.outcomes.finish_unchanged(url, fetched, previous, usage)
                return True
            case Answer.OTHER_TYPE:
                self.outcomes.finish_other_type(url, fetched, usage)
                return False
        assert answer is PAGE
        try:
            return await self._finish_page(url, fetched, usage)
        except BaseException:
            self.copies.forget(url, fetched)
            raise

    async def _finish_page(self, url: QueuedUrl, fetched: Fetched, usage: str | None) -> bool:
        """Returns whether it is a page."""
        reading = self.readings.classify(url, fetched)
        near_of = self.copies.near.recognise(url, fetched, reading.kind)
        is_near, are_many, listed = near_of is not None, self.links.has_many(fetched, reading), 0
        if are_many:
            url, listed = await self.outcomes.admit_in_pieces(url, fetched, reading, None, is_near)
        copy = self.copies.exact.recognise(url, fetched) if reading.kind == "page" else None
        found = [] if are_many else self.links.admit_links(url, fetched, reading, self.clock.now(), None, is_near)
        try:
            self.outcomes.finish_page(url, fetched, reading, copy, found, listed, usage, near_of=near_of)
            return reading.kind == "page"
        except BaseException:
            self.links.withdraw(found)
            raise
