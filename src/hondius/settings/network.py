"""Sections for politeness and fetching."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.option import Option
from hondius.settings.value_types import Seconds, Section

BYTES_A_LINK, FEWEST_MAX_LINKS = 32, 10_000
MOST_RESOLVERS = 8


class PolitenessSettings(Section, frozen=True):
    """How hosts are treated (P1-P5)."""

    delay: Annotated[Seconds, Option("--delay")] = 1.0
    """Seconds between two requests to a host. 0 turns off all waiting, also after failures and 429: for tests and
    your own sites only."""
    duration_factor: Annotated[float, Meta(ge=0, le=100)] = 10.0
    """The next request to a host waits at least this many times as long as the last answer took."""
    duration_cap: Seconds = 30.0
    """Seconds; the longest wait that `duration_factor` causes."""
    back_off_cap: Seconds = 60.0
    """Seconds; the delay of a host doubles up to this while it answers 429 or 503 (P2)."""
    retry_after_cap: Seconds = 86_400.0
    """Seconds; the longest Retry-After that is obeyed."""
    address_gap: Seconds = 0.1
    """Seconds between two requests to one IP address, for all its hosts together (P3)."""
    address_concurrency: Annotated[int, Meta(ge=1, le=1_000)] = 8
    """Concurrent requests to one IP address (P3)."""
    retries: Annotated[int, Meta(ge=0, le=3)] = 3
    """How often a URL is retried after a temporary failure (P5)."""
    retry_wait: Seconds = 2.0
    """Seconds before the first retry; each further one waits twice as long."""
    circuit_failures: Annotated[int, Meta(ge=1, le=1_000)] = 5
    """Consecutive failures after which a host is left alone for a while (P4)."""
    circuit_wait: Seconds = 60.0
    """Seconds that a failing host is left alone; doubled each time in a row."""
    circuit_cap: Seconds = 3_600.0
    """Seconds; the longest time that a failing host is left alone."""


class FetchSettings(Section, frozen=True):
    """How pages are requested, and how much of each is read (N, H)."""

    concurrency: Annotated[int, Meta(ge=1, le=20_000), Option("--concurrency")] = 1_000
    """Concurrent requests, to different hosts. If it is below 1,000, requests to slow hosts do not count: there may be
    up to four times as many in all, but no more than 1,000. Reduced, with a warning, if the system allows too few open
    files (F8)."""
    user_agent: Annotated[str, Option("--user-agent")] = ""
    """The whole user agent. Empty: `Hondius/VERSION (+CONTACT)`."""
    contact: Annotated[str, Option("--contact")] = ""
    """An address or a page for site owners; it becomes part of the user agent."""
    headers: Annotated[tuple[str, ...], Option("--header", is_secret=True)] = ()
    """`Name: value` for every host, or `PATTERN|Name: value`, like `*.example.com|Cookie: a=b`."""
    proxies: Annotated[tuple[str, ...], Option("--proxy", is_secret=True)] = ()
    """`http://[USER:PASSWORD@]HOST:PORT` for every host, or `PATTERN=http://…`. A pattern is `example.com`,
    `*.example.com` or `*`, with `http://` or `https://` before it if it is for one scheme alone. Host names
    are still resolved on this machine."""
    source_addresses: Annotated[tuple[str, ...], Option("--source-address")] = ()
    """`ADDRESS`, or `PATTERN=ADDRESS` with the patterns of `proxies`: the address of this machine that requests come
    from. Add an IPv6 address after a comma. A host is always contacted from the same address, so this does not help to
    evade a block (N3)."""
    resolvers: Annotated[tuple[str, ...], Meta(max_length=MOST_RESOLVERS), Option("--resolver")] = ()
    """`ADDRESS[:PORT]` of a name server. All of them are queried at once, and the first answer is used. Default: the
    name servers of the system (N1)."""
    resolve: Annotated[tuple[str, ...], Option("--resolve", reads="rows")] = ()
    """`PATTERN=ADDRESS[:PORT][,ADDRESS…]`, like `*.test=127.0.0.1:8080`, or `@FILE` with one a line: addresses to use
    instead of DNS. They may be contacted even if they are private."""
    ca_file: Annotated[str, Option("--ca-file", reads="path")] = ""
    """A PEM file of certificates to trust, in addition to those of the system."""
    verify_tls: bool = True
    """Refuse hosts whose certificate cannot be verified."""
    allow_private: Annotated[tuple[str, ...], Option("--allow-private")] = ()
    """Private addresses or networks that may be contacted, like 10.0.0.0/8."""
    connect_timeout: Annotated[float, Meta(gt=0, le=3600)] = 10.0
    """Seconds to open a connection."""
    read_timeout: Annotated[float, Meta(gt=0, le=3600)] = 30.0
    """Seconds without a byte from the server."""
    total_timeout: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    """Seconds for the whole exchange."""
    page_cap: Annotated[int, Meta(ge=1024, le=2**30)] = 10 * 1024 * 1024
    """Bytes read of a page, both as sent and as decoded; the rest is cut off."""
    body_budget: Annotated[int, Meta(ge=2**20, le=2**40)] = 128 * 1024 * 1024
    """Bytes of bodies in memory at once; further bodies go to temporary files. Bodies above 1 MiB share half of it.
    Links found in bodies may take half as much in addition."""

    @property
    def max_links(self) -> int:
        """Links read of one page: more than a page of `page_cap` bytes has, unless it is links alone. Further links are
        only counted."""
        return max(FEWEST_MAX_LINKS, self.page_cap // BYTES_A_LINK)
