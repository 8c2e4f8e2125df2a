"""Sections for identity, scope, traps and limits."""

from typing import Annotated, Literal

from msgspec import Meta

from hondius.settings.media import (
    MEDIA_EXTENSIONS,
    MEDIA_TYPES,
    READ_TYPES,
    REQUISITE_TYPES,
    SCRIPT_EXTENSIONS,
    SCRIPT_TYPES,
    SKIPPED_EXTENSIONS,
    ContentTypes,
)
from hondius.settings.option import Option
from hondius.settings.value_types import Depth, Positive, Section

FIRST_IDENTITY = 1
"""The version of identity of crawls whose settings name none."""


class IdentitySettings(Section, frozen=True):
    """When two URLs count as the same (U2). These settings cannot change after the crawl was created."""

    sort_query: bool = True
    """Ignore the order of query parameters."""
    drop_tracking: bool = True
    """Ignore tracking parameters (utm_*, gclid, fbclid …)."""
    drop_session: bool = True
    """Ignore session ids (jsessionid, PHPSESSID, session_id …)."""
    drop_index: bool = False
    """Treat /index.html and similar names as the same page as /."""
    drop_trailing_slash: bool = False
    """Treat /path/ as the same page as /path."""
    drop_www: bool = False
    """Treat www.example.com as the same host as example.com. Leave it off if one of them redirects to the other: such a
    redirect leads to the same URL at another host, is not followed, and the URL fails as same_identity_elsewhere."""
    version: Annotated[int, Meta(ge=1, le=2)] = 2
    """The version of these rules."""


KNOWN_HOSTS = 20
"""Known hosts allowed for each host that may be contacted, by domain: most known names are never looked up."""


class ScopeSettings(Section, frozen=True):
    """What may enter the frontier (D5)."""

    scope: Annotated[Literal["host", "domain", "prefix", "any"], Option("--scope")] = "host"
    """How far from the seeds: their hosts, their registrable domains, the directories of their paths, or anywhere. A
    change applies to links found from then on."""
    include: Annotated[tuple[str, ...], Option("--include")] = ()
    """Regular expressions; if there are any, only URLs in which one is found are followed (anywhere; use ^ and $).
    Seeds are exempt."""
    exclude: Annotated[tuple[str, ...], Option("--exclude")] = ()
    """Regular expressions; URLs in which one is found are never followed (anywhere; use ^ and $)."""
    max_depth: Annotated[Depth | None, Option("--max-depth")] = None
    """Most links between a seed and a page."""
    max_pages_per_host: Annotated[Positive, Option("--max-pages-per-host")] = 100_000
    """Pages, sitemap files and requisites fetched from one host (robots.txt not counted)."""
    max_pages_per_domain: Positive | None = 1_000_000
    """Pages and requisites fetched from all hosts of a registrable domain together; recrawls do not count."""
    max_hosts_per_domain: Positive = 1_000
    """Hosts contacted of one registrable domain: a name server that resolves every name makes endless hosts. Hosts that
    only other domains name are counted separately. The others stay queued for a higher limit."""
    max_hosts_per_address: Positive = 100_000
    """Hosts contacted at one address. The largest shared front ends serve about that many. The others stay queued for a
    higher limit."""
    skip_extensions: tuple[str, ...] = SKIPPED_EXTENSIONS
    """Links that end in one of these extensions are not followed. Default: types whose content is not read."""
    content_types: tuple[str, ...] = READ_TYPES
    """Content types that are read. `image/*` stands for every image type."""
    media: Annotated[bool, Option("--media")] = False
    """Follow links to images, audio, video and documents, and fetch them (D7). If you set `skip_extensions` or
    `content_types` yourself, your lists decide."""
    scripts: Annotated[bool, Option("--scripts")] = False
    """The same as `media`, for scripts."""
    requisites: Annotated[bool, Option("--requisites")] = False
    """Fetch what pages need to be shown (D7): styles, images, scripts, fonts, and what styles and scripts name, also
    from hosts outside the scope, such as a CDN. robots.txt and all delays apply. Requisites are kept in the archive,
    but are no pages, and links in them are not followed. Pages that were fetched before are not read again for them.
    A page of the crawl that another page shows as a picture is a page, also beyond `max_pages`."""
    requisites_per_page: Positive = 500
    """Most requisites for each page, on average over twenty pages: style sheets can name others without end."""
    follow_nofollow: bool = False
    """Follow links that ask not to be followed (D4)."""
    sitemaps: bool = True
    """Read sitemaps: those that robots.txt names, and /sitemap.xml (D2)."""

    def skipped_extensions(self) -> tuple[str, ...]:
        """A list that the user gave is used unchanged."""
        if self.skip_extensions != SKIPPED_EXTENSIONS:
            return self.skip_extensions
        wanted = (MEDIA_EXTENSIONS if self.media else frozenset()) | (
            SCRIPT_EXTENSIONS if self.scripts else frozenset()
        )
        return tuple(extension for extension in self.skip_extensions if extension not in wanted)

    def wanted_types(self) -> ContentTypes:
        """A list that the user gave is used unchanged."""
        if self.content_types != READ_TYPES:
            return ContentTypes(self.content_types)
        return ContentTypes(
            self.content_types + (MEDIA_TYPES if self.media else ()) + (SCRIPT_TYPES if self.scripts else ())
        )

    def kept_types(self) -> ContentTypes:
        """Types whose bodies are kept: those that are read, and those of requisites."""
        wanted = self.wanted_types()
        return ContentTypes([*wanted, *REQUISITE_TYPES]) if self.requisites and wanted else wanted


