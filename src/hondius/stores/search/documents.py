"""Pages and marks as documents of the index."""

from urllib.parse import unquote

import msgspec
import tantivy

from hondius.native import split_words
from hondius.position import Cursor
from hondius.search_model import IndexedPage
from hondius.stores.search.schema import AT, COPY, PAGE, VERSION

MARK = "mark"
"""The key of the mark: no page has it, because theirs are hexadecimal."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """How far the log was read, and by which version of the index."""

    version: str
    cursor: Cursor


def make_document(page: IndexedPage) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("key", page.key.hex())
    for name, text in (
        ("title", page.title),
        ("headings", page.headings),
        ("description", page.description),
        ("address", unquote(page.url.partition("://")[2])),
        ("text", page.text),
    ):
        document.add_text(name, split_words(text))
    for host in list_host_patterns(page.host):
        document.add_text("host", host)
    for tag in list_language_ranges(page.language):
        document.add_text("language", tag)
    for use in page.reserved:
        document.add_text("reserved", use)
    document.add_integer(AT, int(page.fetched_at))
    document.add_boolean(COPY, page.is_copy)
    document.add_bytes(PAGE, msgspec.msgpack.encode(page))
    return document


def make_mark(cursor: Cursor) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("key", MARK)
    document.add_bytes(PAGE, msgspec.msgpack.encode(Mark(VERSION, cursor)))
    return document


def read_page(document: tantivy.Document) -> IndexedPage:
    """Raises msgspec.MsgspecError if it is none."""
    return msgspec.msgpack.decode(document.get_first(PAGE) or b"", type=IndexedPage)


def read_mark(document: tantivy.Document) -> Mark:
    return msgspec.msgpack.decode(document.get_first(PAGE) or b"", type=Mark)


def list_host_patterns(host: str) -> list[str]:
    """Every pattern of `PageFilter.hosts` that it matches."""
    labels = host.split(".")
    return [host, *(f"*.{'.'.join(labels[first:])}" for first in range(1, len(labels)))]


def list_language_ranges(tag: str) -> list[str]:
    """The tag and its beginnings: `en-gb`, `en`."""
    parts = [part for part in normalise_language(tag).split("-") if part]
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]


def normalise_language(tag: str) -> str:
    return tag.lower().replace("_", "-")
