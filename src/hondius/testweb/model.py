"""What a planned web is made of. Everything is frozen: a plan is read by the server and the manifest alike."""

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
    """503 for ever: the host's URLs wait."""


class SitemapMode(StrEnum):
    ABSENT = "absent"
    DEFAULT = "default"
    """At /sitemap.xml, and not mentioned in robots.txt."""
    NAMED = "named"
    """An index named in robots.txt; its children are XML, gzipped XML and text."""


class Content(StrEnum):
    """What a body is made by."""

    PAGE = "page"
    FRAMESET = "frameset"
    TEXT = "text"
    FEED = "feed"
    BINARY = "binary"
    NOTICE = "notice"
    """A few words of HTML, for everything that is not an answer of its own."""
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    SITEMAP_INDEX = "sitemap_index"


class Kind(StrEnum):
    """How one resource mentions another. From `COMMENT` on they are no links to follow, whatever they look like."""

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
    """What a resource answers. Nothing here depends on who asks, but for `session_redirect` and `failures`."""

    status: int = 200
    content: Content = Content.PAGE
    media_type: str = "text/html"
    headers: tuple[tuple[str, str], ...] = ()
    location: str | None = None
    delay: float = 0.0
    """Seconds before the first byte."""
    failures: int = 0
    """The first so many requests get `failure_status` instead."""
    failure_status: int = 500
    retry_after: int | None = None
    session_redirect: bool = False
    """Asked for with a session id, it redirects to itself without."""
    same_as: str | None = None
    """Id of the resource whose body this is, octet for octet."""
    metas: tuple[tuple[str, str], ...] = ()
    """`<meta name content>` of the page's head."""
    absolute_links: bool = False
    """Every link is written in full: the body means the same under any URL."""
    text: str = ""
    """The body of robots.txt and of text files, as planned."""
    listed: tuple[str, ...] = ()
    """Hrefs in a sitemap or feed."""
    packed: bool = False
    """The body is a gzip file (not a content-coding)."""


PLAIN_PAGE = Answer()


class Resource(msgspec.Struct, frozen=True):
    """One thing that a server of this web knows, whatever its URL is dressed in."""

    id: str
    host: Host
    target: str
    """Path and query, in key form; also valid to request as it is."""
    kind: str
    """Name of the card that laid it out; `page` for the ordinary ones."""
    answer: Answer = PLAIN_PAGE
    expected: Expected | None = COMPLETED
    """None: a crawl never hears of it, or may not follow what it hears."""
    hrefs: tuple[str, ...] = ()
    """The only hrefs by which it is mentioned; empty where links may dress it freely (`variants`)."""

    @property
    def key_form(self) -> str:
        return self.host.origin + self.target


class Link(msgspec.Struct, frozen=True):
    """A link that the plan insists on. Pages have more, to other pages, which prove nothing."""

    to: str
    kind: Kind = Kind.ANCHOR
    nofollow: bool = False
    href: str | None = None
    """Written exactly so; None: dressed freely."""


@dataclass(frozen=True)
class Web:
    seed: int
    hosts: tuple[Host, ...]
    pages: tuple[tuple[Resource, ...], ...]
    """The ordinary pages of each host, root first."""
    resources: dict[str, Resource]
    targets: dict[str, dict[str, Resource]]
    """Host name, then target."""
    links: dict[str, tuple[Link, ...]]

    @property
    def seeds(self) -> list[str]:
        return [f"{host.origin}/" for host in self.hosts]
