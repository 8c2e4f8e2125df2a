"""One host while it is being planned; scenarios modify it."""

from random import Random

from hondius.testweb.model import (
    COMPLETED,
    PLAIN_PAGE,
    Answer,
    Expected,
    Host,
    Kind,
    Link,
    Resource,
    RobotsMode,
    SitemapMode,
)
from hondius.testweb.paths import PagePaths
from hondius.testweb.words import make_slug


class Site:
    """Has its own random generator, so that the choices of one host do not affect those of others."""

    def __init__(self, host: Host, random: Random, neighbours: list["Site"], slowest: float) -> None:
        self.host = host
        self.random = random
        self.slowest = slowest
        self.pages: list[Resource] = []
        self.resources: list[Resource] = []
        self.links: dict[str, list[Link]] = {}
        self.rules: list[str] = []
        """Lines of robots.txt for all crawlers."""
        self.own_rules: list[str] = []
        """Lines for Hondius alone."""
        self.foreign_rules: list[str] = []
        """Lines for all other crawlers. Needs `own_rules`, as a group of its own makes Hondius ignore that of `*`
        (B1)."""
        self.server_errors = 0
        """5xx answers that a crawl will get here; five in a row would open the circuit (P4)."""
        self.sitemap_only: list[str] = []
        self._neighbours = neighbours
        self._paths = PagePaths(random)

    @property
    def has_rules(self) -> bool:
        return self.host.robots in (RobotsMode.PLAIN, RobotsMode.REDIRECTED)

    @property
    def has_sitemap(self) -> bool:
        return self.host.sitemap is not SitemapMode.ABSENT

    def choose_other_host(self) -> "Site":
        """Another host that answers, or this one if there is none."""
        at = self.random.randrange(len(self._neighbours))
        return self._neighbours[at] if self._neighbours[at] is not self else self._neighbours[at - 1]

    def choose_page(self) -> Resource:
        return self.random.choice(self.pages)

    def add(
        self,
        kind: str,
        target: str,
        answer: Answer = PLAIN_PAGE,
        expected: Expected | None = COMPLETED,
        hrefs: tuple[str, ...] = (),
    ) -> Resource:
        resource = Resource(
            f"{self.host.name}/{kind}-{len(self.resources)}", self.host, target, kind, answer, expected, hrefs
        )
        self.resources.append(resource)
        return resource

    def add_page(self) -> Resource:
        """Adds an ordinary page, linked from an earlier one."""
        page = self.add("page", self._paths.next())
        if self.pages:
            self.link(self.pages[(len(self.pages) - 1) // 6], page)
        self.pages.append(page)
        return page

    def link(self, source: Resource, to: Resource, kind: Kind = Kind.ANCHOR, *, nofollow: bool = False) -> None:
        """Adds one link for each href of `to`."""
        for href in to.hrefs or (None,):
            self.links.setdefault(source.id, []).append(Link(to.id, kind, nofollow, href))

    def link_from_some_page(self, to: Resource, kind: Kind = Kind.ANCHOR, *, nofollow: bool = False) -> None:
        """Links to it from some page of this host."""
        self.link(self.choose_page(), to, kind, nofollow=nofollow)

    def make_target(self, directory: str, suffix: str = "") -> str:
        """A new target, not used by other resources of this host."""
        return f"{directory}{make_slug(self.random)}-{len(self.resources)}{suffix}"

    def href(self, target: str) -> str:
        return self.host.origin + target

    def add_hidden(self, kind: str, target: str) -> Resource:
        """Adds a resource that no crawl may request, because it must not follow the only link to it."""
        return self.add(kind, target, expected=None, hrefs=(self.href(target),))
