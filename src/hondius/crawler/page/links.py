"""Admits URLs to the frontier: links of pages, redirect targets, sitemaps, seeds.

All checks per link are native (`UrlStore.admit*`): scope, traps, and whether it is known.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count, repeat
from typing import Any

from hondius.crawler.page.focus import Focus, Following
from hondius.crawler.page.judgement import Judgement
from hondius.crawler.page.policies import Policies
from hondius.crawler.page.ratings import LinkRatings, Ratings
from hondius.crawler.page.reading import GUESSED_PATH, REQUISITE, Reading
from hondius.crawler.page.requisite_room import RequisiteRoom
from hondius.crawler.priority_marks import STEPS
from hondius.model import NewSeeds, RecrawlOrder
from hondius.native import Discoveries, Fetched, Identity, Link, LinkPolicy, Listing, NativeError, Page, QueuedUrl, Url
from hondius.ports import UrlStore
from hondius.settings import Settings
from hondius.settings.media import SCRIPT_TYPES
from hondius.undo import OnFailure

SEED_PRIORITY = 1.0
"""What the operator asked for comes before anything that is found, even before sitemaps with tens of thousands of
URLs."""
SITEMAP_PRIORITY = 0.85
REQUISITE_PRIORITY = 1.0
"""A page and what it needs belong together: they are fetched before the next page."""
LEADING_ON = frozenset({"text/css", *SCRIPT_TYPES})
"""Types of requisites that name further ones."""
MOST_HOPS = 5
"""Style sheets and scripts on the way to a requisite, and redirects."""
PIECE = 2_000
"""Links of a page or a sitemap that are admitted at once: more would block the event loop for too long. A page of 10 MB
may have hundreds of thousands."""
NO_HOST = ""
"""No host at all: URLs found on it are foreign to every host."""
MOST_NESTED = 5
"""Levels of sitemap indexes within indexes."""


class Links:
    def __init__(self, store: UrlStore, policies: Policies, identity: Identity, settings: Settings) -> None:
        self._store = store
        self._policies = policies
        self._identity = identity
        self._settings = settings
        self._room = RequisiteRoom(settings.scope.requisites_per_page)
        self._focus = Focus(settings.focus)
        self.ratings = Ratings(settings.priority)

    def withdraw_on_failure(self, found: Sequence[Discoveries]) -> OnFailure:
        """For the steps between an admission and its submission. Until then only this process knows the links: if they
        are not queued, they must be new to the next page that names them."""
        return OnFailure(self.withdraw, found)

    def withdraw(self, found: Sequence[Discoveries]) -> None:
        for some in found:
            self._store.forget_pending(some.blobs, some.refused)

    def withdraw_refused(self, found: Sequence[Discoveries]) -> None:
        for some in found:
            self._store.forget_pending([], some.refused)

    def admit_seeds(self, seeds: Iterable[tuple[Url, float | None]], now: float) -> tuple[list[Discoveries], str]:
        """Seeds open the scope around themselves. Those of one priority are admitted together. Also returns the hrefs
        that were not in the scope, one per line."""
        groups: dict[float, list[tuple[str, bytes]]] = defaultdict(list)
        for url, wanted in seeds:
            groups[SEED_PRIORITY if wanted is None else wanted].append((url.href, url.key))
        joined = self._policies.extend_lines("\n".join(href for urls in groups.values() for href, _ in urls))
        found: list[Discoveries] = []
        with self.withdraw_on_failure(found):
            for value, urls in groups.items():
                found.append(
                    self._store.admit(
                        urls,
                        self._policies.pages,
                        depth=0,
                        priority=value,
                        discovered_at=now,
                        max_depth=None,
                        via="seed",
                        is_seed=True,
                    )
                )
        return found, joined

    def read_ahead(self, urls: Iterable[Url]) -> None:
        """Reads from disk what admitting these URLs will need. Blocks: call it on a thread that may wait."""
        self._store.read_ahead([(url.href, url.key) for url in urls])

    def parse_seeds(self, order: NewSeeds) -> Iterator[tuple[Url, float | None]]:
        """The seeds of an order, without invalid URLs. They were checked when the order was given, but its file may be
        damaged."""
        for href, wanted in order.seeds:
            with suppress(NativeError):
                yield self._identity.parse(href), wanted

    def is_known(self, key: bytes) -> bool:
        return self._store.state(key) is not None

    def admit_imported(self, url: Url, *, is_known: bool, now: float) -> Discoveries:
        """A page of an archive, whatever the scope is. `is_known`: it has ended before."""
        return self._store.admit(
            [(url.href, url.key)],
            None,
            depth=0,
            priority=SEED_PRIORITY,
            discovered_at=now,
            max_depth=None,
            via="recrawl" if is_known else "import",
        )

    def extend_scope(self, hrefs: str) -> str:
        """Adds the hosts of an archive, one URL a line. Returns those that were not in the scope."""
        return self._policies.extend_lines(hrefs)

    def admit_recrawl(self, order: RecrawlOrder, now: float) -> list[Discoveries]:
        """URLs to be fetched again: those that the operator names, at once (R4); those that a limit or the blacklist no
        longer holds back, in their usual order."""
        found: list[Discoveries] = []
        with self.withdraw_on_failure(found):
            for depth, urls in self._group_by_depth(order).items():
                usual = self.ratings.rate(depth)
                found.append(
                    self._store.admit(
                        [(url.href, url.key) for url in urls],
                        None,
                        depth=depth,
                        priority=1.0 if order.at_once else usual,
                        discovered_at=now,
                        max_depth=None,
                        via="recrawl",
                        kind=order.kind,
                        source=urls[0].key if order.fresh else None,  # any source makes it unconditional
                    )
                )
        return found

    def _group_by_depth(self, order: RecrawlOrder) -> dict[int, list[Url]]:
        """A known URL keeps the depth that the store has (D5): whoever gave the order may have read an older one. The
        store does not count how deep a sitemap is nested."""
        urls = self.parse_urls(order)
        known = self._store.depths([url.key for url in urls]) if order.kind == "page" else [None] * len(urls)
        groups: dict[int, list[Url]] = defaultdict(list)
        for url, depth in zip(urls, known, strict=True):
            groups[order.depth if depth is None else depth].append(url)
        return groups

    def parse_urls(self, order: RecrawlOrder) -> list[Url]:
        """Without invalid URLs, as of seeds."""
        urls: list[Url] = []
        for href in order.urls:
            with suppress(NativeError):
                urls.append(self._identity.parse(href))
        return urls

    def admit_requeued(
        self, urls: Sequence[tuple[str, bytes]], *, depth: int, kind: str, is_seed: bool, now: float
    ) -> Discoveries:
        """Queues URLs again that have ended and may succeed now: a bug ended them, or the settings have changed."""
        return self._store.admit(
            urls,
            None,
            depth=depth,
            priority=SEED_PRIORITY if is_seed else self.ratings.rate(depth),
            discovered_at=now,
            max_depth=None,
            via="recrawl",
            kind=kind,
            is_seed=is_seed,
        )

    def admit_due(self, pages: Sequence[Mapping[str, Any]], now: float) -> list[Discoveries]:
        """Pages of the view that are due again (R). `rated`: the priority that each has now (`Ratings.rate_due`); None:
        that which it had. A page keeps the depth that the store has."""
        depths = self._store.depths([page["key"] for page in pages])
        groups: dict[tuple[int, str, bool, bool], list[Mapping[str, Any]]] = defaultdict(list)
        for page, depth in zip(pages, depths, strict=True):
            known = page["depth"] if depth is None or page["kind"] != "page" else depth
            groups[known, page["kind"], page["via"] == "seed", page["rated"] is not None].append(page)
        found: list[Discoveries] = []
        with self.withdraw_on_failure(found):
            for (depth, kind, is_seed, are_rated), some in groups.items():
                given = [page["priority"] for page in some]
                found.append(
                    self._store.admit(
                        [(page["url"], page["key"]) for page in some],
                        None,
                        depth=depth,
                        priority=SEED_PRIORITY,
                        discovered_at=now,
                        max_depth=None,
                        via="recrawl",
                        kind=kind,
                        is_seed=is_seed,
                        priorities=bytes(int(page["rated"] * STEPS) for page in some) if are_rated else given,
                    )
                )
        return found

    def find_closest(self, url: QueuedUrl) -> QueuedUrl:
        """The same URL with the shortest path that is known by now (D5). Call it when the answer has arrived, and again
        after each await, because the depth of the URL and of its links is recorded."""
        return self._store.closest(url)

    def admit_links(
        self,
        url: QueuedUrl,
        fetched: Fetched,
        reading: Reading,
        now: float,
        judged: Judgement | None = None,
        is_near_copy: bool = False,
    ) -> list[Discoveries]:
        """The links that were not known; none of a page that says `nofollow` (D4). Those of a near copy get a low
        priority (X3). For many links use `admit_in_pieces`."""
        found = self.admit_requisites(url, fetched, reading, now) if self._settings.scope.requisites else []
        with self.withdraw_on_failure(found):
            if judged is not None and judged.affects_single_links and reading.page is not None:
                found += self._admit_judged(url, fetched, reading.page, judged, now, is_near_copy=is_near_copy)
            elif reading.page is not None and self._are_followed(reading.page):
                choice = self._rate_links(url, fetched, reading.page, judged, is_near_copy=is_near_copy)
                found.append(self._admit_page_links(url, fetched, now, *choice))
            elif reading.page is None and reading.kind != REQUISITE:
                for piece in self._admit_listed(url, fetched, now):
                    found.append(piece)
        return found

    def admit_requisites(self, url: QueuedUrl, fetched: Fetched, reading: Reading, now: float) -> list[Discoveries]:
        """What a page, a style sheet or a script needs (D7); nothing of a page that must not be archived. A style sheet
        may import another: how far that goes is counted as redirects are."""
        page = fetched.page
        if page is None or not page.requisites or page.noarchive:
            return []
        leads_on = reading.kind == REQUISITE and fetched.content_type in LEADING_ON and url.hops < MOST_HOPS
        if reading.kind != "page" and not leads_on:
            return []
        if url.kind == "page":
            self._room.add_page()
        if not self._room.is_left(url.href):
            return []
        found = self._store.admit_requisites(
            fetched,
            self._policies.requisites,
            depth=url.depth + 1,
            priority=REQUISITE_PRIORITY,
            discovered_at=now,
            hops=url.hops + 1 if leads_on else 0,
        )
        self._room.take(found.count)
        return [found]

    def has_many(self, fetched: Fetched, reading: Reading) -> bool:
        """Whether there are too many to be admitted at once."""
        return (fetched.entries if reading.page is None else reading.page.links_found) > PIECE

    def admit_in_pieces(
        self,
        url: QueuedUrl,
        fetched: Fetched,
        reading: Reading,
        now: float,
        judged: Judgement | None = None,
        is_near_copy: bool = False,
    ) -> Iterator[Discoveries]:
        """The links of a large page or sitemap. A piece is admitted when it is requested; each takes the event loop a
        few milliseconds."""
        if self._settings.scope.requisites:
            yield from self.admit_requisites(url, fetched, reading, now)
        if reading.page is None:
            yield from self._admit_listed(url, fetched, now)
        elif judged is not None and judged.affects_single_links:
            yield from self._admit_judged(url, fetched, reading.page, judged, now, is_near_copy=is_near_copy)
        elif self._are_followed(reading.page):
            choice = self._rate_links(url, fetched, reading.page, judged, is_near_copy=is_near_copy)
            for skip in range(0, reading.page.links_found, PIECE):
                yield self._admit_page_links(url, fetched, now, *choice, skip)

    def _are_followed(self, page: Page) -> bool:
        return not page.nofollow or self._settings.scope.follow_nofollow

    def find_following(self, url: QueuedUrl, page: Page, judged: Judgement | None) -> Following | None:
        """How the score of a page affects its links; None if it has none (D6)."""
        return self._focus.find_following(page, judged, is_seed=url.is_seed)

    def is_poor(self, page: Page) -> bool:
        """Whether its body is not worth storing (A4)."""
        return page.quality is not None and page.quality < self._settings.quality.store_above

    def count_unfollowed(self, page: Page, following: Following) -> int:
        """The links that are not followed because neither they nor the page fit the topic."""
        if not following.threshold:
            return 0
        return page.count_unfollowed(following, follow_nofollow=self._settings.scope.follow_nofollow)

    def _rate_links(
        self, url: QueuedUrl, fetched: Fetched, page: Page, judged: Judgement | None, *, is_near_copy: bool
    ) -> tuple[LinkRatings, Following | None]:
        """The priorities of the links of a page, by ranks, and how its topic affects them. Links of a near copy keep a
        low priority whatever their topic is (X3)."""
        ratings = self.ratings.rate_links(fetched, _compute_link_depth(url))
        following = self.find_following(url, page, judged)
        if not is_near_copy:
            return ratings, following
        most = self._settings.near.priority
        return (min(ratings[0], most), None), None if following is None else following._replace(weight=0.0)

    def _admit_page_links(
        self,
        url: QueuedUrl,
        fetched: Fetched,
        now: float,
        ratings: LinkRatings,
        following: Following | None,
        skip: int = 0,
    ) -> Discoveries:
        priority, priorities = ratings
        return self._store.admit_links(
            fetched,
            self._policies.pages,
            depth=_compute_link_depth(url),
            priority=priority,
            discovered_at=now,
            max_depth=self._settings.scope.max_depth,
            follow_nofollow=self._settings.scope.follow_nofollow,
            skip=skip,
            most=PIECE,
            priorities=priorities,
            following=following,
        )

    def _admit_judged(
        self, url: QueuedUrl, fetched: Fetched, page: Page, judged: Judgement, now: float, *, is_near_copy: bool
    ) -> Iterator[Discoveries]:
        """The links that hooks do not refuse, in pieces, each with its own priority. Known links are among them: this
        may be a shorter path to them."""
        if not self._are_followed(page):
            return
        depth = _compute_link_depth(url)
        (usual, _), following = self._rate_links(url, fetched, page, judged, is_near_copy=is_near_copy)
        may_follow_all, refused, priorities = self._settings.scope.follow_nofollow, judged.refused, judged.priorities
        links = [
            (link, priorities.get(link.key, wanted))
            for link, wanted in self._choose_links(page, following, usual)
            if link.key not in refused and (may_follow_all or not link.nofollow)
        ]
        for skip in range(0, len(links), PIECE):
            piece = links[skip : skip + PIECE]
            yield self._store.admit(
                [(link.href, link.key) for link, _ in piece],
                self._policies.pages,
                depth=depth,
                priority=usual,
                discovered_at=now,
                max_depth=self._settings.scope.max_depth,
                via="link",
                source=url.key,
                found_on=self._identity.parse(url.href).host,
                priorities=[wanted for _, wanted in piece],
            )

    def _choose_links(self, page: Page, following: Following | None, usual: float) -> Iterator[tuple[Link, float]]:
        """The links that fit the topic, with their priorities."""
        own = page.link_focus or repeat(None)
        for link, score in zip(page.links, own, strict=False):
            if following is None:
                yield link, usual
            elif following.follows(score):
                yield link, following.compute_priority(usual, score)

    def _admit_listed(self, url: QueuedUrl, fetched: Fetched, now: float) -> Iterator[Discoveries]:
        """What a sitemap or a feed lists: index files, pages, news."""
        kinds = ("sitemaps", "pages", "news") if url.depth < MOST_NESTED else ("pages", "news")
        for listed in kinds:
            for skip in range(0, fetched.entries, PIECE):
                piece = self._admit_piece(url, fetched, listed, skip, now)
                if piece is None:
                    break
                yield piece

    def _admit_piece(self, url: QueuedUrl, fetched: Fetched, listed: str, skip: int, now: float) -> Discoveries | None:
        is_index = listed == "sitemaps"
        host = self._identity.parse(url.href).host
        usual = self.ratings.rate(1, host, from_sitemap=True, is_news=listed == "news")
        return self._store.admit_listed(
            fetched,
            listed,
            self._policies.declared if is_index else self._policies.pages,
            depth=url.depth + 1 if is_index else 1,
            priority=SITEMAP_PRIORITY if is_index else usual,
            discovered_at=now,
            max_depth=None if is_index else self._settings.scope.max_depth,
            via="sitemap",
            kind="sitemap" if is_index else "page",
            skip=skip,
            most=PIECE,
        )

    def admit_sitemaps(self, files: Sequence[tuple[str, bytes]], host: str, now: float) -> Discoveries:
        """Sitemaps that the robots.txt of a host names."""
        return self._admit_sitemap_files(files, self._policies.declared, now, via="robots", named_by=host)

    def admit_guessed_sitemap(self, origin: str, now: float) -> Discoveries:
        """The usual place, if no other is named."""
        url = self._identity.parse(f"{origin}{GUESSED_PATH}")
        return self._admit_sitemap_files(
            [(url.href, url.key)], self._policies.guessed, now, via="sitemap", named_by=None
        )

    def _admit_sitemap_files(
        self, files: Sequence[tuple[str, bytes]], policy: LinkPolicy, now: float, *, via: str, named_by: str | None
    ) -> Discoveries:
        return self._store.admit(
            files,
            policy,
            depth=0,
            priority=SITEMAP_PRIORITY,
            discovered_at=now,
            max_depth=None,
            via=via,
            kind="sitemap",
            found_on=named_by,
        )

    def is_near(self, origin: str) -> bool:
        """Whether the scope includes this origin. The sitemaps of an origin outside the scope are not requested, even
        if a sitemap of another origin made us contact it."""
        return self._policies.guessed.judge(f"{origin}/") != "scope"

    def find_plain_name(self, url: QueuedUrl, origin: str) -> str | None:
        """Its name without what identity ignores, if that differs and belongs to the same origin, whose turn it is."""
        plain = self._identity.parse(self._identity.parse(url.href).key_form)
        return plain.href if plain.href != url.href and (plain.key, plain.origin) == (url.key, origin) else None

    def find_target(self, fetched: Fetched) -> Url | str | None:
        """The target of a redirect, or why it is not a URL that can be crawled; None if the answer names no target."""
        return fetched.location(self._identity)

    def admit_redirect(self, url: QueuedUrl, target: Url, now: float) -> Discoveries:
        """The target of a redirect: one hop further, at the same depth (H3). The target of a seed is inside the scope
        (D1). A named sitemap may redirect anywhere, and its target counts as named."""
        if url.is_seed:
            self._policies.extend(target.href)
        policy, via = self._policies.pages, "redirect"
        if url.kind == "sitemap" and _is_declared(url):
            policy, via = self._policies.declared, url.via
        elif url.kind == "sitemap":
            policy = self._policies.guessed
        elif url.kind == REQUISITE:
            policy = self._policies.requisites
        return self._store.admit(
            [(target.href, target.key)],
            policy,
            depth=url.depth,
            priority=url.priority,
            discovered_at=now,
            max_depth=self._settings.scope.max_depth if url.kind == "page" else None,
            via=via,
            kind=url.kind,
            hops=url.hops + 1,
            source=url.key,
            found_on=self._find_naming_host(url),
            is_seed=url.is_seed,
        )

    def _find_naming_host(self, url: QueuedUrl) -> str:
        """The host that counts as the source of a redirect target: usually the one that redirects. If only other hosts
        have named the URL, its target is foreign, too: a server that redirects `/item/9` to `/item/9/` has not thereby
        named a page of its own (F6)."""
        if url.foreign and self._store.is_foreign(url.key):
            return NO_HOST
        return self._identity.parse(url.href).host

    def admit_closer_links(self, row: Mapping[str, Any], page: Page, depth: int, now: float) -> Discoveries:
        """The links of an archived page that was found closer: those that are known, and are closer now, too (D5).
        `row`: of the page, in the catalog."""
        return self._admit_archived(row, page, depth + 1, now, known_only=True)

    def readmit_links(self, row: Mapping[str, Any], page: Page, depth: int, now: float) -> Discoveries:
        """The links of an archived page, judged again because the scope has grown (D1)."""
        return self._admit_archived(row, page, depth, now, known_only=False, host=row["host"])

    def _admit_archived(
        self, row: Mapping[str, Any], page: Page, depth: int, now: float, *, known_only: bool, host: str | None = None
    ) -> Discoveries:
        """It keeps the score that it had, perhaps from a hook."""
        score = row["focus"]
        return self._store.admit_archived(
            page,
            row["key"],
            self._policies.pages,
            depth=depth,
            priority=self.ratings.rate(depth, host or ""),
            discovered_at=now,
            max_depth=self._settings.scope.max_depth,
            known_only=known_only,
            found_on=host,
            follow_nofollow=self._settings.scope.follow_nofollow,
            following=None if score is None else self._focus.follow(score, is_seed=row["via"] == "seed"),
        )

    def readmit_pages(self, source: bytes, host: str, listing: Listing, now: float) -> Iterator[Discoveries]:
        """The pages that an archived sitemap lists, judged again, in pieces. The index files that it names may be
        anywhere, so none of them was left out."""
        for listed in ("pages", "news"):
            for number in count():
                piece = self._store.admit_archived_listing(
                    listing,
                    source,
                    listed,
                    self._policies.pages,
                    priority=self.ratings.rate(1, host, from_sitemap=True, is_news=listed == "news"),
                    discovered_at=now,
                    max_depth=self._settings.scope.max_depth,
                    found_on=host,
                    skip=number * PIECE,
                    most=PIECE,
                )
                if piece is None:
                    break
                yield piece

    def readmit_target(
        self, source: bytes, host: str, target: Url, *, kind: str, depth: int, hops: int, wanted: float, now: float
    ) -> Discoveries:
        """The target of a redirect, judged again. Never that of a named sitemap, which may redirect anywhere."""
        return self._store.admit(
            [(target.href, target.key)],
            self._policies.pages if kind == "page" else self._policies.guessed,
            depth=depth,
            priority=wanted,
            discovered_at=now,
            max_depth=self._settings.scope.max_depth if kind == "page" else None,
            via="redirect",
            kind=kind,
            hops=hops + 1,
            source=source,
            found_on=host,
        )

    def may_read(self, href: str, discovered_at: float) -> bool:
        """Whether a page that was found at the URL of a sitemap may be read as a page. `Readings` decides in the same
        way."""
        return self._policies.pages.judge(href, discovered_at) is None

    def admit_closer_target(self, source: bytes, target: Url, depth: int, now: float) -> Discoveries:
        """The target of a redirect that was found closer: as deep as the redirect (H3)."""
        return self._store.admit(
            [(target.href, target.key)],
            self._policies.pages,
            depth=depth,
            priority=self.ratings.rate(depth),
            discovered_at=now,
            max_depth=self._settings.scope.max_depth,
            via="redirect",
            source=source,
            known_only=True,
        )

    def admit_refetch(self, url: Url, source: bytes | None, depth: int, now: float, kind: str = "page") -> Discoveries:
        """A page to be reread whose body is not in the archive: it is fetched again for its links."""
        return self._store.admit(
            [(url.href, url.key)],
            None,
            depth=depth,
            priority=self.ratings.rate(depth),
            discovered_at=now,
            max_depth=None,
            via="recrawl",
            kind=kind,
            source=source or url.key,
        )


def _compute_link_depth(url: QueuedUrl) -> int:
    """If a page was found at the URL of a sitemap, its links are as deep as the URLs of a sitemap."""
    return 1 if url.kind == "sitemap" else url.depth + 1


def _is_declared(url: QueuedUrl) -> bool:
    """Whether robots.txt or an index names the sitemap. A guessed one has no source, and after its first hop it is a
    redirect."""
    return url.via == "robots" or (url.via == "sitemap" and url.source is not None)
