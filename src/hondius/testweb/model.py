"""The parts of a plan. All are frozen: both the server and the manifest read the plan."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec


class RobotsMode(StrEnum):
    """How a host answers for its robots.txt (B2)."""

    PLAIN = "plain"
    ABSENT = "absent"
    """404: there are no rules."""
    REDIRECTED = "redirected"
    """301 to another path of the same host, where the rules are."""
    UNREACHABLE = "unreachable"
    """Always 503: the URLs of the host wait."""


class SitemapMode(StrEnum):
    ABSENT = "absent"
    DEFAULT = "default"
    """At /sitemap.xml, and not mentioned in robots.txt."""
    NAMED = "named"
    """An index named in robots.txt; its children are XML, gzipped XML and text."""


class Content(StrEnum):
    """How a body is made."""

    PAGE = "page"
    FRAMESET = "frameset"
    TEXT = "text"
    FEED = "feed"
    BINARY = "binary"
    NOTICE = "notice"
    """A few words of HTML, for everything else."""
    READY = "ready"
    """The planned text, as it is."""
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    SITEMAP_INDEX = "sitemap_index"


class Kind(StrEnum):
    """How one resource refers to another. `COMMENT` and those after it look like links but must not be followed."""

    ANCHOR = "a"
    AREA = "area"
    IFRAME = "iframe"
    FRAME = "frame"
    CANONICAL = "canonical"
    ALTERNATE = "alternate"
    NEXT = "next"
    PREVIOUS = "prev"
    FEED = "feed"
    REFRESH = "refresh"
    COMMENT = "comment"
    SCRIPT_TEXT = "script_text"
    TEXTAREA = "textarea"
    FORM = "form"
    IMAGE = "image"
    SCRIPT = "script"
    STYLESHEET = "stylesheet"


class Host(msgspec.Struct, frozen=True):
    number: int
    name: str
    scheme: str
    address: str
    language: str
    robots: RobotsMode
    sitemap: SitemapMode

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.name}"


class Expected(msgspec.Struct, frozen=True):
    """How a URL must end (F7), with scope `any` and the default switches of U2."""

    state: str
    cause: str = ""
    requests: int = 1
    redirect_to: str | None = None
    copy_of: str | None = None


COMPLETED = Expected("completed")


class Answer(msgspec.Struct, frozen=True):
    """The answer of a resource. Only `session_redirect` and `failures` depend on the request."""

    status: int = 200
    content: Content = Content.PAGE
    media_type: str = "text/html"
    headers: tuple[tuple[str, str], ...] = ()
    location: str | None = None
    delay: float = 0.0
    """Seconds before the first byte."""
    failures: int = 0
    """Number of requests, the first ones, that get `failure_status` instead."""
    failure_status: int = 500
    retry_after: int | None = None
    session_redirect: bool = False
    """If requested with a session id, it redirects to itself without one."""
    same_as: str | None = None
    """Id of the resource whose body this is, octet for octet."""
    metas: tuple[tuple[str, str], ...] = ()
    """`<meta name content>` of the page's head."""
    absolute_links: bool = False
    """All links are absolute, so that the body means the same under any URL."""
    text: str = ""
    """The body of robots.txt and of text files, as planned."""
    listed: tuple[str, ...] = ()
    """Hrefs in a sitemap or feed."""
    packed: bool = False
    """The body is a gzip file (not a content-coding)."""


PLAIN_PAGE = Answer()


class Resource(msgspec.Struct, frozen=True):
    """One resource of a server, whichever variant of its URL is requested."""

    id: str
    host: Host
    target: str
    """Path and query, in key form; can also be requested in this form."""
    kind: str
    """Name of the scenario that added it; `page` for ordinary pages."""
    answer: Answer = PLAIN_PAGE
    expected: Expected | None = COMPLETED
    """None if a crawl never finds it, or must not follow the link."""
    hrefs: tuple[str, ...] = ()
    """The only hrefs that links use; empty if links may use any variant (`variants`)."""

    @property
    def key_form(self) -> str:
        return self.host.origin + self.target


class Link(msgspec.Struct, frozen=True):
    """A link that the plan requires. Pages also have random links to other pages."""

    to: str
    kind: Kind = Kind.ANCHOR
    nofollow: bool = False
    href: str | None = None
    """The exact href; None for any variant."""


class Product(msgspec.Struct, frozen=True):
    """What a crawl of the shop must find on the page of a product."""

    url: str
    title: str
    price: float
    currency: str
    sku: str
    available: bool


class Labelled(msgspec.Struct, frozen=True):
    """A page with a topic that is known beforehand."""

    url: str
    topic: str


@dataclass(frozen=True)
class Web:
    seed: int
    hosts: tuple[Host, ...]
    pages: tuple[tuple[Resource, ...], ...]
    """The ordinary pages of each host, root first. The shop has none."""
    resources: dict[str, Resource]
    targets: dict[str, dict[str, Resource]]
    """Host name, then target."""
    links: dict[str, tuple[Link, ...]]
    products: tuple[Product, ...] = ()
    labelled: tuple[Labelled, ...] = ()

    @property
    def seeds(self) -> list[str]:
        return [f"{host.origin}/" for host in self.hosts]
