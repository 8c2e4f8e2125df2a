"""A3: the links of real pages, as they are and made worse, against those of a full HTML5 parser."""

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hondius._native import Identity, Reader
from tests.acceptance.debian_pages import NoPages, name_of, pages, url_of
from tests.native.full_parser import links_by_lexbor
from tests.native.mutation import mutate_page

READER = Reader(Identity(), agent_token="hondius", max_links=1_000_000)
FEWEST_PAGES = 5_000
REAL_BAR, MUTATED_BAR, SLOW_BAR = 0.999, 0.99, 0.05
SEED = 1604
MUTATIONS = 4
"""Rounds of several changes each."""
SHOWN = 10


@dataclass(frozen=True)
class Comparison:
    page: str
    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    links: int
    is_slow: bool

    @property
    def is_equal(self) -> bool:
        return not self.missing and not self.surplus


def text_of(page: Path) -> str:
    """Decoded as we decode it: this part judges links, the suites of encodings judge that."""
    body = page.read_bytes()
    return body.decode(READER.read(body, url=url_of(page), content_type="text/html").charset, "replace")


def compare_links(page: Path, text: str) -> Comparison:
    url = url_of(page)
    read = READER.read(text.encode(), url=url, content_type="text/html; charset=utf-8")
    ours, theirs = {link.href for link in read.links}, links_by_lexbor(text, url)
    return Comparison(
        name_of(page), tuple(sorted(theirs - ours)), tuple(sorted(ours - theirs)), len(theirs), read.slow_road
    )


def real(page: Path) -> Comparison:
    return compare_links(page, text_of(page))


def worse(page: Path) -> Comparison:
    return compare_links(page, worsen_page(page))


def worsen_page(page: Path) -> str:
    text, chance = text_of(page), random.Random(f"{SEED}/{name_of(page)}")
    for _ in range(MUTATIONS):
        text = mutate_page(text, chance)
    return text


def figures() -> Iterator[tuple[str, bool]]:
    try:
        found = pages()
    except NoPages as reason:
        yield f"links of real pages: not shown, {reason}", False
        return
    with ProcessPoolExecutor() as pool:
        as_they_are = list(pool.map(real, found, chunksize=50))
        made_worse = list(pool.map(worse, found, chunksize=50))
    slow = sum(row.is_slow for row in as_they_are) / len(found)
    yield _share("links of real pages as lexbor's", as_they_are, REAL_BAR)
    yield _share("of mutated pages", made_worse, MUTATED_BAR)
    yield f"slow road {slow:.2%} (≤ {SLOW_BAR:.0%})", slow <= SLOW_BAR


def _share(what: str, rows: list[Comparison], bar: float) -> tuple[str, bool]:
    different = [row for row in rows if not row.is_equal]
    for row in different:
        print(f"  {row.page}: missing {row.missing[:SHOWN]}, surplus {row.surplus[:SHOWN]}")
    equal = len(rows) - len(different)
    passed = equal >= bar * len(rows) and len(rows) >= FEWEST_PAGES
    links = sum(row.links for row in rows)
    return f"{what} on {equal:,}/{len(rows):,} = {equal / len(rows):.3%} (≥ {bar:.1%}; {links:,} links)", passed
