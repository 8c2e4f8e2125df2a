"""Hits of a search, and their snippets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from hondius.native import find_snippet
from hondius.search_model import Clause, IndexedPage

SNIPPET_BYTES = 240
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text, and where the words of the query are in it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """(start, end) of each, in characters."""

    def to_html(self) -> str:
        """Escaped for HTML, with matches in `<mark>`."""
        return "".join(f"<mark>{escape(part)}</mark>" if marked else escape(part) for part, marked in self.split())

    def split(self) -> Iterator[tuple[str, bool]]:
        """Its parts, in order, and whether each is a match."""
        at = 0
        for start, end in self.marks:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    url: str
    title: Snippet
    snippet: Snippet
    score: float
    """Higher is better. Only scores of one search can be compared."""
    host: str
    language: str
    fetched_at: datetime
    is_copy: bool

    def to_dict(self) -> dict[str, Any]:
        """Its values for JSON."""
        return {
            "url": self.url,
            "title": self.title.text,
            "snippet": self.snippet.text,
            "marks": [list(mark) for mark in self.snippet.marks],
            "score": round(self.score, 4),
            "host": self.host,
            "language": self.language,
            "fetched_at": self.fetched_at.isoformat(),
            "is_copy": self.is_copy,
        }


class Results(Sequence[Hit]):
    """The hits of one search, best first."""

    def __init__(self, hits: Sequence[Hit], total: int, offset: int) -> None:
        self._hits = hits
        self.total = total
        """How many pages match, also those that are not among the hits."""
        self.offset = offset

    def __getitem__(self, index: Any) -> Any:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __repr__(self) -> str:
        return f"<{len(self)} of {self.total:,} results>"


def make_hit(score: float, page: IndexedPage, wanted: Sequence[Clause]) -> Hit:
    words = [(list(clause.words), clause.is_prefix) for clause in wanted]
    title, marks, _ = find_snippet(page.title, words, len(page.title.encode()) + 1)
    return Hit(
        url=page.url,
        title=Snippet(title, tuple(marks)),
        snippet=_make_snippet(page, words),
        score=score,
        host=page.host,
        language=page.language,
        fetched_at=datetime.fromtimestamp(page.fetched_at, UTC),
        is_copy=page.is_copy,
    )


def _make_snippet(page: IndexedPage, words: Sequence[tuple[Sequence[str], bool]]) -> Snippet:
    """From the text; if it has none of the words, from the description or the headings; otherwise the beginning."""
    for text in (page.text, page.description, page.headings):
        shown, marks, has_match = find_snippet(text, words, SNIPPET_BYTES)
        if has_match:
            return Snippet(shown, tuple(marks))
    text = page.description or page.text
    return Snippet(find_snippet(text, [], SNIPPET_BYTES)[0])
