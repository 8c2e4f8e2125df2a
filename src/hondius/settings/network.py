"""How hosts are treated, and how pages are requested."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.kinds import Seconds, Section
from hondius.settings.option import Option

BYTES_A_LINK, FEWEST_MAX_LINKS = 32, 10_000
MOST_RESOLVERS = 8


class PolitenessSettings(Section, frozen=True):
    """How hosts are treated (P1-P5)."""

    delay: Annotated[Seconds, Option("--delay")] = 1.0
    """Seconds between two requests to a host. 0 switches the waits of P1, P2, P3 and P5 off: only for tests and your
    own sites."""
    duration_factor: Annotated[float, Meta(ge=0, le=100)] = 10.0
    """The next request waits this many times as long as the last answer took."""
    duration_cap: Seconds = 30.0
    """Seconds; the wait by `duration_factor` is no longer."""
    back_off_cap: Seconds = 60.0
    """Seconds; the delay doubles up to this while a host answers 429 or 503 (P2)."""
    retry_after_cap: Seconds = 86_400.0
    """Seconds; a Retry-After is kept up to this."""
    address_gap: Seconds = 0.1
    """Seconds at least between two requests to one address, whichever hosts they are for (P3)."""
    address_concurrency: Annotated[int, Meta(ge=1, le=1_000)] = 8
    """Requests to one address at once (P3)."""
    retries: Annotated[int, Meta(ge=0, le=3)] = 3
    """How often a URL is tried again after a failure that may pass (P5)."""
    retry_wait: Seconds = 2.0
    """Seconds before the first of these tries; each further one waits twice as long."""
    circuit_failures: Annotated[int, Meta(ge=1, le=1_000)] = 5
    """Consecutive failures of a host that open its circuit (P4)."""
    circuit_wait: Seconds = 60.0
    """Seconds that a host is left alone when its circuit opens; each time in a row twice as long."""
    circuit_cap: Seconds = 3_600.0
    """Seconds; it is left alone no longer."""


class FetchSettings(Section, frozen=True):
    """How pages are requested, and how much of them is read (N, H)."""

    concurrency: Annotated[int, Meta(ge=1, le=20_000), Option("--concurrency")] = 1_000
    """Requests under way at once, on different hosts. Below 1,000, up to four times as many are if some are to slow
    hosts. Fewer, with a notice, if the system allows too few open files (F8)."""
    user_agent: Annotated[str, Option("--user-agent")] = ""
    """The whole user agent. Empty: `Hondius/VERSION (+CONTACT)`."""
    contact: Annotated[str, Option("--contact")] = ""
    """An address or a page for site owners; it becomes part of the user agent."""
    headers: Annotated[tuple[str, ...], Option("--header", is_secret=True)] = ()
    """`Name: value` for every host, or `PATTERN|Name: value`, like `*.example.com|Cookie: a=b`."""
    proxies: Annotated[tuple[str, ...], Option("--proxy", is_secret=True)] = ()
    """`http://[USER:PASSWORD@]HOST:PORT` for every host, or `PATTERN=http://…`. A pattern is `example.com`,
    `*.example.com` or `*`, with `http://` or `https://` before it if it is for one scheme alone. Names are resolved
    here all the same."""
    source_addresses: Annotated[tuple[str, ...], Option("--source-address")] = ()
    """`ADDRESS`, or `PATTERN=ADDRESS` with the patterns of `proxies`: the address of this machine that requests come
    from; where hosts have IPv6, one more behind a comma. A host is always asked from the same one: this is no way to
    come back after a refusal (N3)."""
    resolvers: Annotated[tuple[str, ...], Meta(max_length=MOST_RESOLVERS), Option("--resolver")] = ()
    """`ADDRESS[:PORT]` of a name server. All of them are asked at once, and the first answer counts. None: those of the
    system (N1)."""
    resolve: Annotated[tuple[str, ...], Option("--resolve", reads="rows")] = ()
    """`PATTERN=ADDRESS[:PORT][,ADDRESS…]`, like `*.test=127.0.0.1:8080`, or `@FILE` with one a line: addresses that no
    name server is asked for. They may be contacted even if they are private."""
    ca_file: Annotated[str, Option("--ca-file", reads="path")] = ""
    """A file of certificates (PEM) to trust besides those of the system."""
    verify_tls: bool = True
    """Refuse hosts whose certificate cannot be verified."""
    allow_private: Annotated[tuple[str, ...], Option("--allow-private")] = ()
    """Private addresses or networks that may be contacted, like 10.0.0.0/8."""
    connect_timeout: Annotated[float, Meta(gt=0, le=3600)] = 10.0
    """Seconds for a connection."""
    read_timeout: Annotated[float, Meta(gt=0, le=3600)] = 30.0
    """Seconds without a byte from the server."""
    total_timeout: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    """Seconds for the whole exchange."""
    page_cap: Annotated[int, Meta(ge=1024, le=2**30)] = 10 * 1024 * 1024
    """Bytes read of a page, as sent and as decoded; what is behind them is cut off."""
    body_budget: Annotated[int, Meta(ge=2**20, le=2**40)] = 128 * 1024 * 1024
    """Bytes of bodies in memory at once; more are written to temporary files. Bodies above 1 MiB share half of it. What
    is found in bodies may take half as much again."""

    @property
    def max_links(self) -> int:
        """Links read of one page: more than a page of `page_cap` bytes has, if it is not made of links alone. Those
        behind them are counted only."""
        return max(FEWEST_MAX_LINKS, self.page_cap // BYTES_A_LINK)
