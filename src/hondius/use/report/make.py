"""Makes the report on a crawl."""

from collections.abc import Callable, Sequence
from heapq import nlargest

import msgspec

from hondius import __version__
from hondius.crawler.translation import make_identity
from hondius.errors import BadSetting
from hondius.hints import format_command, quote_command
from hondius.model import HostState, PageFilter, State
from hondius.native import now
from hondius.opening import Crawl
from hondius.ports import Catalog
from hondius.quantities import format_count
from hondius.use.report.counts import PageCounts
from hondius.use.report.describe import Describer
from hondius.use.report.facts import CopiedPage, Copies, CrawlReport, Politeness, SlowHost, Totals
from hondius.use.report.freshness import FreshnessCounter
from hondius.use.report.links import MOST_LINKED, LinkFacts, read_links
from hondius.use.report.targets import read_targets
from hondius.use.report.waiting import describe_waiting
from hondius.use.selection import select_pages

DEFAULT_MOST = 100
LARGEST_MOST = 100_000
SHOWN_COPIES = 5
"""Examples of the copies of a page."""

Show = Callable[[str, int], None]
"""Called with what is done now, and with a number that grows."""


def make_report(
    crawl: Crawl, hosts: Sequence[str] = (), most: int = DEFAULT_MOST, show: Show = lambda doing, number: None
) -> CrawlReport:
    """`hosts`: only pages of these hosts, and links on them; `*.example.com` is every host below example.com. `most`:
    the length of each list. Also works while the crawl runs. Raises BadSetting for a bad host or number."""
    if not 1 <= most <= LARGEST_MOST:
        raise BadSetting(f"a list has 1 to {LARGEST_MOST:,} rows, not {most:,}")
    selected = select_pages(hosts=hosts)
    catalog = crawl.catalog
    made_at = now()
    counts = PageCounts(most, FreshnessCounter(crawl.settings.recrawl, made_at))
    counts.read(catalog, selected, lambda number: show("counting pages", number))
    identity = make_identity(crawl.settings)
    targets = read_targets(catalog, identity, lambda number: show("finding failed pages", number))
    reader = crawl.place.open_link_reader(identity=identity)
    links = read_links(catalog, reader, selected, targets, lambda number: show("reading links of pages", number))
    describer = Describer(catalog, targets, links, most)
    contacted, slow = _read_hosts(catalog, selected, most)
    totals = catalog.totals()
    redirected = msgspec.structs.replace(selected, states=(State.REDIRECTED.value,), kinds=("page",))
    return CrawlReport(
        crawl=crawl.name,
        version=__version__,
        made_at=made_at,
        selected_hosts=list(selected.hosts),
        totals=Totals(
            urls=counts.urls,
            pages=counts.pages,
            failed=counts.failed,
            sitemaps=counts.sitemaps,
            hosts=contacted,
            requests=None if hosts else totals["fetches"],
            body_bytes=counts.body_bytes,
            wire_bytes=counts.wire_bytes,
        ),
        timeline=counts.timeline.make_timeline(),
        outcomes=counts.list_outcomes(),
        statuses=counts.list_statuses(),
        types=counts.list_types(),
        languages=counts.list_languages(),
        sizes=counts.list_sizes(),
        depths=counts.list_depths(),
        largest=counts.list_largest(),
        broken_links=describer.describe_broken_links(counts.without_stored_links),
        redirects=describer.describe_redirects(redirected),
        slow_hosts=slow,
        freshness=counts.freshness.make(),
        copies=_describe_copies(catalog, selected, most),
        near_copies=_describe_near_copies(catalog, selected, most),
        wishes=counts.wishes.list_wishes(),
        waiting=describe_waiting(crawl, most),
        politeness=Politeness(
            delay=crawl.settings.politeness.delay,
            blocked=counts.blocked,
            pushed_back=counts.pushed_back,
            audit=format_command("audit", crawl.name),
        ),
        notes=[
            *targets.notes,
            *_describe_limits(links, totals["refused_more"], totals["unread_links"]),
            *_describe_requisites(crawl, counts.failed_requisites),
        ],
    )


def _read_hosts(catalog: Catalog, selected: PageFilter, most: int) -> tuple[int, list[SlowHost]]:
    """How many hosts were contacted, and the slowest of them."""
    contacted = 0
    slowest: list[tuple[float, str, SlowHost]] = []
    for host in catalog.hosts():
        if selected.hosts and not any(_is_host(host.host, wanted) for wanted in selected.hosts):
            continue
        contacted += 1
        if host.fetched:
            described = _describe_host(host)
            slowest.append((described.seconds, described.host, described))
        if len(slowest) > 2 * most + 1_000:
            slowest = nlargest(most, slowest)
    return contacted, [described for *_, described in nlargest(most, slowest)]


def _describe_host(host: HostState) -> SlowHost:
    return SlowHost(host.host, host.seconds / host.fetched, host.fetched, host.failed, host.bytes, host.crawl_delay)


def _is_host(host: str, wanted: str) -> bool:
    return host.endswith(wanted[1:]) if wanted.startswith("*.") else host == wanted


def _describe_copies(catalog: Catalog, selected: PageFilter, most: int) -> Copies:
    copies = msgspec.structs.replace(selected, states=(State.DUPLICATE.value,), kinds=("page",))
    frequent = catalog.list_most_frequent("copy_of", most, copies)
    examples: dict[str, list[str]] = {original: [] for original, _ in frequent}
    total = 0
    for original, url in catalog.read_columns(("copy_of", "url"), copies):
        total += 1
        if len(some := examples.get(original, [])) < SHOWN_COPIES:
            some.append(url)
    listed = [CopiedPage(original, count, examples[original]) for original, count in frequent]
    return Copies(pages=total, listed=listed)


def _describe_requisites(crawl: Crawl, failed: int) -> list[str]:
    if not failed:
        return []
    words = "--kind requisite --state failed --state gone --columns url,cause"
    listed = quote_command("export", crawl.name, *words.split())
    return [f"{format_count(failed, 'requisite')} of pages could not be fetched: {listed} lists them"]


def _describe_near_copies(catalog: Catalog, selected: PageFilter, most: int) -> Copies:
    near = msgspec.structs.replace(selected, states=(State.COMPLETED.value,), kinds=("page",))
    frequent = [(key, count) for key, count in catalog.list_most_frequent("near_of", most, near) if key is not None]
    examples: dict[bytes, list[str]] = {key: [] for key, _ in frequent}
    total = 0
    for key, url in catalog.read_columns(("near_of", "url"), near):
        if key is not None:
            total += 1
            if len(some := examples.get(key, [])) < SHOWN_COPIES:
                some.append(url)
    listed = [CopiedPage(_find_url(catalog, key), count, examples[key]) for key, count in frequent]
    return Copies(pages=total, listed=listed)


def _find_url(catalog: Catalog, key: bytes) -> str:
    page = catalog.page(key)
    return key.hex() if page is None else str(page["url"])


def _describe_limits(links: LinkFacts, refused_more: int, unread_links: int) -> list[str]:
    notes = []
    if links.other_targets:
        notes.append(
            f"more than {MOST_LINKED:,} URLs that failed or redirect are linked to: {links.other_targets:,} links to "
            "the others are counted, but cannot be listed"
        )
    if refused_more:
        notes.append(f"{refused_more:,} refused links were only counted, and are not among the URLs above")
    if unread_links:
        notes.append(f"{unread_links:,} links were above the limit of links of a page, and were not read")
    return notes
