"""What is kept in memory and on disk, and in which order URLs are taken."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.kinds import Section, Weight


class FrontierSettings(Section, frozen=True):
    """How much of the frontier is in memory (F3, F8): about half a kilobyte for each origin that is awake."""

    least_awake: Annotated[int, Meta(ge=1, le=10**7)] = 1_000
    """Origins (scheme, host, port) that may be awake at the least."""
    most_awake: Annotated[int, Meta(ge=1, le=10**7)] = 100_000
    """Origins that may be awake at the most."""


class StoreSettings(Section, frozen=True):
    """What is kept on disk, and how often it is made durable."""

    warc_bytes: Annotated[int, Meta(ge=2**16, le=2**40)] = 2**30
    """A WARC file that has grown to this many bytes is closed, and the next one begun."""
    log_bytes: Annotated[int, Meta(ge=2**12, le=2**32)] = 64 * 1024 * 1024
    """A segment of the log that has grown to this is sealed, and the next one begun."""
    commit_interval: Annotated[float, Meta(ge=0.01, le=0.8)] = 0.2
    """Seconds after which what happened is made durable."""
    commit_changes: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    """Changes after which it is made durable earlier."""
    free_bytes: Annotated[int, Meta(ge=0)] = 64 * 1024 * 1024
    """With less room than this on the disk the crawl pauses."""
    expected_urls: Annotated[int, Meta(ge=1_000, le=10**11)] = 10_000_000
    """URLs that the Bloom filter is made for; it grows when there are more."""
    store_memory: Annotated[int, Meta(ge=2**20, le=2**40)] = 256 * 1024 * 1024
    """For what the URL store has not sorted yet; a quarter is written at a time. It fills as it is needed."""


class PrioritySettings(Section, frozen=True):
    """The weights of F2."""

    page_rank: Weight = 0.30
    """Of the page rank."""
    host_authority: Weight = 0.25
    """Of the authority of the host."""
    change_rate: Weight = 0.20
    """Of how often the page changes."""
    depth: Weight = 0.15
    """Of the depth: pages near a seed come first."""
    freshness: Weight = 0.10
    """Of how overdue a visit is."""
    sitemap_bonus: Weight = 0.15
    """Added to what a sitemap lists."""
    news_bonus: Weight = 0.20
    """Added to articles of a news sitemap."""
