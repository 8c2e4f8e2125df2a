"""Sections for memory, disk and the order of URLs."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.value_types import Section, Weight


class FrontierSettings(Section, frozen=True):
    """How much of the frontier is in memory (F3, F8): about half a kilobyte for each origin that is awake."""

    least_awake: Annotated[int, Meta(ge=1, le=10**7)] = 1_000
    """Origins (scheme, host, port) that may always be awake."""
    most_awake: Annotated[int, Meta(ge=1, le=10**7)] = 100_000
    """Origins that may be awake at most."""


class StoreSettings(Section, frozen=True):
    """What is stored on disk, and how often it is made durable."""

    warc_bytes: Annotated[int, Meta(ge=2**16, le=2**40)] = 2**30
    """Bytes after which a WARC file is closed and the next one started."""
    log_bytes: Annotated[int, Meta(ge=2**12, le=2**32)] = 64 * 1024 * 1024
    """Bytes after which a segment of the log is closed and the next one started."""
    commit_interval: Annotated[float, Meta(ge=0.01, le=0.8)] = 0.2
    """Seconds between two commits, which make results durable."""
    commit_changes: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    """Changes that trigger a commit before the interval is over."""
    free_bytes: Annotated[int, Meta(ge=0)] = 64 * 1024 * 1024
    """The crawl pauses while the disk has fewer free bytes."""
    expected_urls: Annotated[int, Meta(ge=1_000, le=10**11)] = 10_000_000
    """URLs that the Bloom filter is sized for; it grows when there are more."""
    store_memory: Annotated[int, Meta(ge=2**20, le=2**40)] = 256 * 1024 * 1024
    """Bytes of memory for entries that the URL store has not written to disk yet; it writes a quarter at a time. Memory
    is allocated as needed."""


class PrioritySettings(Section, frozen=True):
    """How much each factor weighs in the priority of a URL (F2)."""

    page_rank: Weight = 0.30
    """The page rank."""
    host_authority: Weight = 0.25
    """The authority of the host."""
    change_rate: Weight = 0.20
    """How often the page changes."""
    depth: Weight = 0.15
    """The depth: pages near a seed come first."""
    freshness: Weight = 0.10
    """How overdue a fetch is."""
    sitemap_bonus: Weight = 0.15
    """Added to the priority of URLs that a sitemap lists."""
    news_bonus: Weight = 0.20
    """Added to the priority of articles in a news sitemap."""
