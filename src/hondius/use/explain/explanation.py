"""The explanation of a URL. Times are seconds since the epoch, keys and hashes are hex, None means unknown."""

import msgspec


class Step(msgspec.Struct, frozen=True):
    """The change that a step of U1 or U2 made."""

    name: str
    before: str
    after: str


class IdentityFacts(msgspec.Struct, frozen=True):
    href: str | None
    key_form: str | None
    key: str | None
    reason: str | None
    """Why it cannot be crawled."""
    steps: list[Step]


class Finding(msgspec.Struct, frozen=True):
    """How a URL was found. The next one in the list is where."""

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
    """A reason of `LinkPolicy.judge`; None if it is in scope and not a trap."""
    blacklisted: str | None
    """The domain on the blacklist that covers it."""
    blacklisted_because: str | None
    excluded_by: str | None = None
    """The option that refuses it, if `refused` is `excluded`: --include or --exclude."""


class RobotsFacts(msgspec.Struct, frozen=True):
    """The verdict of the robots.txt copy in force."""

    origin: str
    agent: str
    allowed: bool | None
    """None if robots.txt was not requested yet, or cannot be fetched."""
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
    usage: list[str] = []
    """The lines of robots.txt that state usage preferences for us, and the rules of tdmrep.json (W1)."""
    imported: str | None = None
    """The archive of others that the copy comes from. robots.txt is requested before the next page."""


class BudgetFacts(msgspec.Struct, frozen=True):
    """Counts of its host and domain (F6, D5). Each pair is a count and its limit."""

    shape: str
    urls_of_shape: tuple[int, int]
    """A lower bound: rare shapes of a host are not counted (F6)."""
    stale_fetches: tuple[int, int]
    """Consecutive fetches of the shape without new content."""
    stale_fetches_of_parts: tuple[int, int]
    """Consecutive fetches without new content of URLs that differ from this one in one part alone."""
    pages_of_host: tuple[int, int]
    sitemaps_of_host: tuple[int, int]
    hosts_of_domain: tuple[int, int]
    """Host names that were found, and how many are stored, whether or not they have an address."""
    max_hosts_of_domain: int
    """How many hosts of the domain are contacted."""
    fetched_of_domain: tuple[int, int | None]
    refused_more: dict[str, int]
    """Refused links of the host that were only counted, not stored, by cause."""


class QueueFacts(msgspec.Struct, frozen=True):
    state: str | None
    """pending, queued, parked or finished; None if it is unknown to the crawl."""
    told_by: str
    """The source of the state: URL store, catalog or log."""
    priority: float | None = None
    priority_class: int | None = None
    waiting_in_origin: int | None = None
    before: int | None = None
    """How many of those the URL store would hand out first."""
    tries: int = 0
    deferred: bool = False
    """It was found when its host had exceeded its rate of new URLs, so it waits behind all others."""
    waits: list[str] = []
    """Why it is not requested now."""
    not_before: float | None = None
    rank: float | None = None
    """Its page rank, as `hondius rank` stored it last."""
    rank_percentile: float | None = None


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
    """The end of the host's last open circuit (P4)."""
    paused_until: float | None = None
    ordered_delay: float | None = None
    order_reason: str = ""
    """The reason that the operator gave for an order."""


class LinkFacts(msgspec.Struct, frozen=True):
    found_on: str | None
    """The page where it was first found, or that redirected to it."""
    new: int
    """URLs that were new when found on this page, including refused ones."""
    examples: list[str]


class WarcLocation(msgspec.Struct, frozen=True):
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
    warc: WarcLocation | None


class Sent(msgspec.Struct, frozen=True):
    """An attempt record of the latest run, for the start or the end of a request."""

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
    """Links beyond the number that `fetch.page_cap` allows now: they were only counted, not read."""
    fetch_count: int
    change_count: int
    warc: WarcLocation | None
    next_fetch_at: float | None
    change_interval: float | None
    """Seconds between two changes, as estimated."""
    page_class: str | None
    """news, blog, wiki or static; empty: no known class."""
    truncated: bool = False
    """The body was longer than `fetch.page_cap`; the rest was not read."""
    usage: "UsageFacts | None" = None
    """None if there were no usage preferences when it was fetched."""
    extracted: str | None = None
    """What hooks extracted, as a JSON object."""
    hook_failures: str | None = None
    """Hooks that failed for it, one a line, with the reason."""
    near_copy_of: str | None = None
    """The URL of the page of which it is a near copy (X3)."""
    focus: float | None = None
    """How well it fits the topic of a focused crawl, from 0 to 1."""
    quality: float | None = None
    """A score of its text, markup, links and language, from 0 to 1."""
    body_removed_at: float | None = None
    """When retention removed its body from the archive."""
    unfollowed: int = 0
    """Links that are not followed because neither they nor the page fit the topic."""


class UsageFacts(msgspec.Struct, frozen=True):
    """What the owner stated about the use of a page, and what it means (W3)."""

    signals: list[str]
    uses: dict[str, str]
    """For each use: allowed, reserved or unstated."""
    because: dict[str, list[str]]
    """For each use: the signals that decided."""


class Tried(msgspec.Struct, frozen=True):
    """The result of `--try`, of which only what politeness needs is saved."""

    summary: str
    robots: RobotsFacts | None = None
    """None if nothing was requested."""
    ending: EndingFacts | None = None
    """None if the URL itself was not requested."""
    requests: list[Request] = []


class Explanation(msgspec.Struct, frozen=True):
    url: str
    """The URL as given."""
    summary: str
    identity: IdentityFacts
    discovery: list[Finding] = []
    """From the URL back to its seed; empty if it was never found."""
    scope: ScopeFacts | None = None
    robots: RobotsFacts | None = None
    queue: QueueFacts | None = None
    budget: BudgetFacts | None = None
    """None while another process has the URL store open."""
    host: HostFacts | None = None
    links: LinkFacts | None = None
    ending: EndingFacts | None = None
    requests: list[Request] = []
    sent: list[Sent] = []
    at: float | None = None
    """The time that the explanation is for; None means now."""
    notes: list[str] = []
    """What could not be read, or lags behind."""
    tried: Tried | None = None
    """None without `--try`."""
