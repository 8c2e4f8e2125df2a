"""A3: the links of real pages against those in Chromium's own tree, scripts off."""

import contextlib
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hondius._native import Identity
from tests.acceptance import chromium
from tests.acceptance.debian_pages import NoPages, name_of, pages
from tests.acceptance.link_parity import MUTATED_BAR, READER, REAL_BAR, text_of, worsen_page
from tests.native.full_parser import is_followed

COUNT = 200
SEED = 1607
IDENTITY = Identity()


def figures() -> Iterator[tuple[str, bool]]:
    try:
        found = [page for page in random.Random(SEED).sample(pages(), 2 * COUNT) if _stays(page)][:COUNT]
        with chromium.start_chromium() as browser:
            yield _compare("links of real pages as Chromium's", found, text_of, browser, REAL_BAR)
            yield _compare("of mutated pages", found, worsen_page, browser, MUTATED_BAR)
    except (NoPages, chromium.NoBrowser) as reason:
        yield f"links as Chromium's: not shown, {reason}", False


def _stays(page: Path) -> bool:
    """A page with a refresh is gone before it is looked at."""
    return 'http-equiv="refresh"' not in text_of(page).lower()


def _compare(
    what: str, found: list[Path], text: Callable[[Path], str], browser: chromium.Chromium, bar: float
) -> tuple[str, bool]:
    bodies = {f"/{number}/page.html": text(page).encode() for number, page in enumerate(found)}
    equal = links = 0
    with _serving(bodies) as origin:
        for page, (path, body) in zip(found, bodies.items(), strict=True):
            url = origin + path
            read = READER.read(body, url=url, content_type="text/html; charset=utf-8")
            ours = {link.href for link in read.links if link.kind != "refresh"}
            theirs = links_of(browser.document(url))
            equal += ours == theirs
            links += len(theirs)
            if ours != theirs:
                print(f"  {name_of(page)}: missing {sorted(theirs - ours)[:5]}, surplus {sorted(ours - theirs)[:5]}")
    return f"{what} on {equal}/{len(found)} (≥ {bar:.1%}; {links:,} links)", equal >= bar * len(found)


def links_of(document: dict[str, Any]) -> set[str]:
    """By Chromium's tree and base; URLs are resolved by us, which other suites judge."""
    texts = [text for node in _elements(document) if (text := _link_of(node)) is not None]
    return {row[0] for row in IDENTITY.batch([(text, document["baseURL"]) for text in texts]) if row[0] is not None}


def _elements(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Contents of templates and of frames are no children."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.get("children", ()))


def _link_of(node: dict[str, Any]) -> str | None:
    """HTML elements have names in capitals, those of svg and math have not."""
    listed = node.get("attributes", [])
    attributes = dict(zip(listed[::2], listed[1::2], strict=True))
    match node["nodeName"]:
        case "A" | "AREA":
            return attributes.get("href")
        case "a":
            return attributes.get("href", attributes.get("xlink:href"))
        case "LINK" if is_followed(attributes.get("rel", "")):
            return attributes.get("href")
        case "IFRAME" | "FRAME":
            return attributes.get("src")
        case _:
            return None


@contextlib.contextmanager
def _serving(bodies: dict[str, bytes]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = bodies.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
