"""The columns of exports: one table, for every format and for the documentation.

To add a column, add a line to `COLUMNS`. A column of the catalog reads a field of the page; a column of the content is
read from the archive, which takes longer.
"""

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from hondius.errors import BadSetting
from hondius.json_text import is_json_object
from hondius.native import decode_text
from hondius.use.content import is_text
from hondius.use.export.subject import Body, Subject


class ColumnType(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"
    """Seconds since the epoch, until a format writes it."""
    JSON = "JSON"
    """Bytes of JSON."""
    BYTES = "bytes"
    """A `Body`."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: ColumnType
    meaning: str
    read: Callable[[Subject], Any]
    is_content: bool = False
    """Whether it is read from the archive."""
    is_deep: bool = False
    """Whether it needs the deep pass over the page (A5)."""
    withheld: Any = ...
    """Its value for a page that asks not to be indexed (D4); `...`: the value itself."""

    def value_for(self, subject: Subject, *, is_withheld: bool) -> Any:
        return self.withheld if is_withheld and self.withheld is not ... else self.read(subject)


TEXT, INTEGER, NUMBER, BOOLEAN, TIME, JSON, BYTES = ColumnType


def _field(name: str, kind: ColumnType, meaning: str, *, of: str = "", withheld: Any = ...) -> Column:
    """A column with the value that the catalog has; `of`: the name that it has there."""
    source = of or name
    return Column(name, kind, meaning, lambda subject: subject.page[source], withheld=withheld)


def _hex(name: str, meaning: str, withheld: Any = ...) -> Column:
    return Column(name, TEXT, meaning, lambda subject: _format_hex(subject.page[name]), withheld=withheld)


def _content(name: str, kind: ColumnType, meaning: str, read: Callable[[Subject], Any]) -> Column:
    return Column(name, kind, meaning, read, is_content=True, withheld=None)


def _deep(name: str, kind: ColumnType, meaning: str, read: Callable[[Subject], Any]) -> Column:
    return Column(name, kind, meaning, read, is_content=True, is_deep=True, withheld=None)


def _format_hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def _format_simhash(subject: Subject) -> str | None:
    """Many JSON readers round 64-bit numbers."""
    value = subject.page["simhash"]
    return None if value is None else f"{value:016x}"


def _make_location(subject: Subject) -> bytes | None:
    page = subject.page
    if page["warc_file"] is None:
        return None
    place = {"file": page["warc_file"], "offset": page["warc_offset"], "length": page["warc_length"]}
    return msgspec.json.encode(place)


def _read_extracted(subject: Subject) -> bytes | None:
    """The catalog of a stranger may hold any text: the row is damaged then."""
    value = subject.page.get("extracted")
    if value is None:
        return None
    if not is_json_object(str(value)):
        subject.is_damaged = True
        return None
    return str(value).encode()


def _read_body(subject: Subject) -> Body | None:
    content = subject.content
    if content is None:
        return None
    return Body(content.body, decode_text(content.body, subject.page["charset"]) if is_text(subject.page) else None)


COLUMNS = (
    _field("url", TEXT, "the URL as it was requested"),
    _field("key_form", TEXT, "the text that identifies the URL, after normalisation"),
    _hex("key", "the first 16 bytes of the SHA-256 of `key_form`, in hex"),
    _field("kind", TEXT, "`page`, `sitemap` or `requisite`"),
    _field("host", TEXT, "the host of the URL"),
    _field("state", TEXT, "how the URL ended: completed, duplicate, redirected, failed, gone, blocked or refused"),
    _field("cause", TEXT, "why it ended so, such as `http_404`; empty for a plain completion"),
    _field("status", INTEGER, "the HTTP status of the last answer; a 304 confirms the content of the answer before"),
    _field("title", TEXT, "the title of the page", withheld=""),
    _field("description", TEXT, "its description, from a `meta` element", withheld=""),
    _field("fetched_at", TIME, "when it was fetched last", of="last_fetched_at"),
    _field("first_fetched_at", TIME, "when it was fetched first"),
    _field("discovered_at", TIME, "when the URL was found"),
    _field("fetch_count", INTEGER, "how often it was fetched"),
    _field("change_count", INTEGER, "how often its body had changed since the fetch before"),
    Column("warc", JSON, "where its WARC record is: file, offset, length", _make_location),
    _field("warc_file", TEXT, "the WARC file of its record"),
    _field("warc_offset", INTEGER, "where its record begins in that file"),
    _field("warc_length", INTEGER, "the length of its record, compressed"),
    _field("type", TEXT, "the media type, such as `text/html`"),
    _field("charset", TEXT, "the character encoding"),
    _field("language", TEXT, "the language that the page declares, or else the detected one"),
    _field("canonical", TEXT, "the canonical URL that the page names"),
    _hex("content_hash", "the SHA-256 of the decoded body, in hex"),
    Column("simhash", TEXT, "a fingerprint of the main text: 64 bits, in hex", _format_simhash, withheld=None),
    _hex("text_hash", "a hash of title and main text, in hex; empty without text", withheld=None),
    _field("length", INTEGER, "bytes of the decoded body"),
    _field("wire_length", INTEGER, "bytes of the answer as received"),
    _field("depth", INTEGER, "the number of links from a seed, by the shortest path"),
    _field("via", TEXT, "how it was found: seed, link, redirect, sitemap, robots, recrawl or import"),
    _hex("source", "the `key` of the page that links to it, by the shortest path"),
    _field("redirect_to", TEXT, "where it redirects to"),
    _field("copy_of", TEXT, "the URL of which it is an exact copy"),
    _field("truncated", BOOLEAN, "whether the body was longer than the cap of the crawl"),
    _field("noindex", BOOLEAN, "whether the page asks not to be indexed"),
    _field("usage", TEXT, "what its owner says about its use, as it stood when it was fetched: a signal a line"),
    Column("extracted", JSON, "what extract and classify hooks returned for it", _read_extracted, withheld=None),
    _field(
        "links",
        INTEGER,
        "different URLs, by their keys, that the page links to, and any links beyond those that are read",
    ),
    _field("new_links", INTEGER, "links on the page that were new to the crawl"),
    _field("address", TEXT, "the address and port that answered"),
    _field("imported", TEXT, "the archive of others that it comes from, if it was imported"),
    _content("text", TEXT, "the whole text of the page", lambda subject: subject.text),
    _deep("main_text", TEXT, "its main text, a line a block", lambda subject: subject.deep_text("main_text")),
    _deep("markdown", TEXT, "its main text as Markdown", lambda subject: subject.deep_text("markdown")),
    _deep("structured", JSON, "JSON-LD, microdata, RDFa and Open Graph", lambda subject: subject.structured),
    _content("body", BYTES, "the body, decoded; see below for its form in each format", _read_body),
)
BY_NAME = {column.name: column for column in COLUMNS}


def find_columns(names: Iterable[str]) -> tuple[Column, ...]:
    """Raises BadSetting for a name that is unknown or given twice."""
    chosen = tuple(names)
    for name in chosen:
        if name not in BY_NAME:
            raise BadSetting(f"unknown column {name!r}; `hondius export --columns help` lists them all")
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise BadSetting(f"the column {twice} is named twice")
    return tuple(BY_NAME[name] for name in chosen)


def describe_columns(columns: Sequence[Column] = COLUMNS) -> str:
    """A table in Markdown."""
    rows = [
        f"| `{column.name}` | {column.type} | {_describe_source(column)} | {column.meaning} |" for column in columns
    ]
    return "\n".join(["| column | type | read from | meaning |", "|---|---|---|---|", *rows])


def _describe_source(column: Column) -> str:
    return "archive" if column.is_content else "catalog"


def encode_base64(body: Body) -> str:
    return base64.b64encode(body.data).decode()
