"""The text and body of a page, from its WARC record."""

import base64
import codecs
from dataclasses import dataclass
from typing import Any

from hondius.errors import Broken, HondiusError
from hondius.native import Identity, NativeError, Reader
from hondius.ports import Catalog, Disk
from hondius.stores.archive.embedded import read_record

NOT_MODIFIED = 304
_PYTHON_NAMES = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "iso-8859-8-i": "iso-8859-8",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "macintosh": "mac-roman",
}
"""Encodings of the web that Python knows under another name, or in a narrower form."""


@dataclass(frozen=True, slots=True)
class Content:
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def content_type(self) -> str:
        return next((value for name, value in self.headers if name == "content-type"), "")


class Contents:
    """Where a record is a revisit, the body is that of its original."""

    def __init__(self, disk: Disk, catalog: Catalog, identity: Identity, agent_token: str) -> None:
        self._disk = disk
        self._catalog = catalog
        self._identity = identity
        self._reader = Reader(identity, agent_token=agent_token, want_text=True)

    def of(self, page: dict[str, Any]) -> Content | None:
        """None where nothing was fetched, or nothing was kept of it."""
        fields, head, body = self._record(page)
        if fields.get("warc-type") == "revisit":
            original = self._original(page, fields.get("warc-refers-to-target-uri", ""))
            _, first_head, body = self._record(original) if original is not None else ({}, b"", b"")
            head = first_head if page["status"] == NOT_MODIFIED else head
        return Content(_headers(head), body) if body else None

    def text(self, page: dict[str, Any], content: Content) -> str:
        read = self._reader.read(
            content.body, url=page["url"], content_type=content.content_type, headers=content.headers
        )
        return read.text

    def _record(self, page: dict[str, Any]) -> tuple[dict[str, str], bytes, bytes]:
        if page["warc_file"] is None:
            return {}, b"", b""
        try:
            return read_record(self._disk, page["warc_file"], page["warc_offset"], page["warc_length"])
        except Broken:
            raise
        except HondiusError as error:
            raise HondiusError(f"the body of {page['url']} cannot be read: {error}") from error

    def _original(self, page: dict[str, Any], url: str) -> dict[str, Any] | None:
        """Where the body lies that a revisit stands for: under another URL, or earlier under its own."""
        try:
            key = self._identity.parse(url).key
        except NativeError:
            return None
        if key != page["key"]:
            return self._catalog.page(key)
        earlier = [row | {"url": url} for row in self._catalog.fetches(key) if _has_body(row)]
        return earlier[-1] if earlier else None


def _has_body(row: dict[str, Any]) -> bool:
    return row["warc_file"] is not None and row["status"] != NOT_MODIFIED and row["content_hash"] is not None


def body_fields(page: dict[str, Any], content: Content | None) -> dict[str, str | None]:
    """`body` where it is text, else `body_b64`."""
    if content is None:
        return {"body": None}
    encoding = python_encoding(page["charset"])
    if encoding is None or not is_text(page):
        return {"body_b64": base64.b64encode(content.body).decode()}
    return {"body": content.body.decode(encoding, "replace").removeprefix("\ufeff")}


def is_text(page: dict[str, Any]) -> bool:
    """By its media type: the analysis finds an encoding for any bytes."""
    essence: str = page["type"]
    return essence.startswith("text/") or essence.endswith(("xml", "json", "javascript"))


def python_encoding(charset: str) -> str | None:
    """None where it is no text, or in an encoding that Python does not know."""
    name = charset.lower()
    try:
        return codecs.lookup(_PYTHON_NAMES.get(name, name)).name if name else None
    except LookupError:
        return None


def _headers(head: bytes) -> list[tuple[str, str]]:
    fields = (line.partition(":") for line in head.decode("latin-1").splitlines()[1:])
    return [(name.strip().lower(), value.strip()) for name, colon, value in fields if colon]
