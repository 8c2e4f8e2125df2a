"""Admits the sitemaps of an origin: those that its robots.txt names, or the usual place."""

from collections.abc import Sequence

from hondius.clock import Clock
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.page import Links
from hondius.crawler.politeness import RobotsCache, Rules, parse_host
from hondius.model import AnyEvent, RobotsCopy
from hondius.native import Discoveries, Identity, NativeError

MOST_NAMED = 1_000
"""Sitemaps that one robots.txt may name."""


class Sitemaps:
    def __init__(
        self,
        *,
        robots: RobotsCache,
        links: Links,
        left_outs: LeftOuts,
        identity: Identity,
        are_wanted: bool,
        clock: Clock,
    ) -> None:
        self._robots = robots
        self._links = links
        self._left_outs = left_outs
        self._identity = identity
        self._are_wanted = are_wanted
        self._clock = clock

    def admit_from_copy(self, copy: RobotsCopy) -> tuple[list[Discoveries], Sequence[AnyEvent]]:
        """The sitemaps of a robots.txt that was fetched. If they are out of the scope and seeds are still missing, the
        origin is listed (D1)."""
        if copy.outcome == "unreachable" or not self._are_wanted:
            return [], ()
        found = self.admit(copy.origin, self._robots.find(copy.origin))
        return found, () if found else self._left_outs.make_left_out(origin=copy.origin)

    async def look_up_rules(self, origin: str) -> Rules | None:
        """For any origin whose robots.txt was fetched."""
        return await self._robots.look_up(origin)

    def admit(self, origin: str, rules: Rules | None) -> list[Discoveries]:
        """Nothing for an origin that is out of the scope."""
        if not self._links.is_near(origin):
            return []
        named = rules.parsed.sitemaps if rules is not None and rules.parsed is not None else []
        if not named:
            return [self._links.admit_guessed_sitemap(origin, self._clock.now())]
        files = self._parse_all(named[:MOST_NAMED], origin)
        return [self._links.admit_sitemaps(files, parse_host(origin), self._clock.now())]

    def _parse_all(self, named: Sequence[str], origin: str) -> list[tuple[str, bytes]]:
        files = []
        for text in named:
            try:
                url = self._identity.parse(text, origin)
            except NativeError:
                continue
            files.append((url.href, url.key))
        return files
