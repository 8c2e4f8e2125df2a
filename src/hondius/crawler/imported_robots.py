"""The robots.txt files of imported archives (S11)."""

from dataclasses import dataclass

from hondius.crawler.commit import Commit, FetchRecord, Outcome
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links
from hondius.crawler.politeness import RobotsCache
from hondius.crawler.sitemaps import Sitemaps
from hondius.native import Fetched, Url

SERVER_ERROR, TOO_MANY_REQUESTS = 500, 429


@dataclass(frozen=True, slots=True)
class ImportedRobots:
    robots: RobotsCache
    sitemaps: Sitemaps
    links: Links
    outcomes: Outcomes
    commit: Commit

    def process(self, origin: str, fetched: Fetched) -> bool:
        """It becomes a copy, as of its date, which states usage preferences. It permits no request: whoever made the
        archive may have invented it, so a later run on the web does not read it.

        Returns False if it says nothing, or nothing newer, or the crawl itself requested this robots.txt before."""
        status = fetched.status or SERVER_ERROR
        if fetched.failure is not None or status >= SERVER_ERROR or status == TOO_MANY_REQUESTS:
            return False
        before = self.robots.read_rules(origin)
        if before is not None and (before.copy.imported is None or before.copy.at >= fetched.started_at):
            return False
        self.commit.submit(Outcome(record=FetchRecord(fetched)))
        copy = self.robots.accept_imported(origin, fetched).copy
        found, left_out = self.sitemaps.admit_from_copy(copy)
        with self.links.withdraw_on_failure(found):
            events = [copy, *self.outcomes.list_refusals(found), *left_out]
            self.commit.submit(Outcome(events=events, discoveries=found))
        return True

    def find_usage(self, url: Url) -> str | None:
        """The usage preferences of the robots.txt that is known for a page (W2)."""
        rules = self.robots.read_rules(url.origin)
        return None if rules is None or rules.parsed is None else rules.parsed.usage(url.path_and_query)
