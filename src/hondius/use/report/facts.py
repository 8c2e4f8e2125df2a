"""The report on a crawl, as structs: `--json` prints them. Lists are cut to a length; counts are complete."""

import msgspec


class Totals(msgspec.Struct, frozen=True):
    urls: int
    """URLs of pages that have ended, in any state."""
    pages: int
    """Those with content: completed, or copies of completed pages."""
    failed: int
    """Without a good answer: failed, or gone."""
    sitemaps: int
    hosts: int
    """Hosts that were contacted."""
    requests: int | None
    """All requests; None if the report is about some hosts only."""
    body_bytes: int
    """Bytes of all bodies, decoded."""
    wire_bytes: int
    """Bytes as they were received, of the last fetch of each page."""


class Bucket(msgspec.Struct, frozen=True):
    at: float
    """When it begins, in seconds since the epoch."""
    pages: int
    wire_bytes: int


class Timeline(msgspec.Struct, frozen=True):
    """Pages by the time of their last fetch."""

    width: float
    """Seconds of a bucket."""
    buckets: list[Bucket]
    """In order; those without pages are left out."""


class Outcome(msgspec.Struct, frozen=True):
    """URLs that ended in one state, for one cause."""

    state: str
    cause: str
    words: str
    """The cause for people; empty for a plain completion."""
    urls: int


class Count(msgspec.Struct, frozen=True):
    name: str
    pages: int
    bytes: int = 0


class LinkingPage(msgspec.Struct, frozen=True):
    url: str
    anchor: str
    """The text of its link to the target."""
    kind: str


class BrokenTarget(msgspec.Struct, frozen=True):
    """A URL that failed, and pages that link to it."""

    url: str
    state: str
    cause: str
    words: str
    status: int | None
    via: str
    """If the links lead to a redirect that ends at `url`: the URL that they name. Otherwise empty."""
    pages: int
    """How many pages link to it."""
    sources: list[LinkingPage]
    """The first of these pages."""


class BrokenLinks(msgspec.Struct, frozen=True):
    targets: int
    """Different URLs that failed and are linked to."""
    pages: int
    """Pages with at least one such link."""
    links: int
    """Several links of a page to one URL count once."""
    pages_read: int
    """Pages whose links were read."""
    pages_unread: int
    """Pages whose links are not stored, or cannot be read."""
    without_links: int
    """URLs that failed and are not linked to: seeds, and URLs of sitemaps."""
    linked: int
    """Different URLs that such links name: the targets, and redirects that end at one. Each is an entry of `listed`,
    unless the list is cut."""
    listed: list[BrokenTarget]
    """Those that most pages link to."""


class RedirectChain(msgspec.Struct, frozen=True):
    urls: list[str]
    """From the first URL to the last one that is known."""
    status: int | None
    """Of the first."""
    end: str
    """How the last one ended: a state, `loop`, or `unknown` if it was not fetched."""
    pages: int
    """How many pages link to the first."""


class Redirects(msgspec.Struct, frozen=True):
    urls: int
    statuses: list[Count]
    chains: int
    """Redirects that lead to another redirect."""
    longest: int
    """Redirects in the longest chain."""
    to_failures: int
    """Redirects that end at a URL that failed."""
    links: int
    """Links that lead to a redirect."""
    listed: list[RedirectChain]
    """The longest, then those that most pages link to. Without those that are only a step of another one."""


class SlowHost(msgspec.Struct, frozen=True):
    host: str
    seconds: float
    """Average time of an answer."""
    fetched: int
    failed: int
    bytes: int
    crawl_delay: float


class LargePage(msgspec.Struct, frozen=True):
    url: str
    type: str
    bytes: int


class CopiedPage(msgspec.Struct, frozen=True):
    url: str
    """The original."""
    copies: int
    examples: list[str]


class Copies(msgspec.Struct, frozen=True):
    pages: int
    listed: list[CopiedPage]
    """The pages with most copies."""


class Wish(msgspec.Struct, frozen=True):
    """What owners say about one use of their pages (W3)."""

    use: str
    allowed: int
    reserved: int
    """What an export for this use leaves out."""
    unstated: int
    signals: dict[str, int]
    """Reserved pages by signal; a page counts for each of its own."""


class Queued(msgspec.Struct, frozen=True):
    at: float
    """When the crawl last counted."""
    urls: int
    hosts: int
    """Origins: scheme, host and port."""
    ready: int
    resting: int
    parked: int
    """URLs deeper than the limit."""
    next_at: float | None


class WaitingHost(msgspec.Struct, frozen=True):
    host: str
    reason: str


class Waiting(msgspec.Struct, frozen=True):
    is_running: bool
    last_stop: str
    """Why the last run ended; empty if it was killed, or still runs."""
    queue: Queued | None
    """None: unknown until the crawl has run again."""
    retries: int
    """Queued URLs that have failed before."""
    hosts: list[WaitingHost]
    """Hosts that are not contacted now, and why."""
    notes: list[str]


class Politeness(msgspec.Struct, frozen=True):
    delay: float
    """Least seconds between two requests to a host."""
    blocked: int
    """URLs that were not requested because of robots.txt."""
    pushed_back: int
    """Pages whose last answer had status 429 or 503."""
    audit: str
    """The command that proves that the crawl was polite."""


class CrawlReport(msgspec.Struct, frozen=True):
    """Everything that `hondius report` shows."""

    crawl: str
    version: str
    made_at: float
    selected_hosts: list[str]
    """The report is about these hosts only; empty: about all."""
    totals: Totals
    timeline: Timeline
    outcomes: list[Outcome]
    statuses: list[Count]
    types: list[Count]
    languages: list[Count]
    sizes: list[Count]
    depths: list[Count]
    largest: list[LargePage]
    broken_links: BrokenLinks
    redirects: Redirects
    slow_hosts: list[SlowHost]
    copies: Copies
    wishes: list[Wish]
    waiting: Waiting
    politeness: Politeness
    notes: list[str]
    """What the report leaves out."""

    def to_html(self) -> str:
        """One self-contained page: it requests nothing."""
        from hondius.use.report.page import render_report

        return render_report(self)

    def to_dict(self) -> dict[str, object]:
        """Its values for JSON."""
        values: dict[str, object] = msgspec.to_builtins(self)
        return values
