"""Every setting of a crawl, with its range. `hondius.toml` in the crawl directory is this, written out.

The command line and the file go through the same door (`settings_from`), so a value that is out of
range is named in the same words wherever it came from.
"""

import difflib
import re
import tomllib
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from hondius.errors import BadDirectory, BadSetting
from hondius.model import FORMAT

Seconds = Annotated[float, Meta(ge=0, le=86_400)]
LARGEST = 2**53
"""The largest whole number that JSON readers take exactly."""
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Weight = Annotated[float, Meta(ge=0, le=1)]
Depth = Annotated[int, Meta(ge=0, le=1_000_000)]

SKIPPED_EXTENSIONS = tuple(
    "7z aac aif apk app avi avif bin bmp bz2 cab css deb dll dmg doc docx eot eps exe flac flv gif gz ico img iso jar "
    "jpeg jpg js m4a m4v mid mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps psd rar rm rpm "
    "svg swf tar tgz tif tiff ttf wav webm webp wma wmv woff woff2 xls xlsx xz zip zst".split()
)
READ_TYPES = (
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
)


MEDIA_EXTENSIONS = frozenset(
    "aac aif avi avif bmp doc docx eps flac flv gif ico jpeg jpg m4a m4v mid mkv mov mp3 mp4 mpeg mpg odp ods odt ogg "
    "ogv pdf png ppt pptx ps rm svg tif tiff wav webm webp wma wmv xls xlsx".split()
)
MEDIA_TYPES = (
    "image/*",
    "audio/*",
    "video/*",
    "application/pdf",
    "application/postscript",
    "application/rtf",
    "text/rtf",
    "application/epub+zip",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
)
SCRIPT_EXTENSIONS = frozenset({"js"})
SCRIPT_TYPES = (
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "text/ecmascript",
)


FROZEN = "frozen_identity"
OBSOLETE = {
    ("politeness", "crawl_delay_cap"): "a Crawl-delay is kept as the site asks for it, however long it is",
    ("fetch", "max_links"): "the length of a page bounds how many of its links are read",
}
"""Settings that were, and why they are no more. A crawl that was made with one can still be opened: it is left out."""


OF_ONE_RUN = frozenset({("limits", "max_time")})
"""Settings that hold for one run only, so that the file never has them."""


class ContentTypes(frozenset[str]):
    """Types that are read, by name or with their family: `image/*`. An empty set stands for every type."""

    def __contains__(self, kind: object) -> bool:
        return super().__contains__(kind) or super().__contains__(f"{str(kind).partition('/')[0]}/*")


BYTES_A_LINK, FEWEST_MAX_LINKS = 32, 10_000
FIRST_IDENTITY = 1
"""The version of crawls that name none."""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


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

    scope: Literal["host", "domain", "prefix", "any"] = "host"
    """How far from the seeds: their hosts, their registrable domains, the directories of their paths, or anywhere."""
    include: tuple[str, ...] = ()
    """Regular expressions; if there are any, only URLs that match one are followed. Seeds are exempt."""
    exclude: tuple[str, ...] = ()
    """Regular expressions; URLs that match one are never followed."""
    max_depth: Depth | None = None
    """Links away from a seed."""
    max_pages_per_host: Positive = 100_000
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
    media: bool = False
    """Follow the links of images, audio, video and documents, and fetch them (D7). Unless `skip_extensions` and
    `content_types` were changed, they let media through then."""
    scripts: bool = False
    """The same for scripts."""
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
    kept_refusals: Annotated[int, Meta(ge=0, le=2**53)] = 1_000
    """Refusals of a host that are kept one by one for each cause; those above are counted."""


class LimitSettings(Section, frozen=True):
    """Where the crawl stops by itself; counted over all its runs, except for the time."""

    max_pages: Positive | None = None
    """Pages after which the crawl stops."""
    max_bytes: Positive | None = None
    """Bytes of traffic after which the crawl stops."""
    max_time: Annotated[float, Meta(gt=0)] | None = None
    """Seconds of one run. It belongs to that run: hondius.toml never has it, and one that has it is read without."""


class PolitenessSettings(Section, frozen=True):
    """How hosts are treated (P1-P5)."""

    delay: Seconds = 1.0
    """0 switches the waits of P1, P2, P3 and P5 off: tests, and one's own sites."""
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


class FrontierSettings(Section, frozen=True):
    """How much of the frontier is in memory (F3, F8): about half a kilobyte for each origin that is awake."""

    least_awake: Annotated[int, Meta(ge=1, le=10**7)] = 1_000
    """Origins (scheme, host, port) that may be awake at the least."""
    most_awake: Annotated[int, Meta(ge=1, le=10**7)] = 100_000
    """Origins that may be awake at the most."""


class FetchSettings(Section, frozen=True):
    """How pages are requested, and how much of them is read (N, H)."""

    concurrency: Annotated[int, Meta(ge=1, le=1_000)] = 256
    """Requests under way at once, on different hosts."""
    user_agent: str = ""
    """Empty: `Hondius/VERSION (+CONTACT)`."""
    contact: str = ""
    """An address or a page for site owners; it becomes part of the user agent."""
    headers: tuple[str, ...] = ()
    """`Name: value` for every host, or `PATTERN|Name: value`."""
    proxies: tuple[str, ...] = ()
    """`http://[USER:PASSWORD@]HOST:PORT` for every host, or `PATTERN=http://…`."""
    resolve: tuple[str, ...] = ()
    """`PATTERN=ADDRESS[:PORT]`, or `@FILE` with one a line: addresses that no name server is asked for."""
    ca_file: str = ""
    """A file of certificates (PEM) to trust besides those of the system."""
    verify_tls: bool = True
    """Refuse hosts whose certificate cannot be verified."""
    allow_private: tuple[str, ...] = ()
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


