"""The text and body of a page, from its WARC record."""

import base64
from dataclasses import dataclass
from typing import Any

from hondius.errors import Broken, HondiusError
from hondius.native import Identity, NativeError, Reader, decode_text
from hondius.ports import Catalog, Disk
from hondius.stores.archive.embedded import LARGEST_BODY, read_record

NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Content:
    """As the archive has it: read by the native library alone."""

    head: bytes
    body: bytes


class Contents:
    """Where a record is a revisit, the body is that of its original."""

    def __init__(self, disk: Disk, catalog: Catalog, identity: Identity, agent_token: str, page_cap: int) -> None:
        self._disk = disk
        self._page_cap = page_cap
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
        return Content(head, body) if body else None

    def text(self, page: dict[str, Any], content: Content) -> str:
        return self._reader.read_archived(content.head, content.body, url=page["url"]).text

    def _record(self, page: dict[str, Any]) -> tuple[dict[str, str], bytes, bytes]:
        if page["warc_file"] is None:
            return {}, b"", b""
        try:
            place = page["warc_file"], page["warc_offset"], page["warc_length"]
            is_sitemap = page.get("kind") == "sitemap"
            return read_record(self._disk, *place, cap=LARGEST_BODY if is_sitemap else self._page_cap)
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
    text = decode_text(content.body, page["charset"]) if is_text(page) else None
    if text is None:
        return {"body_b64": base64.b64encode(content.body).decode()}
    return {"body": text}


def is_text(page: dict[str, Any]) -> bool:
    """By its media type: the analysis finds an encoding for any bytes."""
    essence: str = page["type"]
    return essence.startswith("text/") or essence.endswith(("xml", "json", "javascript"))
