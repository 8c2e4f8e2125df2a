"""Translates settings for the native parts."""

import re
import resource
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from hondius import __version__
from hondius.crawler.page import Policies
from hondius.crawler.slots import compute_most_in_flight, compute_most_prepared
from hondius.errors import BadSetting
from hondius.native import Engine, HostLimits, Identity, LinkPolicy, NativeError, Reader
from hondius.ports import PartitionView, UrlStore
from hondius.settings import KNOWN_HOSTS, Settings

PRODUCT = "Hondius"
FEWEST_IDLE, MANY_IDLE, MOST_IDLE = 16, 2_048, 8_192
"""Connections that are kept open between requests. One with TLS takes about 30 KB."""
OWN_DESCRIPTORS = 48
"""At least this many are used by the stores, the event loop and the engine."""
ENOUGH_DESCRIPTORS = 10_240
"""Enough for any crawl; macOS allows this many."""
OWN_HEADERS = {
    "user-agent": "use --user-agent, so that robots.txt is read by the same name",
    "host": "use --resolve to reach a host at another address",
    "content-length": "leave it out",
    "transfer-encoding": "leave it out",
    "connection": "leave it out",
}
NO_LIMIT = 2**31
LONGEST_RESOLVE_FILE = 64 * 2**20
CA_FILE_PROBLEM = "ca_file "
"""How the native message about `fetch.ca_file` begins."""


def make_identity(settings: Settings) -> Identity:
    switches = settings.identity
    return Identity(
        version=switches.version,
        sort_query=switches.sort_query,
        drop_tracking=switches.drop_tracking,
        drop_session=switches.drop_session,
        drop_index=switches.drop_index,
        drop_trailing_slash=switches.drop_trailing_slash,
        drop_www=switches.drop_www,
    )


def make_policy(settings: Settings) -> LinkPolicy:
    scope, traps = settings.scope, settings.traps
    try:
        return LinkPolicy(
            scope=scope.scope,
            include=scope.include,
            exclude=scope.exclude,
            skip_extensions=scope.skipped_extensions(),
            requisites=scope.requisites,
            max_url_length=traps.max_url_length,
            max_segments=traps.max_segments,
            max_repeats=traps.max_repeats,
            max_parameters=traps.max_parameters,
            max_years_ahead=traps.max_years_ahead,
        )
    except NativeError as error:
        raise BadSetting(str(error)) from None


def make_policies(settings: Settings) -> Policies:
    scope, pages = settings.scope.scope, make_policy(settings)
    return Policies(
        pages=pages,
        guessed=_make_sitemap_policy(settings, "host" if scope == "prefix" else scope, pages),
        declared=_make_sitemap_policy(settings, "any"),
        requisites=_make_requisite_policy(settings),
    )


def load_policies(settings: Settings, view: PartitionView) -> Policies:
    """The policies of an existing crawl, including everything that has joined its scope."""
    policies = make_policies(settings)
    for hrefs in view.scope():
        policies.extend_lines(hrefs)
    return policies


def _make_sitemap_policy(settings: Settings, scope: str, members_of: LinkPolicy | None = None) -> LinkPolicy:
    """Rejects only what is excluded. Sitemaps have other extensions than pages, need not match the includes of pages,
    and are not checked for traps, because their number is limited."""
    return LinkPolicy(
        scope=scope,
        exclude=settings.scope.exclude,
        max_url_length=NO_LIMIT,
        max_segments=NO_LIMIT,
        max_repeats=NO_LIMIT,
        max_parameters=NO_LIMIT,
        max_years_ahead=NO_LIMIT,
        members_of=members_of,
    )


def _make_requisite_policy(settings: Settings) -> LinkPolicy:
    """Anywhere, because pages need them, unless they are excluded or too long. They lead no further, so none is a
    trap."""
    return LinkPolicy(
        scope="any",
        exclude=settings.scope.exclude,
        max_url_length=settings.traps.max_url_length,
        max_segments=NO_LIMIT,
        max_repeats=NO_LIMIT,
        max_parameters=NO_LIMIT,
        max_years_ahead=NO_LIMIT,
    )


def make_limits(settings: Settings) -> HostLimits:
    scope, traps = settings.scope, settings.traps
    return HostLimits(
        urls_per_shape=traps.max_urls_per_shape,
        new_per_minute=traps.max_new_per_minute,
        pages_per_host=scope.max_pages_per_host,
        stale_fetches=traps.stale_fetches,
        hosts_per_domain=KNOWN_HOSTS * scope.max_hosts_per_domain,
        sitemaps_per_host=traps.max_sitemaps_per_host,
        foreign_sitemaps_per_host=traps.max_foreign_sitemaps_per_host,
        kept_refusals=traps.kept_refusals,
    )


