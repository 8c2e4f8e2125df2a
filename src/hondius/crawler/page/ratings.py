"""The priority of new URLs: from the ranks of pages and hosts, once the crawl has computed some (F2).

A computed priority tells that it is one (`mark_computed`), so that the next ranks may change it.
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from math import exp
from typing import Any

from hondius.crawler.page.priority import compute_priority
from hondius.crawler.priority_marks import is_computed
from hondius.native import EdgeLog, Fetched, NativeError, QueuedUrl, RankFactors, Ranks, Url, mark_computed
from hondius.settings import PrioritySettings

MOST_DEPTHS = 1_024
DAY = 86_400.0
UNKNOWN, NEVER_FETCHED = 0.5, 1.0
"""Change rate and freshness need of a URL that was never fetched."""
_log = logging.getLogger("hondius.crawler.rank")

LinkRatings = tuple[float, bytes | None]
"""The priority of the links of a page, and, if they differ, that of each in steps of 1/256."""


class Ratings:
    def __init__(self, weights: PrioritySettings) -> None:
        self._weights = weights
        self._factors: RankFactors | None = None
        self._ranks: Ranks | None = None
        self._edges: EdgeLog | None = None
        self._rate_usually = lru_cache(MOST_DEPTHS)(self._compute_usual)
        """Cached: every page needs the priority at a depth."""
        self.pages = 0
        """Pages whose links were noted."""

    def note_into(self, edges: EdgeLog) -> None:
        """From now on, `edges` gets the links of pages."""
        self._edges = edges

    def stop_noting(self, error: BaseException) -> None:
        """The crawl goes on with the ranks that it has."""
        self._edges = None
        _log.warning("page ranks are not computed any more in this run: %s", error)

    @property
    def is_noting(self) -> bool:
        return self._edges is not None

    def note_page(self, fetched: Fetched) -> None:
        if self._edges is not None:
            try:
                self._edges.add_fetched(fetched)
                self.pages += 1
            except NativeError as error:
                self.stop_noting(error)

    def note_redirect(self, url: QueuedUrl, target: Url) -> None:
        if self._edges is not None:
            try:
                self._edges.add_redirect(url.key, url.href, target.key, target.href)
            except NativeError as error:
                self.stop_noting(error)

    def use(self, ranks: Ranks) -> RankFactors:
        """From now on, new URLs are rated by these ranks. Returns what rates queued ones."""
        weights = self._weights
        self._ranks = ranks
        self._factors = RankFactors(
            ranks,
            page_rank=weights.page_rank,
            host_authority=weights.host_authority,
            depth=weights.depth,
            rest=weights.change_rate * UNKNOWN + weights.freshness * NEVER_FETCHED,
            sitemap_bonus=weights.sitemap_bonus,
            news_bonus=weights.news_bonus,
        )
        return self._factors

    def rate_links(self, fetched: Fetched, depth: int) -> LinkRatings:
        """The links of a page, which are at `depth`."""
        if self._factors is not None:
            try:
                rated = self._factors.rate_links(fetched, depth)
            except NativeError as error:
                self._stop_using(error)
            else:
                return (self.rate(depth), None) if rated is None else rated
        return self._rate_usually(depth), None

    def rate(self, depth: int, host: str = "", *, from_sitemap: bool = False, is_news: bool = False) -> float:
        """A URL of which nothing but its host is known, perhaps not even that."""
        if self._factors is not None and host:
            try:
                return self._factors.rate(host, depth, from_sitemap=from_sitemap, is_news=is_news)
            except NativeError as error:
                self._stop_using(error)
        return self._rate_usually(depth, from_sitemap, is_news)

    def rate_due(self, page: Mapping[str, Any], now: float) -> float | None:
        """A page that is due again, by what its visits have shown: how often it changes, and how long ago it was
        fetched. None if its priority was given. `page`: as the view has it. Reads from disk, on any thread."""
        if page["via"] == "seed" or not is_computed(page["priority"]):
            return None
        interval, fetched_at = page["change_interval"], page["last_fetched_at"]
        is_known = bool(interval) and fetched_at is not None
        page_rank, host_authority = self._find_ranks(page)
        value = compute_priority(
            self._weights,
            page["depth"],
            page_rank=page_rank,
            host_authority=host_authority,
            change_rate=1 - exp(-DAY / interval) if interval else UNKNOWN,
            freshness_need=min(1.0, max(0.0, now - fetched_at) / interval) if is_known else NEVER_FETCHED,
            from_sitemap=page["via"] == "sitemap",
            is_news=page["page_class"] == "news",
        )
        return mark_computed(value)

    def _find_ranks(self, page: Mapping[str, Any]) -> tuple[float, float]:
        """The percentiles of a page and of its host."""
        if self._ranks is not None:
            try:
                ranked, host = self._ranks.page(page["key"]), self._ranks.host(page["host"])
            except NativeError as error:
                self._stop_using(error)
            else:
                return UNKNOWN if ranked is None else ranked[1], UNKNOWN if host is None else host[1]
        return UNKNOWN, UNKNOWN

    def _compute_usual(self, depth: int, from_sitemap: bool = False, is_news: bool = False) -> float:
        usual = compute_priority(self._weights, depth, from_sitemap=from_sitemap, is_news=is_news)
        return mark_computed(usual, is_news=is_news)

    def _stop_using(self, error: NativeError) -> None:
        self._factors = self._ranks = None
        _log.warning("page ranks cannot be read, and are not used until they are computed again: %s", error)
