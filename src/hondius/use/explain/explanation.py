"""What is told of a URL. Times are seconds since the epoch, keys and hashes in hex; None is what is not known."""

import msgspec


class Step(msgspec.Struct, frozen=True):
    """What a step of U1 or U2 changed."""

    name: str
    before: str
    after: str


class IdentityFacts(msgspec.Struct, frozen=True):
    href: str | None
    key_form: str | None
    key: str | None
    reason: str | None
    """Why it is no URL that can be crawled."""
    steps: list[Step]


class Finding(msgspec.Struct, frozen=True):
    """How a URL became known; the next one in the list is where."""

    url: str
    key: str
    via: str
    depth: int
    discovered_at: float
    hops: int | None = None


EXCLUDED_BY = {"--include": "no --include pattern matches it", "--exclude": "an --exclude pattern matches it"}


class ScopeFacts(msgspec.Struct, frozen=True):
    scope: str
    refused: str | None
    """A reason of `LinkPolicy.judge`; None: it is inside, and no trap."""
    blacklisted: str | None
    """The domain on the list that it belongs to."""
    blacklisted_because: str | None
    excluded_by: str | None = None
    """The option that keeps it out, if `refused` is `excluded`: --include or --exclude."""


class RobotsFacts(msgspec.Struct, frozen=True):
    """By the copy of robots.txt in force."""

    origin: str
    agent: str
    allowed: bool | None
    """None: robots.txt was not asked for yet, or cannot be had."""
    line: int | None
    rule: str | None
    outcome: str | None
    """parsed, none (no rules) or unreachable."""
    status: int | None = None
    fetched_at: float | None = None
    good_at: float | None = None
    expires_at: float | None = None
    crawl_delay: float | None = None
    detail: str = ""


class BudgetFacts(msgspec.Struct, frozen=True):
    """What its host and domain have brought so far, and may (F6, D5). Each pair is a count and its limit."""

    shape: str
    urls_of_shape: tuple[int, int]
    """At least so many: shapes that a host has few of are not counted (F6)."""
    stale_fetches: tuple[int, int]
    """Fetches of the shape in a row that brought nothing new."""
    stale_fetches_of_parts: tuple[int, int]
    """Fetches in a row of URLs that differ in one part of this one alone, and that brought nothing new."""
    pages_of_host: tuple[int, int]
    sitemaps_of_host: tuple[int, int]
    hosts_of_domain: tuple[int, int]
    """Host names that were found, and how many are kept, whether or not they have an address."""
    max_hosts_of_domain: int
    """How many hosts of the domain are contacted."""
    fetched_of_domain: tuple[int, int | None]
    refused_more: dict[str, int]
    """Links of the host that were refused and counted, not kept, by cause."""


class QueueFacts(msgspec.Struct, frozen=True):
    state: str | None
    """pending, queued, parked or finished; None: nobody has seen it."""
    told_by: str
    """The URL store, the catalog or the log."""
    priority: float | None = None
    priority_class: int | None = None
    waiting_in_origin: int | None = None
    before: int | None = None
    """How many of those are handed out first, as the URL store would do it now."""
    tries: int = 0
    deferred: bool = False
    """Found when its host brought more than it may in a minute: it waits behind all others."""
    waits: list[str] = []
    """Why it is not requested now."""
    not_before: float | None = None


class HostFacts(msgspec.Struct, frozen=True):
    host: str
    at: float
    not_before: float
    delay: float
    back_off: float
    crawl_delay: float
    address: str | None
    fetched: int
    failed: int
    average_response: float | None
    consecutive_failures: int
    circuit_until: float | None = None
    """Its circuit is, or was, open until then (P4)."""
    paused_until: float | None = None
    ordered_delay: float | None = None
    order_reason: str = ""
    """What the operator asked of this host, and why."""


class LinkFacts(msgspec.Struct, frozen=True):
    found_on: str | None
    """The page that it was first seen on, or that redirected to it."""
    new: int
    """URLs that nobody knew before this page led to them, those that were refused included."""
    examples: list[str]


class Place(msgspec.Struct, frozen=True):
    file: str
    offset: int
    length: int


class Request(msgspec.Struct, frozen=True):
    started_at: float | None
    ended_at: float | None
    outcome: str
    cause: str
    status: int | None
    address: str | None
    wire_length: int | None
    content_hash: str | None
    warc: Place | None


class Sent(msgspec.Struct, frozen=True):
    """A record of the newest run's attempts: at the send, and at its end."""

    at: float
    ended: bool
    address: str
    status: int | None


class EndingFacts(msgspec.Struct, frozen=True):
    state: str
    cause: str
    detail: str
    status: int | None
    fetched_at: float | None
    type: str
    charset: str
    language: str
    length: int
    title: str
    canonical: str | None
    noindex: bool
    content_hash: str | None
    copy_of: str | None
    redirect_to: str | None
    rule_line: int | None
    links: int
    new_links: int
    unread_links: int
    """Links behind those that `fetch.page_cap` allows, by the settings of now: they were counted, not read."""
    fetch_count: int
    change_count: int
    warc: Place | None
    next_fetch_at: float | None


class Tried(msgspec.Struct, frozen=True):
    """What came of `--try`. Nothing of it is kept, but what politeness needs."""

    summary: str
    robots: RobotsFacts | None = None
    """None where nothing was asked for."""
    ending: EndingFacts | None = None
    """None where the URL itself was not asked for."""
    requests: list[Request] = []


class Explanation(msgspec.Struct, frozen=True):
    url: str
    """As it was asked for."""
    summary: str
    identity: IdentityFacts
    discovery: list[Finding] = []
    """From the URL back to its seed; empty where it was never found."""
    scope: ScopeFacts | None = None
    robots: RobotsFacts | None = None
    queue: QueueFacts | None = None
    budget: BudgetFacts | None = None
    """None while another process has the URL store."""
    host: HostFacts | None = None
    links: LinkFacts | None = None
    ending: EndingFacts | None = None
    requests: list[Request] = []
    sent: list[Sent] = []
    at: float | None = None
    """As it was known then; None: as it is known now."""
    notes: list[str] = []
    """What could not be looked at, or lags behind."""
    tried: Tried | None = None
    """None where nobody asked for it."""
