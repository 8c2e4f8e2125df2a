"""A small web, generated from a seed. It knows the truth about every URL.

Every host and every page has at most one *trouble*, so that the expected end is certain. Bodies do not change, but
answers may: a page that fails at first, a host that is down for a while, a robots.txt that is edited.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from hondius.native import Identity, Url

HOUR = 3_600.0
DAY = 24 * HOUR
IDENTITY = Identity()

HOST_TROUBLES = (
    *("healthy",) * 8,
    "slow",
    "down",
    "names_fail",
    "nxdomain",
    "busy",
    "dripping",
    "flaky",
)
ROBOTS_MODES = (
    *("plain",) * 4,
    "absent",
    "crawl_delay",
    "edited",
    "moved",
    "elsewhere",
    "late",
    "short_lived",
    "never",
)
PAGE_KINDS = (
    *("page",) * 22,
    "copy",
    "copy",
    "copy_elsewhere",
    "missing",
    "gone",
    "private",
    "image",
    "redirect",
    "chain",
    "loop",
    "session",
    "fails_first",
    "fails_first",
    "broken",
    "cut",
    "told_to_wait",
    "noindex",
)
FIRST_FAILURES = ("http_500", "http_503", "http_429", "connection_reset", "read_timeout", "body_incomplete", "http_408")
LASTING_FAILURES = ("http_500", "http_501", "connection_reset", "total_timeout", "http_malformed", "http_403")

SEVERAL_ADDRESSES = 0.3
"""Share of the hosts with several addresses."""
REQUISITES = {"style": ("css", "text/css"), "picture": ("png", "image/png")}
"""Kinds of requisites: suffix and media type."""
FAR_PAGES = 4
"""Pages per host that only another host links to."""
REFUSALS = ("connect_refused", "connect_refused", "connect_timeout")


@dataclass(slots=True, eq=False)
class Host:
    number: int
    name: str
    scheme: str
    address: str
    trouble: str
    robots: str
    latency: float
    down: list[tuple[float, float, str]]
    """(start, end, cause) of outages."""
    has_both: bool = False
    """Whether it answers both http and https: one host, two origins."""
    edited_at: float = 0.0
    crawl_delay: float = 0.0
    other_addresses: list[str] = field(default_factory=list)
    """After the first address, in the order of DNS."""
    refusing: dict[str, str] = field(default_factory=dict)
    """Addresses that refuse connections, and the cause. At least one address of each host accepts them."""
    elsewhere: "Host | None" = None
    pages: "list[Page]" = field(default_factory=list)
    sitemap: "Page | None" = None

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.name}"

    @property
    def addresses(self) -> list[str]:
        return [self.address, *self.other_addresses]

    @property
    def is_healthy(self) -> bool:
        return self.trouble == "healthy" and self.robots not in ("late", "never", "edited")

    def rules(self, at: float) -> str:
        """Its robots.txt, if it has one."""
        lines = ["User-agent: *", "Disallow: /private/"]
        if self.robots == "edited" and at >= self.edited_at:
            lines.append("Disallow: /edited/")
        if self.crawl_delay:
            lines.append(f"Crawl-delay: {self.crawl_delay:g}")
        if self.sitemap is not None:
            lines.append(f"Sitemap: {self.sitemap.href}")
        return "\n".join(lines) + "\n"


@dataclass(eq=False)
class Page:
    """`links` in the order of the body; `target` of a redirect; `original` of a copy."""

    host: Host
    path: str
    kind: str
    links: "list[Page | str]" = field(default_factory=list)
    requisites: "list[Page]" = field(default_factory=list)
    target: "Page | None" = None
    original: "Page | None" = None
    failures: int = 0
    cause: str = ""
    retry_after: float | None = None
    requests: int = 0
    scheme: str = ""
    """If it differs from the host's usual scheme: politeness is per host, robots.txt per origin."""

    @property
    def origin(self) -> str:
        return f"{self.scheme or self.host.scheme}://{self.host.name}"

    @property
    def href(self) -> str:
        return self.origin + self.path

    @cached_property
    def url(self) -> Url:
        return IDENTITY.parse(self.href)

    @cached_property
    def body(self) -> bytes:
        if self.original is not None:
            return self.original.body
        if self.kind == "sitemap":
            entries = "".join(f"<url><loc>{href}</loc></url>" for href in self.linked)
            return f"<urlset>{entries}</urlset>".encode()
        if self.kind in REQUISITES:
            rules = " ".join(f"b {{ background: url({one.href}) }}" for one in self.requisites)
            return f"/* {self.href} */ {rules}".encode()
        meta = '<meta name="robots" content="noindex">' if self.kind == "noindex" else ""
        anchors = "".join(f'<a href="{href}">x</a>' for href in self.linked)
        sheets = "".join(f'<link rel="stylesheet" href="{one.href}">' for one in self.requisites if one.kind == "style")
        images = "".join(f'<img src="{one.href}">' for one in self.requisites if one.kind != "style")
        head = f"{meta}{sheets}<title>{self.path}</title>"
        return f"<!doctype html><html><head>{head}</head><body>{self.href} {images}{anchors}".encode()

    @property
    def linked(self) -> Iterator[str]:
        return (link if isinstance(link, str) else link.mentioned_as for link in self.links)

    @property
    def mentioned_as(self) -> str:
        """Links to a page with session ids always have one; URL identity ignores it."""
        return f"{self.href}?PHPSESSID=0123456789abcdef0123" if self.kind == "session" else self.href