class Settings(Section, frozen=True):
    identity: IdentitySettings = IdentitySettings()
    scope: ScopeSettings = ScopeSettings()
    traps: TrapSettings = TrapSettings()
    limits: LimitSettings = LimitSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    frontier: FrontierSettings = FrontierSettings()
    fetch: FetchSettings = FetchSettings()
    stores: StoreSettings = StoreSettings()
    priority: PrioritySettings = PrioritySettings()


def settings_from(values: dict[str, Any]) -> Settings:
    try:
        return msgspec.convert(values, Settings, strict=True)
    except msgspec.ValidationError as error:
        raise BadSetting(_in_words(str(error), values)) from None


_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "text", tuple: "a list"}
LONGEST_SHOWN = 60


def _in_words(message: str, values: dict[str, Any]) -> str:
    """What msgspec found, as one would say it to somebody who has never heard of it: which setting, what it was given,
    what it takes."""
    text, _, path = message.partition(" - at `$.")
    name = path.rstrip("`")
    if match := re.fullmatch(r"Object contains unknown field `(.*)`", text):
        if gone := OBSOLETE.get((name, match[1])):
            return f"there is no setting {name}.{match[1]} any more: {gone}"
        known = [field.name for field in msgspec.structs.fields(_type(name))]
        close = difflib.get_close_matches(match[1], known, n=2, cutoff=0.6)
        advice = f"; did you mean {' or '.join(close)}?" if close else ": `docs/settings.md` lists all"
        return f"there is no setting `{match[1]}` in {name or 'hondius.toml'}{advice}"
    given: Any = values
    for part in re.findall(r"\w+", name):
        given = given[int(part) if isinstance(given, list | tuple) else part]
    return f"setting {name} is {repr(given)[:LONGEST_SHOWN]}: {describe_type(_type(name))} is expected"


def _type(name: str) -> Any:
    """The annotation of a setting, of an item of a list, or of a section; nothing at all is that of all of them."""
    kind: Any = Settings
    for part in re.findall(r"\w+", name):
        if part.isdigit():
            return str
        kind = next(field.type for field in msgspec.structs.fields(kind) if field.name == part)
    return kind


def describe_type(kind: Any) -> str:
    """What a setting takes, with its range; that it may be left out goes without saying."""
    if get_origin(kind) in (Union, UnionType):
        return describe_type(next(some for some in get_args(kind) if some is not NoneType))
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) is Annotated:
        plain, limits = get_args(kind)[:2]
        least = f"from {limits.ge}" if limits.gt is None else f"above {limits.gt}"
        most = " on" if limits.le is None or limits.le >= LARGEST else f" to {limits.le}"
        return f"{describe_type(plain)} {least}{most}"
    return _WORDS.get(get_origin(kind) or kind, "a section")


def merged(values: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`values` with `over` laid on it, section by section."""
    return {name: {**values.get(name, {}), **over.get(name, {})} for name in {*values, *over}}


def as_values(settings: Settings) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(settings)
    return values


def read_back(data: bytes, where: str) -> Settings:
    try:
        values = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{where} is not readable as TOML ({error}): mend or restore it") from None
    number = values.pop("format", None)
    if type(number) is not int or number < 1:
        raise BadDirectory(f"{where} names no format: this is not a crawl of Hondius; choose another directory")
    if number > FORMAT:
        raise BadDirectory(
            f"{where} was written by a newer Hondius (format {number}, this one knows {FORMAT}): upgrade"
        )
    frozen = values.pop(FROZEN, None)
    try:
        settings = without_run_limits(settings_from(_of_today(values)))
    except BadSetting as error:
        raise BadSetting(f"{where}: {error}") from None
    if frozen is not None and frozen != switched_on(settings.identity):
        raise BadSetting(
            f"{where}: the switches and the version of identity were frozen when the crawl was made: restore them"
        )
    return settings


def _of_today(values: dict[str, Any]) -> dict[str, Any]:
    """Settings of an earlier version: those that are no more are left out, an identity without a version is the
    first."""
    for section, name in OBSOLETE:
        if isinstance(values.get(section), dict):
            values[section].pop(name, None)
    identity = values.get("identity", {})
    return {**values, "identity": {"version": FIRST_IDENTITY, **identity}} if isinstance(identity, dict) else values


def without_run_limits(settings: Settings) -> Settings:
    limits = msgspec.structs.replace(settings.limits, max_time=None)
    return msgspec.structs.replace(settings, limits=limits)


def switched_on(identity: IdentitySettings) -> list[str]:
    """Written beside them in hondius.toml: a change by hand would make the keys of all known URLs wrong (U3). The first
    version was never written."""
    switches = msgspec.to_builtins(identity)
    version = switches.pop("version")
    later = [] if version == FIRST_IDENTITY else [f"version_{version}"]
    return sorted([name for name, on in switches.items() if on] + later)