class TrapSettings(Section, frozen=True):
    """When a URL, or the pages of a host, count as a crawler trap (F6)."""

    max_url_length: Annotated[int, Meta(ge=1, le=65_535)] = 2_000
    """Characters; a longer URL is refused."""
    max_segments: Positive = 15
    """Path segments; a URL with more is refused."""
    max_repeats: Annotated[int, Meta(ge=2, le=1_000)] = 3
    """Equal path segments, or groups of segments, in a row; a URL with this many is refused."""
    max_parameters: Positive = 20
    """Query parameters; a URL with more is refused."""
    max_years_ahead: Annotated[int, Meta(ge=0, le=10_000)] = 2
    """Years; a URL with a date farther in the future is refused: calendars never end."""
    max_urls_per_shape: Positive = 10_000
    """URLs of one host with the same shape (path and query with digits replaced). URLs that a sitemap lists are limited
    by `scope.max_pages_per_host` instead."""
    max_new_per_minute: Positive = 1_000
    """New pages of a host that links may add in a minute; the others wait behind all other URLs."""
    stale_fetches: Annotated[int, Meta(ge=1, le=255)] = 50
    """Fetches in a row without new content after which no more URLs of a shape are fetched. Also applies to URLs that
    differ in one part alone, such as a session id, and have the same text."""
    max_sitemaps_per_host: Positive = 50_000
    """Sitemap files read of one host."""
    max_foreign_sitemaps_per_host: Positive = 20
    """Sitemap files read of one host that only other registrable domains name."""
    kept_refusals: Annotated[int, Meta(ge=0, le=2**53)] = 1_000
    """Refused URLs of a host that are stored for each cause; the others are only counted."""


class LimitSettings(Section, frozen=True):
    """When the crawl stops by itself. Pages and bytes are counted over all runs, time for one run."""

    max_pages: Annotated[Positive | None, Option("--max-pages")] = None
    """Pages after which the crawl stops."""
    max_bytes: Annotated[Positive | None, Option("--max-bytes", reads="bytes")] = None
    """Bytes of traffic after which the crawl stops."""
    max_time: Annotated[Annotated[float, Meta(gt=0)] | None, Option("--max-time", reads="seconds")] = None
    """Stop this run after this time. Not saved."""
