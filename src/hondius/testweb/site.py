"""One host while it is being planned: what the cards write on."""

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
from hondius.testweb.words import slug


class Site:
    """Draws every choice from a generator of its own: what one host does never shifts the choices of the next."""

    def __init__(self, host: Host, random: Random, neighbours: list["Site"], slowest: float) -> None:
        self.host = host
        self.random = random
        self.slowest = slowest
        self.pages: list[Resource] = []
        self.resources: list[Resource] = []
        self.links: dict[str, list[Link]] = {}
        self.rules: list[str] = []
        """Lines of robots.txt for everybody."""
        self.own_rules: list[str] = []
        """Lines for Hondius alone."""
        self.foreign_rules: list[str] = []
        """Lines for everybody else; there must be `own_rules` too, since one's own group hides that of `*` (B1)."""
        self.server_errors = 0
        """5xx that a crawl will see here; a fifth in a row would open the circuit (P4)."""
        self.sitemap_only: list[str] = []
        self._neighbours = neighbours
        self._paths = PagePaths(random)

    @property
    def has_rules(self) -> bool:
        return self.host.robots in (RobotsMode.PLAIN, RobotsMode.REDIRECTED)

    @property
    def has_sitemap(self) -> bool:
        return self.host.sitemap is not SitemapMode.ABSENT

    def elsewhere(self) -> "Site":
        """Another host that answers; this one where it is alone."""
        at = self.random.randrange(len(self._neighbours))
        return self._neighbours[at] if self._neighbours[at] is not self else self._neighbours[at - 1]

    def any_page(self) -> Resource:
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
        """The next ordinary page, linked from an earlier one."""
        page = self.add("page", self._paths.next())
        if self.pages:
            self.link(self.pages[(len(self.pages) - 1) // 6], page)
        self.pages.append(page)
        return page

    def link(self, source: Resource, to: Resource, kind: Kind = Kind.ANCHOR, *, nofollow: bool = False) -> None:
        """One link for each way in which `to` is written."""
        for href in to.hrefs or (None,):
            self.links.setdefault(source.id, []).append(Link(to.id, kind, nofollow, href))

    def offer(self, to: Resource, kind: Kind = Kind.ANCHOR, *, nofollow: bool = False) -> None:
        """Linked from some page of this host."""
        self.link(self.any_page(), to, kind, nofollow=nofollow)

    def fresh(self, directory: str, suffix: str = "") -> str:
        """A target of this host that no other resource has."""
        return f"{directory}{slug(self.random)}-{len(self.resources)}{suffix}"

    def href(self, target: str) -> str:
        return self.host.origin + target

    def hidden(self, kind: str, target: str) -> Resource:
        """Something that no crawl may ask for, since it has no right to know of it."""
        return self.add(kind, target, expected=None, hrefs=(self.href(target),))
