"""Chains of redirects, and broken links: from keys to what people read."""

from collections.abc import Iterator, Sequence
from heapq import nlargest
from typing import Any

from hondius.model import PageFilter, State
from hondius.ports import Catalog
from hondius.use.report.counts import describe_cause
from hondius.use.report.facts import BrokenLinks, BrokenTarget, Count, RedirectChain, Redirects
from hondius.use.report.links import LinkFacts
from hondius.use.report.targets import Targets

UNKNOWN, LOOP = "unknown", "loop"


class Describer:
    """Looks up pages of the catalog by key, for the rows that are shown."""

    def __init__(self, catalog: Catalog, targets: Targets, links: LinkFacts, most: int) -> None:
        self._catalog = catalog
        self._targets = targets
        self._links = links
        self._most = most

    def describe_broken_links(self, unread: int) -> BrokenLinks:
        """`unread`: pages whose links are not stored."""
        broken = {key: end for key in self._links.linked if (end := self._targets.find_failure(key)) is not None}
        ranked = nlargest(self._most, broken, key=lambda key: (self._links.linked[key].pages, key))
        linked_ends = set(broken.values())
        return BrokenLinks(
            targets=len(linked_ends),
            pages=self._links.broken_pages,
            links=self._links.broken_links,
            pages_read=self._links.pages_read,
            pages_unread=self._links.pages_unread + unread,
            without_links=len(self._targets.failed - linked_ends),
            linked=len(broken),
            listed=[target for key in ranked if (target := self._describe_target(key, broken[key])) is not None],
        )

    def describe_redirects(self, selected: PageFilter) -> Redirects:
        """Of the selected hosts. Their chains may lead to others."""
        statuses: dict[str, int] = {}
        chains = longest = to_failures = 0
        ranked: list[tuple[int, int, bytes]] = []
        total = 0
        within_chains = set(self._targets.redirects.values())
        for key, status in self._catalog.read_columns(("key", "status"), selected):
            total += 1
            statuses[str(status)] = statuses.get(str(status), 0) + 1
            hops = len(self._targets.follow(key)) - 1
            chains += hops > 1
            longest = max(longest, hops)
            to_failures += self._targets.find_failure(key) is not None
            pages = self._count_pages(key)
            if pages or key not in within_chains:
                ranked.append((hops, pages, key))
            if len(ranked) > 4 * self._most + 1_000:
                ranked = nlargest(self._most, ranked)
        return Redirects(
            urls=total,
            statuses=[Count(name, pages) for name, pages in sorted(statuses.items())],
            chains=chains,
            longest=longest,
            to_failures=to_failures,
            links=self._links.redirect_links,
            listed=[self._describe_chain(key, pages) for _, pages, key in nlargest(self._most, ranked)],
        )

    def _count_pages(self, key: bytes) -> int:
        linked = self._links.linked.get(key)
        return 0 if linked is None else linked.pages

    def _describe_target(self, key: bytes, end: bytes) -> BrokenTarget | None:
        page = self._catalog.page(end)
        if page is None:
            return None
        linked = self._links.linked[key]
        first = self._catalog.page(key) if key != end else None
        return BrokenTarget(
            url=page["url"],
            state=page["state"],
            cause=page["cause"],
            words=describe_cause(page["cause"]),
            status=page["status"],
            via="" if first is None else first["url"],
            pages=linked.pages,
            sources=linked.sources,
        )

    def _describe_chain(self, key: bytes, pages: int) -> RedirectChain:
        keys = self._targets.follow(key)
        rows = [self._catalog.page(one) for one in keys]
        first = rows[0]
        return RedirectChain(
            urls=list(_list_urls(rows)),
            status=None if first is None else first["status"],
            end=LOOP if keys[-1] in keys[:-1] else UNKNOWN if rows[-1] is None else str(rows[-1]["state"]),
            pages=pages,
        )


def _list_urls(rows: Sequence[dict[str, Any] | None]) -> Iterator[str]:
    """Each URL as it was requested; the target of the last redirect as it was written, if it was not fetched."""
    for before, row in zip((None, *rows), rows, strict=False):
        if row is not None:
            yield row["url"]
        elif before is not None:
            yield before["redirect_to"]
    last = rows[-1]
    if len(rows) == 1 and last is not None and last["state"] == State.REDIRECTED and last["redirect_to"]:
        yield last["redirect_to"]
