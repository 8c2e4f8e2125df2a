"""`https://example.com/` on loopback: a small site with a shop, a blog, a robots.txt and a sitemap."""

import contextlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from hondius.testweb.certificates import Authority

NAME = "example.com"
PRODUCTS = range(1, 13)
POSTS = range(1, 9)
ROBOTS = "User-agent: *\nDisallow: /private/\nSitemap: https://example.com/sitemap.xml\n"
SENTENCE = "The plates of the atlas were bought in 1604, and its maps came into the hands of everyone. "


class ExampleSite(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = PAGES.get(self.path)
        kind = "text/plain" if self.path == "/robots.txt" else "text/html; charset=utf-8"
        kind = "application/xml" if self.path == "/sitemap.xml" else kind
        sent = (body or "<title>Not found</title>").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(sent)))
        self.send_header("ETag", f'"{len(sent)}"')
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: object) -> None:
        """Says nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """A client that hangs up is no error."""


@contextlib.contextmanager
def serve_example(directory: Path) -> Iterator[tuple[list[str], Path]]:
    """Yields what `--resolve` and `--ca-file` need."""
    authority = Authority(directory)
    context = authority.make_contexts([NAME, f"www.{NAME}"])[NAME]
    with Server(("127.0.0.1", 0), ExampleSite) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield [f"{name}=127.0.0.1:{server.server_port}" for name in (NAME, f"*.{NAME}")], authority.file
        finally:
            server.shutdown()
            thread.join()


def _page(title: str, body: str) -> str:
    navigation = '<nav><a href="/">Home</a> <a href="/blog/">Blog</a> <a href="/shop/">Shop</a></nav>'
    return f"<!doctype html><html lang=en><title>{title}</title>{navigation}<main><h1>{title}</h1>{body}</main></html>"


def _list(links: dict[str, str]) -> str:
    return "<ul>" + "".join(f'<li><a href="{path}">{name}</a></li>' for path, name in links.items()) + "</ul>"


def _product(number: int) -> str:
    data = (
        f'{{"@context": "https://schema.org", "@type": "Product", "name": "Map {number}",'
        f' "offers": {{"@type": "Offer", "price": "{number}.50", "priceCurrency": "EUR"}}}}'
    )
    script = f'<script type="application/ld+json">{data}</script>'
    return _page(f"Map {number}", f'<p>{SENTENCE * 3}</p><p>Price: <span class="price">{number}.50</span></p>{script}')


def _all_pages() -> dict[str, str]:
    products = {f"/product/{number}": f"Map {number}" for number in PRODUCTS}
    posts = {f"/blog/{number}": f"Letter {number}" for number in POSTS}
    pages = {path: _product(number) for number, path in enumerate(products, 1)}
    pages |= {path: _page(name, f"<p>{SENTENCE * 4} {name}.</p>") for path, name in posts.items()}
    pages |= {
        "/": _page("Example", f'<p>{SENTENCE}</p><a href="/some/page">A page</a><a href="/private/x">Private</a>'),
        "/some/page": _page("Some page", f"<p>{SENTENCE * 2}</p><a href='/missing'>Missing</a>"),
        "/blog/": _page("Blog", _list(posts)),
        "/shop/": _page("Shop", _list(products)),
    }
    listed = "".join(f"<url><loc>https://{NAME}{path}</loc></url>" for path in pages)
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    return pages | {"/robots.txt": ROBOTS, "/sitemap.xml": sitemap}


PAGES = _all_pages()
