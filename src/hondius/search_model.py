"""What goes into the search index, and what is asked of it (S7)."""

from collections.abc import Iterable

import msgspec


class IndexedPage(msgspec.Struct, frozen=True, array_like=True):
    """A page, as the index has it. The texts are those of the page: the index splits them into words itself."""

    key: bytes
    url: str
    host: str
    title: str
    description: str
    headings: str
    text: str
    language: str
    fetched_at: float
    """Seconds since the epoch."""
    is_copy: bool
    reserved: tuple[str, ...]
    """The uses for which its owner reserves it (W3)."""


class Clause(msgspec.Struct, frozen=True):
    """Words that must stand next to each other, as `native.split_query_words` returns them."""

    words: tuple[str, ...]
    is_prefix: bool = False
    """Whether the last word may be the beginning of a longer one."""
    is_excluded: bool = False
    """Whether a page must not have them."""


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """All clauses and conditions must hold; of several hosts or languages, one must match. Without clauses, the newest
    pages come first."""

    clauses: tuple[Clause, ...] = ()
    hosts: tuple[str, ...] = ()
    """As in `PageFilter`."""
    languages: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None
    copies: bool = False
    """Whether to find copies of other pages, too."""
    purpose: str = ""
    """Leaves out pages that are reserved for this use."""

    @property
    def wanted(self) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if not clause.is_excluded)


class Found(msgspec.Struct, frozen=True):
    """One part of all results: the best, or those after them."""

    total: int
    """How many pages match."""
    hits: Iterable[tuple[float, IndexedPage]]
    """Score and page, best first. Pages are read one by one, once: thousands of them may not fit into memory."""
