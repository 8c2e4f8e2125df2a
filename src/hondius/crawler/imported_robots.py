"""The robots.txt files of imported archives (S11)."""

from dataclasses import dataclass, field

from hondius.crawler.commit import Commit, FetchRecord, Outcome
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links
from hondius.crawler.politeness import RobotsCache
from hondius.crawler.sitemaps import Sitemaps
from hondius.native import Fetched, Url
from hondius.usage import join_signals

REDIRECT, SERVER_ERROR, TOO_MANY_REQUESTS = 300, 500, 429
MOST_BYTES_AHEAD = 64 * 1024 * 1024
"""Of usage lines that are kept before their pages are imported. Later ones are known when their record is reached."""
BYTES_AN_ORIGIN = 300


@dataclass(slots=True)
class RobotsAhead:
    """What the newest robots.txt of each origin in the archives states, wherever it is in them. Its date and its usage
    lines are kept, so memory does not grow with anything else that it has."""

    newest: dict[str, tuple[float, bytes]] = field(default_factory=dict)
    size: int = 0
    """Approximate bytes of memory."""

    def add(self, origin: str, at: float, lines: bytes) -> None:
        before = self.newest.get(origin)
        if before is not None and before[0] >= at:
            return
        grown = BYTES_AN_ORIGIN + len(origin) if before is None else -len(before[1])
        if self.size + grown + len(lines) <= MOST_BYTES_AHEAD:
            self.newest[origin] = (at, lines)
            self.size += grown + len(lines)


@dataclass(frozen=True, slots=True)
class ImportedRobots:
    robots: RobotsCache
    sitemaps: Sitemaps
    links: Links
    outcomes: Outcomes
    commit: Commit
    ahead: RobotsAhead = field(default_factory=RobotsAhead)

    def read_ahead(self, origin: str, fetched: Fetched) -> None:
        """Remembers what it states, for pages that come before it. Any thread may call it before the first page."""
        if _says_something(fetched):
            is_good = fetched.status is not None and fetched.status < REDIRECT
            lines = self.robots.parse_usage_lines(fetched.robots_txt or b"") if is_good else []
            self.ahead.add(origin, fetched.started_at, "\n".join(lines).encode())

    def process(self, origin: str, fetched: Fetched) -> bool:
        """It becomes a copy, as of its date, which states usage preferences. It permits no request: whoever made the
        archive may have invented it, so a later run on the web does not read it.

        Returns False if it says nothing, or nothing newer, or the crawl itself requested this robots.txt before."""
        if not _says_something(fetched):
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
        """The usage preferences of the robots.txt that is known for a page, and of a newer one that comes later in the
        archives (W2)."""
        rules = self.robots.read_rules(url.origin)
        known = None if rules is None or rules.parsed is None else rules.parsed.usage(url.path_and_query)
        at, lines = self.ahead.newest.get(url.origin, (0.0, b""))
        if not lines or (rules is not None and (rules.copy.imported is None or rules.copy.at >= at)):
            return known
        return join_signals(known, self.robots.parse_usage(lines, url.path_and_query))


def _says_something(fetched: Fetched) -> bool:
    status = fetched.status or SERVER_ERROR
    return fetched.failure is None and status < SERVER_ERROR and status != TOO_MANY_REQUESTS
