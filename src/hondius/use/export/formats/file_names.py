"""Names of files for pages, made of URLs that strangers chose.

A name is safe on every system: letters, digits, `-`, `_` and `.` only, never `..`, a hidden file or a reserved name,
and short. It is stable, and no two pages have the same: it ends with the page's key.
"""

import re
from urllib.parse import unquote

LONGEST_HOST = 80
LONGEST_SLUG = 60
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that Windows gives to devices, with any extension."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")


def make_file_name(host: str, url: str, key: bytes) -> str:
    """`example.com/shoes-red-0123….md`"""
    slug = _make_slug(url)
    return f"{make_directory_name(host)}/{slug}{'-' if slug else ''}{key.hex()}.md"


def make_directory_name(host: str) -> str:
    """Different hosts may share it: the names of files differ."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", host)[:LONGEST_HOST].strip(".-")
    return f"_{name}" if not name or _RESERVED.fullmatch(name) else name


def _make_slug(url: str) -> str:
    """Readable pieces of path and query. A slug is never the whole name, so reserved names do not matter here."""
    text = unquote(url.partition("://")[2].partition("/")[2], errors="ignore")
    return _UNSAFE.sub("-", text).strip("-")[:LONGEST_SLUG].rstrip("-").lower()