def make_reader(settings: Settings, identity: Identity, urls: UrlStore | None = None) -> Reader:
    """Without the text, which is in the archive. `urls`: the store that will admit the links; what it knows about them
    is read on the threads that analyse pages."""
    return Reader(
        identity,
        agent_token=product_token(settings),
        media=settings.scope.media,
        scripts=settings.scope.scripts,
        requisites=settings.scope.requisites,
        max_links=settings.fetch.max_links,
        want_text=False,
        store=None if urls is None else urls.handle(),
    )


def make_engine(
    settings: Settings,
    reader: Reader,
    notify: Callable[[], object],
    *,
    attempts_file: str | None = None,
    spill_directory: str | None = None,
) -> Engine:
    fetch = settings.fetch
    try:
        return Engine(
            reader,
            notify,
            user_agent=make_user_agent(settings),
            headers=[_parse_header(text) for text in fetch.headers],
            proxies=[_parse_proxy(text) for text in fetch.proxies],
            sources=[_split_pattern(text) for text in fetch.source_addresses],
            overrides=list(read_overrides(fetch.resolve)),
            resolvers=fetch.resolvers,
            allow_private=fetch.allow_private,
            ca_file=fetch.ca_file or None,
            verify_tls=fetch.verify_tls,
            connect_timeout=fetch.connect_timeout,
            read_timeout=fetch.read_timeout,
            total_timeout=fetch.total_timeout,
            page_cap=fetch.page_cap,
            body_budget=fetch.body_budget,
            idle_connections=_count_idle_connections(fetch.concurrency),
            content_types=sorted(settings.scope.kept_types()),
            address_gap=settings.politeness.address_gap if settings.politeness.delay > 0 else 0.0,
            attempts_file=attempts_file,
            spill_directory=spill_directory,
        )
    except NativeError as error:
        reason = str(error)
        if reason.startswith(CA_FILE_PROBLEM):
            reason = f"--{reason.replace('_', '-', 1)}: give the path of a file with certificates in PEM form"
        raise BadSetting(reason) from None


def check_settings(settings: Settings) -> None:
    """Checks everything that only the native parts can check, before anything is written."""
    _check_user_agent(settings)
    _check_patterns(settings)
    make_policy(settings)
    make_engine(settings, make_reader(settings, make_identity(settings)), lambda: None).close()


def _check_user_agent(settings: Settings) -> None:
    """Without a product token, no rule of a robots.txt could address us (RFC 9309, 2.2.1; digits are allowed, too)."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", product_token(settings)):
        raise BadSetting(
            f"--user-agent {settings.fetch.user_agent!r} does not begin with a product token, which robots.txt "
            "would call it by: begin with a name of letters, digits, - and _, like MyBot/1.0 (+https://example.com/bot)"
        )


def _check_patterns(settings: Settings) -> None:
    for option, patterns in (("--include", settings.scope.include), ("--exclude", settings.scope.exclude)):
        for pattern in patterns:
            try:
                LinkPolicy(scope="any", exclude=(pattern,))
            except NativeError as error:
                why = str(error).rpartition("error: ")[2]
                raise BadSetting(f"{option} {pattern!r} is not a regular expression ({why}): correct it") from None


def product_token(settings: Settings) -> str:
    """The name that robots.txt uses for us: the first product of the user agent."""
    return parse_product_token(make_user_agent(settings))


def parse_product_token(user_agent: str) -> str:
    return user_agent.partition("/")[0].partition(" ")[0]


def make_user_agent(settings: Settings) -> str:
    """Names Hondius, its version and a contact (P6)."""
    fetch = settings.fetch
    if fetch.user_agent:
        return fetch.user_agent
    contact = f" (+{fetch.contact})" if fetch.contact else ""
    return f"{PRODUCT}/{__version__}{contact}"


def count_descriptors(concurrency: int) -> int:
    """Open files that a run may need. Without enough, requests would fail and hosts would be blamed."""
    return compute_most_in_flight(concurrency) + compute_most_prepared(concurrency) + FEWEST_IDLE + OWN_DESCRIPTORS


def fit_to_system(settings: Settings) -> Settings:
    """The settings of a run on this system: no more requests at once than its limit of open files allows (F8)."""
    _raise_descriptor_limit()
    limit, wanted = find_descriptor_limit(), settings.fetch.concurrency
    if count_descriptors(wanted) <= limit:
        return settings
    most = bisect_right(range(wanted), limit, key=count_descriptors) - 1
    if most < 1:
        raise BadSetting(
            f"this system allows {limit:,} open files, too few for a crawl: "
            f"raise that with `ulimit -n {count_descriptors(wanted)}`"
        )
    return replace(settings, fetch=replace(settings.fetch, concurrency=most))


def ensure_descriptors(concurrency: int) -> None:
    """Raises the limit for this many requests at once, or refuses: a measurement with fewer would measure something
    else."""
    _raise_descriptor_limit()
    limit, others = find_descriptor_limit(), FEWEST_IDLE + OWN_DESCRIPTORS
    if limit >= concurrency + others:
        return
    fewer = f", or choose --concurrency {limit - others}" if limit > others else ""
    raise BadSetting(
        f"this system allows {limit:,} open files, too few for {concurrency:,} requests at once: "
        f"raise that with `ulimit -n {concurrency + others}`{fewer}"
    )


def _raise_descriptor_limit() -> None:
    """To the hard limit, or as near as the system allows: macOS reports none, and refuses to set none."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (hard, ENOUGH_DESCRIPTORS):
        if soft not in (wanted, resource.RLIM_INFINITY):
            with suppress(ValueError, OSError):
                return resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return None


