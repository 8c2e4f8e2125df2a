"""Debian's documentation packages, each as a host on loopback."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.acceptance.debian_pages import unpack
from tests.acceptance.use.static_site import serve_directory

PACKAGES = (
    "apache2-doc",
    "cmake-doc",
    "debian-policy",
    "git-doc",
    "libglib2.0-doc",
    "postgresql-doc-15",
    "python3.11-doc",
    "sqlite3-doc",
)


@contextlib.contextmanager
def serve_packages(scratch: Path) -> Iterator[Callable[[Path], list[object]]]:
    """Yields the arguments of a crawl into a directory."""
    site, seeds = scratch / "packages", []
    site.mkdir()
    for package in PACKAGES:
        host = f"{package.replace('.', '-')}.test"
        files = unpack(package)
        (site / host).symlink_to(files.absolute())
        seeds.append(f"http://{host}/{_find_start(files).relative_to(files)}")
    with serve_directory(site, by_host=True) as root:
        address = root.removeprefix("http://")

        def make_arguments(into: Path) -> list[object]:
            polite = ("--delay", "0", "--set", "scope.sitemaps=false")
            return ["crawl", *seeds, "--into", into, "--json", "--resolve", f"*.test={address}", *polite]

        yield make_arguments


def _find_start(files: Path) -> Path:
    """The page that is least deep: an index, if there is one."""
    pages = [page for page in files.rglob("*.html") if page.is_file() and not page.is_symlink()]
    return min(pages, key=lambda page: (len(page.parts), page.name != "index.html", page))
