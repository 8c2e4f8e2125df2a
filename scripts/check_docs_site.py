"""Crawls the built documentation on loopback with Hondius itself: no broken link, and no request to another host
(`make check-docs`).

The site is served by the standard library under a name that no DNS knows. Images, styles and scripts are fetched, too.
"""

import argparse
import functools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

HOST = "docs.test"
HONDIUS = (sys.executable, "-m", "hondius")
OUTSIDE = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon|dns-prefetch))[^>]*\bhref=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|url\(\s*["']?(?:https?:)?//[^)"']+|@import\s+["'](?:https?:)?//[^"']+""",
    re.IGNORECASE,
)
"""What a browser requests by itself from another host. Links that a reader may follow are not among them."""
SHOWN = 20


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Says nothing."""


@contextmanager
def serve(site: Path) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def find_outside_requests(site: Path) -> list[str]:
    """(file: what it requests) of all pages and styles."""
    files = sorted(path for path in site.rglob("*") if path.suffix in (".html", ".css"))
    return [
        f"{path.relative_to(site)}: {found[0]}"
        for path in files
        for found in OUTSIDE.finditer(path.read_text(errors="replace"))
    ]


def find_broken_links(site: Path) -> tuple[int, list[str]]:
    """How many pages were crawled, and (page → target: why) of each broken link."""
    with tempfile.TemporaryDirectory(prefix="hondius-docs-") as name, serve(site) as port:
        crawl = Path(name) / "crawl"
        options = ["--delay", "0", "--media", "--scripts", "--resolve", f"{HOST}=127.0.0.1:{port}", "--json"]
        run("crawl", f"http://{HOST}/", "--into", str(crawl), *options)
        report = json.loads(run("report", str(crawl), "--json", "--most", "10000"))
    broken = report["broken_links"]
    lines = [
        f"{source['url']} → {target['url']}: {target['words']}"
        for target in broken["listed"]
        for source in target["sources"]
    ]
    return broken["pages_read"], lines


def run(*words: str) -> str:
    ended = subprocess.run([*HONDIUS, *words], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"hondius {' '.join(words)}: exit status {ended.returncode}\n{ended.stderr}")
    return ended.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, nargs="?", default=Path("site"))
    site = parser.parse_args().site
    if not (site / "index.html").is_file():
        raise SystemExit(f"{site} has no index.html: build it with `make docs`")
    outside = find_outside_requests(site)
    pages, broken = find_broken_links(site)
    for line in [*outside[:SHOWN], *broken[:SHOWN]]:
        print(line, file=sys.stderr)
    print(f"{pages:,} pages of {site}: {len(broken):,} broken links, {len(outside):,} requests to other hosts")
    return 1 if broken or outside or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
