"""What the tool `search` needs: one function that finds pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hondius.opening import Crawl


@dataclass(frozen=True, slots=True)
class Hit:
    url: str
    title: str
    snippet: str
    score: float


Search = Callable[[Crawl, str, int], Sequence[Hit]]
"""(crawl, query, how many hits at most) → hits, the best first."""


def find_pages(crawl: Crawl, query: str, limit: int) -> list[Hit]:
    """Brings the index up to date first. Raises WrongUse if the package that searches is missing."""
    from hondius.use.search import Search as IndexSearch

    search = IndexSearch(crawl)
    search.update()
    return [
        Hit(hit.url, hit.title.text, hit.snippet.text, round(hit.score, 4)) for hit in search.find(query, limit=limit)
    ]