class Web:
    def __init__(self, seed: int, dawn: float) -> None:
        self.chance = Random(f"web {seed}")
        self.dawn = dawn
        self.hosts = [self._host(number) for number in range(self.chance.randint(10, 30))]
        for host in self.hosts:
            host.elsewhere = self.hosts[0] if host.robots == "elsewhere" else None
        self._give_addresses(Random(f"addresses {seed}"))
        self.pages: dict[tuple[str, str], Page] = {}
        self._populate()
        self._link()
        self.by_key = {page.url.key: page for page in self.pages.values()}

    def add_far_pages(self, chance: Random) -> None:
        """Adds pages that exactly one page, of another host, links to: if that link is lost, so is the page."""
        readers = [page for host in self.hosts for page in host.pages if page.kind in ("page", "noindex")]
        for host in self.hosts:
            for number in range(FAR_PAGES):
                page = self._add_hidden(Page(host, f"/far/{number}", "page"))
                self.by_key[page.url.key] = page
                chance.choice([reader for reader in readers if reader.host is not host]).links.append(page)

    def add_requisites(self, chance: Random, *, with_pages: bool) -> None:
        """Gives pages style sheets and pictures, of any host. Some style sheets need pictures, too. `with_pages`: some
        pages show another page as a picture."""
        added = []
        for host in self.hosts:
            for number in range(chance.randint(0, 6)):
                kind = chance.choice(list(REQUISITES))
                added.append(self._add_hidden(Page(host, f"/look/{number}.{REQUISITES[kind][0]}", kind)))
        pictures = [one for one in added if one.kind == "picture"]
        for sheet in [one for one in added if one.kind == "style" and pictures]:
            sheet.requisites = chance.choices(pictures, k=chance.randint(0, 2))
        readers = [page for host in self.hosts for page in host.pages if page.kind in ("page", "noindex")]
        for page in readers:
            page.requisites = chance.choices(added, k=chance.randint(0, 3)) if added else []
            if with_pages and chance.random() < 0.05:
                page.requisites.append(chance.choice(readers))
        self.by_key |= {one.url.key: one for one in added}

    @property
    def seeds(self) -> list[Page]:
        return [host.pages[0] for host in self.hosts]

    def find(self, url: Url) -> Page | None:
        return self.pages.get((url.origin, url.path_and_query.partition("?")[0]))

    def host(self, name: str) -> Host:
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Host]:
        return {host.name: host for host in self.hosts}

    def _host(self, number: int) -> Host:
        chance = self.chance
        domain = f"d{number // 2}.test" if chance.random() < 0.3 else f"s{number}.test"
        shared = chance.random() < 0.4
        trouble = "healthy" if number == 0 else chance.choice(HOST_TROUBLES)
        robots = "plain" if number == 0 else chance.choice(ROBOTS_MODES)
        return Host(
            number=number,
            name=f"h{number}.{domain}",
            scheme=chance.choice(("http", "https")),
            address=f"192.0.2.{chance.randint(1, 3) if shared else 10 + number}",
            trouble=trouble,
            robots=robots,
            latency=chance.choice((0.005, 0.02, 0.05, 0.2)) * (30 if trouble == "slow" else 1),
            down=list(self._outages(trouble)),
            has_both=chance.random() < 0.25,
            edited_at=self.dawn + chance.uniform(10, 3 * DAY),
            crawl_delay=chance.choice((2.0, 5.0, 11.0, 90.0)) if robots == "crawl_delay" else 0.0,
        )

    def _give_addresses(self, chance: Random) -> None:
        """Some hosts have several addresses, some shared with other hosts, and some addresses refuse connections."""
        for host in self.hosts:
            if chance.random() >= SEVERAL_ADDRESSES:
                continue
            others = [
                f"192.0.2.{chance.randint(1, 3) if chance.random() < 0.4 else 100 + 4 * host.number + more}"
                for more in range(chance.randint(1, 3))
            ]
            host.other_addresses = [one for one in dict.fromkeys(others) if one != host.address]
            working = chance.choice(host.addresses)
            host.refusing = {
                one: chance.choice(REFUSALS) for one in host.addresses if one != working and chance.random() < 0.7
            }

    def _outages(self, trouble: str) -> Iterator[tuple[float, float, str]]:
        causes = {
            "down": ("connect_refused", "connect_timeout", "connection_reset"),
            "busy": ("http_503", "http_429"),
            "flaky": ("http_502", "read_timeout", "body_incomplete"),
            "names_fail": ("dns_failure",),
        }.get(trouble, ())
        at = self.dawn
        for _ in range(self.chance.randint(1, 4) if causes else 0):
            at += self.chance.expovariate(1 / 120)
            ends = at + self.chance.choice((3.0, 20.0, 90.0, 600.0))
            yield at, ends, self.chance.choice(causes)
            at = ends

    def _populate(self) -> None:
        chance = self.chance
        for host in self.hosts:
            self._add(Page(host, "/", "page"))
            for number in range(min(60, int(8 * chance.paretovariate(1.2)))):
                kind = chance.choice(PAGE_KINDS)
                directory = "private" if kind == "private" else chance.choice(("a", "b", "edited"))
                page = self._add_trouble(Page(host, f"/{directory}/{number}", kind))
                if host.has_both and chance.random() < 0.3:
                    page.scheme = "http" if host.scheme == "https" else "https"
                self._add(page)
            if chance.random() < 0.4:
                host.sitemap = Page(host, "/map.xml", "sitemap")
                self.pages[host.origin, "/map.xml"] = host.sitemap

    def _add(self, page: Page) -> Page:
        page.host.pages.append(page)
        self.pages[page.origin, page.path] = page
        return page

    def _add_trouble(self, page: Page) -> Page:
        chance = self.chance
        if page.kind == "fails_first":
            page.failures, page.cause = chance.randint(1, 3), chance.choice(FIRST_FAILURES)
            if page.cause == "connection_reset" and page.failures == 1:
                page.cause = "connection_stale"
        elif page.kind == "told_to_wait":
            page.failures, page.cause = 1, chance.choice(("http_429", "http_503"))
            page.retry_after = chance.choice((3.0, 30.0, 400.0, 5_000.0))
        elif page.kind == "broken":
            page.failures, page.cause = 1 << 30, chance.choice(LASTING_FAILURES)
        elif page.kind == "image":
            page.path += ".dat"
        return page

    def _link(self) -> None:
        """Links every page from an earlier page of its host, and every root from an earlier host. Further links prefer
        popular pages."""
        everything = [page for host in self.hosts for page in host.pages]
        readers = [page for page in everything if page.kind in ("page", "noindex")]
        for host in self.hosts:
            if host.number:
                self.hosts[self.chance.randrange(host.number)].pages[0].links.append(host.pages[0])
            self._link_within(host)
        for page in everything:
            self._point(page, readers)
            for _ in range(self.chance.randint(0, 6) if page.kind in ("page", "noindex") else 0):
                page.links.append(everything[min(len(everything) - 1, int(self.chance.paretovariate(0.7)))])
        for page in self.chance.sample(readers, min(3, len(readers))):
            page.links.append(f"{page.host.origin}/files/{self.chance.randint(1, 9)}.zip")
        for host in self.hosts:
            if host.sitemap is not None and self.chance.random() < 0.5:
                host.sitemap.links.append(self.chance.choice(readers))  # often of another host

    def _link_within(self, host: Host) -> None:
        sources = [host.pages[0]]
        for page in host.pages[1:]:
            if host.sitemap is not None and page.kind == "page" and self.chance.random() < 0.3:
                host.sitemap.links.append(page)
            else:
                self.chance.choice(sources).links.append(page)
            if page.kind == "page":
                sources.append(page)

    def _point(self, page: Page, readers: list[Page]) -> None:
        """Chooses the targets of redirects and the originals of copies."""
        chance, host = self.chance, page.host
        if page.kind == "redirect":
            page.target = chance.choice(readers)
        elif page.kind == "loop":
            page.target = page
        elif page.kind == "chain":
            hops = chance.randint(2, 7)
            for hop in range(hops):
                following = self._add_hidden(Page(host, f"{page.path}.{hop}", "chain" if hop < hops - 1 else "page"))
                page.target = following
                page = following
        elif page.kind == "copy":
            same = [
                one for one in host.pages if one.kind == "page" and one.path.split("/")[1] == page.path.split("/")[1]
            ]
            page.original = chance.choice(same) if same else None
        elif page.kind == "copy_elsewhere":
            page.original = chance.choice(readers)

    def _add_hidden(self, page: Page) -> Page:
        """Adds a page that only a redirect leads to."""
        self.pages[page.origin, page.path] = page
        return page