def find_descriptor_limit() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return ENOUGH_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def read_overrides(resolve: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """`PATTERN=ADDRESS[:PORT][,ADDRESS…]`, or `@FILE` with one per line (N3)."""
    for text in resolve:
        if not text.startswith("@"):
            yield _parse_override(text, f"--resolve {text}")
            continue
        for number, line in enumerate(_read_resolve_file(Path(text[1:])), start=1):
            if line.strip() and not line.startswith("#"):
                yield _parse_override(line.strip(), f"{text[1:]}, line {number}")


def _read_resolve_file(path: Path) -> list[str]:
    try:
        if not path.is_file():
            raise BadSetting(f"{path}, named by --resolve, is not a regular file: check the path")
        if path.stat().st_size > LONGEST_RESOLVE_FILE:
            raise BadSetting(
                f"{path} is larger than {LONGEST_RESOLVE_FILE // 2**20} MiB: use patterns like *.test=127.0.0.1"
            )
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadSetting(f"{path}, named by --resolve, cannot be read ({reason}): check the path") from None


def _parse_override(text: str, where: str) -> tuple[str, str]:
    pattern, equals, address = text.partition("=")
    if not equals or not pattern.strip() or not address.strip():
        raise BadSetting(f"{where} must look like example.com=203.0.113.7 or *.test=127.0.0.1:8080")
    return pattern.strip(), address.strip()


def _parse_header(text: str) -> tuple[str, str, str]:
    pattern, bar, rest = text.partition("|")
    name, colon, value = (rest if bar else text).partition(":")
    if not colon or not name.strip():
        raise BadSetting(f"--header {name.strip()!r} must look like 'Name: value' or '*.example.com|Name: value'")
    if name.strip().lower() in OWN_HEADERS:
        raise BadSetting(f"--header {name.strip()} is set by Hondius itself: {OWN_HEADERS[name.strip().lower()]}")
    return (pattern.strip() if bar else "*"), name.strip(), value.strip()


def _parse_proxy(text: str) -> tuple[str, str]:
    pattern, address = _split_pattern(text)
    if "://" in pattern and not address.startswith("http://"):  # the equals sign is part of the password
        pattern, address = "*", text
    if not address.strip().startswith("http://"):
        shown = re.sub(r"[^/=]*@", "…@", text)  # it may hold a password
        raise BadSetting(f"--proxy {shown!r} is not understood: write it like http://proxy.example:3128")
    return pattern.strip(), address.strip()


def _split_pattern(text: str) -> tuple[str, str]:
    """`VALUE` for every host, or `PATTERN=VALUE`."""
    pattern, equals, value = text.partition("=")
    return (pattern.strip(), value.strip()) if equals else ("*", text.strip())


def _count_idle_connections(concurrency: int) -> int:
    """As many as the limit of descriptors leaves. With fewer than there are hosts in turn, each would close just before
    the turn of its host, and none would be used twice."""
    left = find_descriptor_limit() - count_descriptors(concurrency)
    return max(FEWEST_IDLE, min(max(MANY_IDLE, 4 * concurrency), MOST_IDLE, left))
