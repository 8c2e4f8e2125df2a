"""Which URLs enter the frontier: links of pages, redirect targets, sitemaps, seeds.

All that is asked per link happens natively (`UrlStore.admit*`): scope, traps, and whether it is known.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from hondius.crawler.page.priority import priority
from hondius.model import Wanted
from hondius.native import Discoveries, Fetched, Identity, LinkPolicy, QueuedUrl, Url, UrlStore, read_sitemap
from hondius.settings import Settings

SITEMAP_PRIORITY = 0.85


class Links:
    def __init__(self, store: UrlStore, policy: LinkPolicy, identity: Identity, settings: Settings) -> None:
        self._store = store
        self._policy = policy
        self._identity = identity
        self._settings = settings

    def of_seeds(self, seeds: Iterable[tuple[Url, float | None]], now: float) -> list[Discoveries]:
        """Seeds open the scope around themselves; those of one priority are admitted together."""
        groups: dict[float, list[tuple[str, bytes]]] = defaultdict(list)
        usual = priority(self._settings.priority, 0)
        for url, wanted in seeds:
            self._policy.extend(url.href)
            groups[usual if wanted is None else wanted].append((url.href, url.key))
        return [
            self._store.admit(
                urls,
                self._policy,
                depth=0,
                priority=value,
                discovered_at=now,
                max_depth=None,
                via="seed",
                is_seed=True,
            )
            for value, urls in groups.items()
        ]

    def again(self, order: Wanted, now: float) -> Discoveries:
        """URLs that somebody wants fetched anew: what he names at once (R4); what comes back because no limit or
        blacklist holds it any more in its usual order."""
        urls = [self._identity.parse(href) for href in order.urls]
        usual = priority(self._settings.priority, order.depth)
        return self._store.admit(
            [(url.href, url.key) for url in urls],
            None,
            depth=order.depth,
            priority=usual if order.depth else 1.0,
            discovered_at=now,
            max_depth=None,
            via="recrawl",
            kind=order.kind,
        )

    def of_page(self, url: QueuedUrl, fetched: Fetched, now: float) -> list[Discoveries]:
        """The page's links that nobody knew; nothing where it says `nofollow` (D4)."""
        page = fetched.page
        if page is None or (page.nofollow and not self._settings.scope.follow_nofollow):
            return []
        depth = url.depth + 1
        found = self._store.admit_links(
            fetched,
            self._policy,
            depth=depth,
            priority=priority(self._settings.priority, depth),
            discovered_at=now,
            max_depth=self._settings.scope.max_depth,
            follow_nofollow=self._settings.scope.follow_nofollow,
        )
        return [found]

    def of_sitemap(self, url: QueuedUrl, fetched: Fetched, now: float) -> list[Discoveries]:
        entries, _ = read_sitemap(fetched.decoded or b"", url.href, self._identity)
        children = [(entry.href, entry.key) for entry in entries if entry.is_sitemap]
        pages = [(entry.href, entry.key) for entry in entries if not entry.is_sitemap and not entry.is_news]
        news = [(entry.href, entry.key) for entry in entries if entry.is_news]
        found = []
        if children and url.depth < 5:
            found.append(self.sitemaps(children, now, source=url.key, depth=url.depth + 1))
        if pages:
            found.append(self._of_urlset(pages, url, now))
        if news:
            found.append(self._of_urlset(news, url, now, is_news=True))
        return found

    def sitemaps(
        self, files: Sequence[tuple[str, bytes]], now: float, *, source: bytes | None = None, depth: int = 0
    ) -> Discoveries:
        """Sitemap files, which may lie anywhere that robots.txt or an index says."""
        return self._store.admit(
            files,
            None,
            depth=depth,
            priority=SITEMAP_PRIORITY,
            discovered_at=now,
            max_depth=None,
            via="robots" if source is None else "sitemap",
            kind="sitemap",
            source=source,
        )

    def of_redirect(self, url: QueuedUrl, target: Url, now: float) -> Discoveries:
        """The target of a redirect: one hop further, no deeper (H3). Where a seed leads is inside the scope (D1)."""
        if url.is_seed:
            self._policy.extend(target.href)
        return self._store.admit(
            [(target.href, target.key)],
            None if url.kind == "sitemap" else self._policy,
            depth=url.depth,
            priority=url.priority,
            discovered_at=now,
            max_depth=self._settings.scope.max_depth if url.kind == "page" else None,
            via="redirect",
            kind=url.kind,
            hops=url.hops + 1,
            source=url.key,
            is_seed=url.is_seed,
        )

    def _of_urlset(
        self, pages: Sequence[tuple[str, bytes]], url: QueuedUrl, now: float, *, is_news: bool = False
    ) -> Discoveries:
        return self._store.admit(
            pages,
            self._policy,
            depth=1,
            priority=priority(self._settings.priority, 1, from_sitemap=True, is_news=is_news),
            discovered_at=now,
            max_depth=self._settings.scope.max_depth,
            via="sitemap",
            source=url.key,
        )
