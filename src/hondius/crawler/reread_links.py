"""Admits the links of an archived answer again: by a shorter path, or because the scope has grown."""

from collections.abc import Iterator
from dataclasses import dataclass

from hondius.clock import Clock
from hondius.crawler.archived_answers import Row
from hondius.crawler.page import Links
from hondius.crawler.politeness import Rules
from hondius.crawler.sitemaps import Sitemaps
from hondius.model import LeftOut, State
from hondius.native import Discoveries, Identity, Listing, Page


@dataclass(frozen=True, slots=True)
class ArchivedAnswer:
    """The last answer that had links or redirected, and the content of its record."""

    row: Row | None
    """None: there never was such an answer."""
    content: Page | Listing | None = None
    is_lost: bool = False
    """It has or may have links, and its body cannot be read from the archive."""
    rules: Rules | None = None
    """The rules of an origin whose sitemaps are judged again."""


class RereadLinks:
    def __init__(self, links: Links, identity: Identity, sitemaps: Sitemaps, clock: Clock) -> None:
        self.links = links
        self.sitemaps = sitemaps
        self._identity = identity
        self._clock = clock

    def admit_closer(self, due: ArchivedAnswer, key: bytes, depth: int) -> list[Discoveries]:
        now, row = self._clock.now(), due.row
        if row is None:
            return []
        if due.is_lost:
            return [self.links.admit_refetch(self._identity.parse(row["url"]), row["source"], depth, now)]
        if isinstance(due.content, Page):
            return [self.links.admit_closer_links(row, due.content, depth, now)]
        if row["state"] == State.REDIRECTED and row["redirect_to"]:
            return [self.links.admit_closer_target(key, self._identity.parse(row["redirect_to"]), depth, now)]
        return []

    def admit_inside(self, due: ArchivedAnswer, item: LeftOut, depth: int) -> Iterator[list[Discoveries]]:
        """What it leads to, judged by the present scope; for a sitemap in pieces."""
        now, row, content = self._clock.now(), due.row, due.content
        if item.origin:
            yield self.sitemaps.admit(item.origin, due.rules)
        elif row is None:
            return
        elif due.is_lost:
            url = self._identity.parse(row["url"])
            yield [self.links.admit_refetch(url, row["source"], row["depth"], now, row["kind"])]
        elif isinstance(content, Listing):
            for piece in self.links.readmit_pages(item.key, row["host"], content, now):
                yield [piece]
        elif content is not None:
            if row["kind"] == "page" or self.links.may_read(row["url"], row["discovered_at"]):
                yield [self.links.readmit_links(row, content, depth, now)]
        elif row["redirect_to"]:
            target = self._identity.parse(row["redirect_to"])
            kind, wanted = row["kind"], row["priority"]
            yield [
                self.links.readmit_target(
                    item.key, row["host"], target, kind=kind, depth=depth, hops=item.hops, wanted=wanted, now=now
                )
            ]
