"""What belongs to a crawl: identity, scope, traps, and where it stops."""

from typing import Annotated, Literal

from msgspec import Meta

from hondius.settings.kinds import Depth, Positive, Section
from hondius.settings.media import (
    MEDIA_EXTENSIONS,
    MEDIA_TYPES,
    READ_TYPES,
    SCRIPT_EXTENSIONS,
    SCRIPT_TYPES,
    SKIPPED_EXTENSIONS,
    ContentTypes,
)
from hondius.settings.option import Option

FIRST_IDENTITY = 1
"""The version of crawls that name none."""


class IdentitySettings(Section, frozen=True):
    """The lossy steps of U2 and the version of their rules; frozen when a crawl is made."""

    sort_query: bool = True
    """The order of query parameters does not matter."""
    drop_tracking: bool = True
    """Tracking parameters (utm_*, gclid, fbclid …) do not matter."""
    drop_session: bool = True
    """Session ids (jsessionid, PHPSESSID, session_id …) do not matter."""
    drop_index: bool = False
    """/index.html and its kin are the same page as /."""
    drop_trailing_slash: bool = False
    """/path/ is the same page as /path."""
    drop_www: bool = False
    """www.example.com is the same host as example.com."""
    version: Annotated[int, Meta(ge=1, le=2)] = 2
    """The version of these rules."""


KNOWN_HOSTS = 20
"""For each host of a domain that may be asked, so many may be known: names that nobody has looked up yet."""


class ScopeSettings(Section, frozen=True):
    """What may enter the frontier (D5)."""

    scope: Annotated[Literal["host", "domain", "prefix", "any"], Option("--scope")] = "host"
    """How far from the seeds: their hosts, their registrable domains, the directories of their paths, or anywhere. If
    it is changed, links that are found from then on are judged by it."""
    include: Annotated[tuple[str, ...], Option("--include")] = ()
    """Regular expressions; if there are any, only URLs that match one are followed. Seeds are exempt."""
    exclude: Annotated[tuple[str, ...], Option("--exclude")] = ()
    """Regular expressions; URLs that match one are never followed."""
    max_depth: Annotated[Depth | None, Option("--max-depth")] = None
    """Links away from a seed."""
    max_pages_per_host: Annotated[Positive, Option("--max-pages-per-host")] = 100_000
    """Pages and sitemap files fetched from one host (robots.txt not counted)."""
    max_pages_per_domain: Positive | None = 1_000_000
    """Of all hosts of a registrable domain together; recrawls do not count."""
    max_hosts_per_domain: Positive = 1_000
    """A name server that answers to every name makes endless hosts; those above wait for a higher limit."""
    max_hosts_per_address: Positive = 100_000
    """The largest shared front ends have that many honest names; those above wait for a higher limit."""
    skip_extensions: tuple[str, ...] = SKIPPED_EXTENSIONS
    """Links that end in one of these are not followed, by default because their content is not read."""
    content_types: tuple[str, ...] = READ_TYPES
    """`image/*` is every type of image."""
    media: Annotated[bool, Option("--media")] = False
    """Follow the links of images, audio, video and documents, and fetch them (D7). Unless `skip_extensions` and
    `content_types` were changed, they let media through then."""
    scripts: Annotated[bool, Option("--scripts")] = False
    """The same as `media`, for scripts."""
    follow_nofollow: bool = False
    """Follow links that ask not to be followed (D4)."""
    sitemaps: bool = True
    """Read sitemaps: those that robots.txt names, and /sitemap.xml (D2)."""

    def skipped_extensions(self) -> tuple[str, ...]:
        """A list of one's own holds as it stands."""
        if self.skip_extensions != SKIPPED_EXTENSIONS:
            return self.skip_extensions
        wanted = (MEDIA_EXTENSIONS if self.media else frozenset()) | (
            SCRIPT_EXTENSIONS if self.scripts else frozenset()
        )
        return tuple(extension for extension in self.skip_extensions if extension not in wanted)

    def wanted_types(self) -> ContentTypes:
        """A list of one's own holds as it stands."""
        if self.content_types != READ_TYPES:
            return ContentTypes(self.content_types)
        return ContentTypes(
            self.content_types + (MEDIA_TYPES if self.media else ()) + (SCRIPT_TYPES if self.scripts else ())
        )


class TrapSettings(Section, frozen=True):
    """Where a URL, or what a host brings, becomes a trap (F6)."""

    max_url_length: Annotated[int, Meta(ge=1, le=65_535)] = 2_000
    """Characters; a longer URL is refused."""
    max_segments: Positive = 15
    """Path segments; a URL with more is refused."""
    max_repeats: Annotated[int, Meta(ge=2, le=1_000)] = 3
    """Refused from this many equal segments, or groups of them, in a row."""
    max_parameters: Positive = 20
    """Query parameters; a URL with more is refused."""
    max_years_ahead: Annotated[int, Meta(ge=0, le=10_000)] = 2
    """A URL with a date farther in the future is refused: calendars never end."""
    max_urls_per_shape: Positive = 10_000
    """Of a host; what a sitemap lists is limited by `scope.max_pages_per_host` instead."""
    max_new_per_minute: Positive = 1_000
    """Pages that the links of a host may bring in a minute; those above wait behind all others."""
    stale_fetches: Annotated[int, Meta(ge=1, le=255)] = 50
    """So many fetches of a shape in a row without new content end its budget; so do as many of URLs that differ in one
    part alone (a session id) and have one text."""
    max_sitemaps_per_host: Positive = 50_000
    """Sitemap files of a host that are read."""
    max_foreign_sitemaps_per_host: Positive = 20
    """Sitemap files of a host that are read though another registrable domain names them."""
    kept_refusals: Annotated[int, Meta(ge=0, le=2**53)] = 1_000
    """Refusals of a host that are kept one by one for each cause; those above are counted."""


class LimitSettings(Section, frozen=True):
    """Where the crawl stops by itself; counted over all its runs, except for the time."""

    max_pages: Annotated[Positive | None, Option("--max-pages")] = None
    """Pages after which the crawl stops."""
    max_bytes: Annotated[Positive | None, Option("--max-bytes", reads="bytes")] = None
    """Bytes of traffic after which the crawl stops."""
    max_time: Annotated[Annotated[float, Meta(gt=0)] | None, Option("--max-time", reads="seconds")] = None
    """Seconds after which this run stops. It belongs to one run: hondius.toml never has it, and one that has it is read
    without."""
