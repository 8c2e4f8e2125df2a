"""One pass over the catalog: everything that is counted by page."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from heapq import heappush, heapreplace
from http import HTTPStatus

from hondius.model import WITH_CONTENT, PageFilter, State
from hondius.ports import Catalog
from hondius.use.causes import CAUSES, explain_cause
from hondius.use.report.facts import Count, LargePage, Outcome
from hondius.use.report.timeline import TimelineCounter
from hondius.use.report.wishes import WishCounter

COLUMNS = tuple(
    "kind state cause status type language length wire_length last_fetched_at depth usage url links links_file".split()
)
WITHOUT_ANSWER = (State.FAILED, State.GONE)
MOST_NAMES = 1_000
"""Different types, languages and so on that are told apart: strangers choose them."""
OTHER = "other"
UNKNOWN = "unknown"
SIZES = (
    ("empty", 0),
    ("up to 1 KB", 1_000),
    ("1 to 10 KB", 10_000),
    ("10 to 100 KB", 100_000),
    ("100 KB to 1 MB", 1_000_000),
    ("1 to 10 MB", 10_000_000),
    ("over 10 MB", 1 << 63),
)
SHOWN_EVERY = 5_000


class NameCounter:
    """Pages and bytes by name. Names above a number count as `other`."""

    def __init__(self) -> None:
        self.pages: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()

    def add(self, name: str, size: int = 0) -> None:
        if name not in self.pages and len(self.pages) >= MOST_NAMES:
            name = OTHER
        self.pages[name] += 1
        self.bytes[name] += size

    def list_counts(self, most: int) -> list[Count]:
        """The most frequent; those that are cut off are added up as `other`."""
        ranked = sorted(self.pages.items(), key=lambda item: (item[0] == OTHER, -item[1], item[0]))
        shown, rest = ranked[:most], ranked[most:]
        counts = [Count(name, pages, self.bytes[name]) for name, pages in shown if name != OTHER]
        others = [(name, pages) for name, pages in ranked if name == OTHER or (name, pages) in rest]
        if others:
            total = sum(pages for _, pages in others)
            counts.append(Count(OTHER, total, sum(self.bytes[name] for name, _ in others)))
        return counts


class PageCounts:
    def __init__(self, most: int) -> None:
        self._most = most
        self.sitemaps = 0
        self.urls = 0
        self.pages = 0
        self.failed = 0
        self.failed_requisites = 0
        self.body_bytes = 0
        self.wire_bytes = 0
        self.blocked = 0
        self.pushed_back = 0
        self.without_stored_links = 0
        self.timeline = TimelineCounter()
        self.wishes = WishCounter()
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._statuses, self._types, self._languages = NameCounter(), NameCounter(), NameCounter()
        self._sizes: Counter[str] = Counter()
        self._depths: Counter[int] = Counter()
        self._largest: list[tuple[int, str, str]] = []

    def read(self, catalog: Catalog, selected: PageFilter, show: Callable[[int], None]) -> None:
        for number, row in enumerate(catalog.read_columns(COLUMNS, selected), 1):
            self._add(*row)
            if number % SHOWN_EVERY == 0:
                show(number)

    def _add(
        self,
        kind: str,
        state: str,
        cause: str,
        status: int | None,
        media_type: str,
        language: str,
        length: int,
        wire_length: int,
        fetched_at: float | None,
        depth: int,
        usage: str | None,
        url: str,
        links: int,
        links_file: str | None,
    ) -> None:
        self.body_bytes += length
        self.wire_bytes += wire_length
        if fetched_at is not None:
            self.timeline.add(fetched_at, wire_length)
        if kind != "page":
            self.sitemaps += kind == "sitemap"
            self.failed_requisites += kind == "requisite" and state in WITHOUT_ANSWER
            return
        self.urls += 1
        self._outcomes[state, cause if len(self._outcomes) < MOST_NAMES else ""] += 1
        self.failed += state in WITHOUT_ANSWER
        self.blocked += state == State.BLOCKED
        self.pushed_back += status in (429, 503)
        if status is not None:
            self._statuses.add(str(status))
        if state in WITH_CONTENT:
            self._add_content(media_type, language, length, depth, url)
            self.wishes.add(usage)
            self.without_stored_links += links > 0 and links_file is None

    def _add_content(self, media_type: str, language: str, length: int, depth: int, url: str) -> None:
        self.pages += 1
        self._types.add(media_type or UNKNOWN, length)
        self._languages.add(find_primary_language(language) or UNKNOWN)
        self._sizes[find_size(length)] += 1
        self._depths[depth if depth in self._depths or len(self._depths) < MOST_NAMES else -1] += 1
        if len(self._largest) < self._most:
            heappush(self._largest, (length, url, media_type))
        elif length > self._largest[0][0]:
            heapreplace(self._largest, (length, url, media_type))

    def list_outcomes(self) -> list[Outcome]:
        order = {state.value: number for number, state in enumerate(State)}
        ranked = sorted(self._outcomes.items(), key=lambda item: (order.get(item[0][0], 99), -item[1], item[0][1]))
        return [Outcome(state, cause, describe_cause(cause), urls) for (state, cause), urls in ranked]

    def list_statuses(self) -> list[Count]:
        return self._statuses.list_counts(self._most)

    def list_types(self) -> list[Count]:
        return self._types.list_counts(self._most)

    def list_languages(self) -> list[Count]:
        return self._languages.list_counts(self._most)

    def list_sizes(self) -> list[Count]:
        return [Count(name, self._sizes[name]) for name, _ in SIZES] if self._sizes else []

    def list_depths(self) -> list[Count]:
        return list(_name_depths(self._depths.items(), self._most))

    def list_largest(self) -> list[LargePage]:
        return [LargePage(url, media_type, length) for length, url, media_type in sorted(self._largest, reverse=True)]


def _name_depths(counted: Iterable[tuple[int, int]], most: int) -> Iterator[Count]:
    ranked = sorted(item for item in counted if item[0] >= 0)
    yield from (Count(str(depth), pages) for depth, pages in ranked[:most])
    if rest := sum(pages for _, pages in counted) - sum(pages for _, pages in ranked[:most]):
        yield Count(OTHER, rest)


def describe_cause(cause: str) -> str:
    """In words; for a status without words of its own, as the standard names it."""
    if cause.startswith("http_") and cause not in CAUSES:
        with suppress(ValueError):
            return HTTPStatus(int(cause.removeprefix("http_"))).phrase
    return explain_cause(cause, "").words if cause else ""


def find_primary_language(tag: str) -> str:
    """`en` for `en-GB` and `EN_us`."""
    return tag.replace("_", "-").partition("-")[0].strip().lower()


def find_size(length: int) -> str:
    return next(name for name, most in SIZES if length <= most)
