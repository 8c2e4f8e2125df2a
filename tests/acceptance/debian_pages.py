"""Real pages, written by many hands and tools: the HTML of Debian's documentation packages.

They are downloaded and unpacked, not installed, into `benchmarks/.cache/pages`; what is there already is left alone.
"""

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

CACHE = Path(__file__).parents[2] / "benchmarks" / ".cache" / "pages"
PACKAGES = (
    "apache2-doc",
    "aptitude-doc-en",
    "bind9-doc",
    "cmake-doc",
    "debian-policy",
    "debian-reference-en",
    "developers-reference",
    "exim4-doc-html",
    "gap-doc",
    "git-doc",
    "libboost1.74-doc",
    "libglib2.0-doc",
    "libgtk-3-doc",
    "libreoffice-help-en-us",
    "libxml2-doc",
    "maint-guide",
    "octave-doc",
    "postgresql-doc-15",
    "python3.11-doc",
    "r-doc-html",
    "sqlite3-doc",
    "vim-doc",
)
MOST_OF_A_PACKAGE = 700
"""So that no one style drowns the others."""
SEED = 1606


class NoPages(Exception):
    """There is no way to the pages here; says what to do."""


def pages() -> list[Path]:
    """The same ones on every machine that has the same packages, in a stable order."""
    return [page for package in PACKAGES for page in _sample(package, _unpack(package))]


def name_of(page: Path) -> str:
    return str(page.relative_to(CACHE))


def url_of(page: Path) -> str:
    package, _, path = name_of(page).partition("/")
    return f"http://{package}.test/{path}"


def unpack(package: str) -> Path:
    """The files of a package, below the directory that is returned."""
    return _unpack(package)


def _sample(package: str, directory: Path) -> list[Path]:
    found = sorted(page for page in directory.rglob("*.html") if page.is_file() and not page.is_symlink())
    chance = random.Random(f"{SEED}/{package}")
    return sorted(chance.sample(found, min(len(found), MOST_OF_A_PACKAGE)))


def _unpack(package: str) -> Path:
    """Unpacked under another name first: it is whole or absent."""
    directory = CACHE / package
    if directory.is_dir():
        return directory
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{package}-", dir=CACHE) as name:
        scratch = Path(name)
        archive = _downloaded(package, scratch)
        subprocess.run(["dpkg-deb", "-x", archive, scratch / "files"], check=True)
        (scratch / "files").rename(directory)
    return directory


def _downloaded(package: str, into: Path) -> Path:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise NoPages("the pages are Debian's: run this where apt-get and dpkg-deb are")
    if not _download(package, into) and os.geteuid() == 0:
        subprocess.run(["apt-get", "-qq", "update"], check=False)
        _download(package, into)
    archive = next(into.glob("*.deb"), None)
    if archive is None:
        raise NoPages(f"apt-get download {package} failed: apt-get update may help")
    return archive


def _download(package: str, into: Path) -> bool:
    ended = subprocess.run(["apt-get", "-qq", "download", package], cwd=into, capture_output=True, check=False)
    return ended.returncode == 0
