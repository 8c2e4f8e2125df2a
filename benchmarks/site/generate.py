"""Writes the site to `benchmarks/.cache`, files beside their gzipped forms. A site that is there is left alone."""

import argparse
import gzip
import shutil
import sys
from multiprocessing import Pool
from pathlib import Path

from benchmarks.site.markup import html_of
from benchmarks.site.plan import HOSTS, PAGES_PER_HOST, VERSION, decode_pages, directory_of, path_of

CACHE = Path(__file__).parents[1] / ".cache"
ROBOTS = b"""# Everyone is welcome, but for the machinery.
User-agent: *
Disallow: /admin/
Disallow: /*?sort=
Allow: /admin/help/

User-agent: ExampleBot
Disallow: /
"""


PLAIN = 4
"""Where hosts go by their addresses, every so manieth page has no gzipped form: crawlers meet both."""


def site(hosts: int = HOSTS, port: int = 0) -> Path:
    """The directory of the site, with one of each host. Written under another name first, it is whole or absent.

    With a port, hosts go by their addresses: for crawlers that cannot be told where a name leads.
    """
    directory = CACHE / (f"site-{VERSION}-{hosts}" + (f"-by-address-{port}" if port else ""))
    if directory.is_dir():
        return directory
    unfinished = directory.with_name(directory.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    with Pool() as pool:
        pool.starmap(write_host, [(unfinished, host, hosts, port) for host in range(hosts)], chunksize=5)
    unfinished.rename(directory)
    return directory


def write_host(directory: Path, host: int, hosts: int, port: int = 0) -> None:
    root = directory / directory_of(host, port)
    for page in decode_pages(host, hosts, port):
        path = path_of(page.number)
        plain = bool(port) and page.number % PLAIN == PLAIN - 1
        _write(root / (path.lstrip("/") or "index.html"), html_of(page), plain=plain)
    _write(root / "robots.txt", ROBOTS)


def _write(file: Path, body: bytes, *, plain: bool = False) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)
    if not plain:
        file.with_name(file.name + ".gz").write_bytes(gzip.compress(body, 6, mtime=0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    hosts: int = parser.parse_args().hosts
    directory = site(hosts)
    pages = [page for host in range(hosts) for page in decode_pages(host, hosts)]
    links = sum(PAGES_PER_HOST + len(page.links) for page in pages)
    sizes = [file.stat().st_size for file in directory.rglob("*.html")]
    print(
        f"{directory}: {len(sizes):,} pages on {hosts:,} hosts, {sum(sizes) / len(sizes):,.0f} bytes "
        f"and {links / len(pages):.1f} links a page"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
