"""What it costs to read a page: ours against lexbor's parse, links and text, in one run.

Ours decodes, finds title, links, directives, headings, text and main text, resolves every link and knows it by its
key, and makes both hashes that a crawl makes: SHA-256 of the body, SimHash of the main text. Lexbor's parses the
text, takes the link attributes as they are written, and the visible text: less than a crawler needs. Rounds are
interleaved, and the best of each counts: it was not interrupted.
"""

import hashlib
import sys
import time
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

from benchmarks.site.markup import html_of
from benchmarks.site.plan import Page, decode_pages, host_name, path_of
from hondius._native import Identity, Reader

SIZE = 100_000
HOSTS = 10
ROUNDS = 40
BAR = 0.8
READER = Reader(Identity(), agent_token="hondius")


def ours(body: bytes, url: str) -> tuple[int, int]:
    page = READER.read(body, url=url, content_type="text/html; charset=utf-8")
    if page.simhash is None or not hashlib.sha256(body).digest():
        raise ValueError(f"{url} has no hashes")
    return page.links_found, len(page.text)


def lexbors(body: bytes, url: str) -> tuple[int, int]:
    tree = LexborHTMLParser(body)
    links = [node.attributes.get("href") for node in tree.css("a[href], area[href], link[href]")]
    tree.strip_tags(["script", "style", "noscript"])
    text = tree.body.text(separator=" ") if tree.body is not None else ""
    return len(links), len(text)


def big_pages() -> list[tuple[bytes, str]]:
    planned = [page for host in range(HOSTS) for page in decode_pages(host) if page.size == SIZE]
    return [(html_of(page), url_of(page)) for page in planned]


def url_of(page: Page) -> str:
    return f"http://{host_name(page.host)}{path_of(page.number)}"


def seconds(work: Callable[[bytes, str], object], pages: list[tuple[bytes, str]]) -> list[float]:
    """Of each page."""
    measured = []
    for body, url in pages:
        began = time.perf_counter()
        work(body, url)
        measured.append(time.perf_counter() - began)
    return measured


def figures() -> tuple[str, bool]:
    pages = big_pages()
    rounds = [(seconds(ours, pages), seconds(lexbors, pages)) for _ in range(ROUNDS)]
    mine, theirs = (sum(map(min, zip(*column, strict=True))) / len(pages) for column in zip(*rounds, strict=True))
    ratio = mine / theirs
    what = f"analysis with SHA-256 and SimHash {mine * 1e6:.0f} µs a 100 KB page"
    return f"{what} = {ratio:.2f} of lexbor's {theirs * 1e6:.0f} µs (≤ {BAR})", ratio <= BAR


def main() -> int:
    line, passed = figures()
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
