"""Reads head and body of a page from its WARC record."""

from dataclasses import dataclass
from typing import Any

from hondius.errors import Broken, HondiusError
from hondius.native import Identity, NativeError, Reader
from hondius.ports import ArchiveReader, Catalog, Record

NOT_MODIFIED = 304
MAX_REVISITS = 3
"""Revisit records followed to reach a body: a 304 may refer to a copy, and that to its original."""
NO_RECORD: Record = ({}, b"", b"")


@dataclass(frozen=True, slots=True)
class Content:
    """Raw bytes of the archive, which only the native library parses."""

    head: bytes
    body: bytes


class ContentReader:
    """Follows a revisit record to the body of its original."""

    def __init__(
        self, archive: ArchiveReader, catalog: Catalog, identity: Identity, agent_token: str, page_cap: int
    ) -> None:
        self._archive = archive
        self._page_cap = page_cap
        self._catalog = catalog
        self._identity = identity
        self._reader = Reader(identity, agent_token=agent_token, want_text=True)

    def read(self, page: dict[str, Any]) -> Content | None:
        """None if nothing was fetched, or the body was not stored."""
        fields, head, body = self._read_record(page)
        has_own_head = page["status"] != NOT_MODIFIED
        for _ in range(MAX_REVISITS):
            if fields.get("warc-type") != "revisit":
                break
            fields, its_head, body = self._read_original(page, fields.get("warc-refers-to-target-uri", ""))
            head, has_own_head = head if has_own_head else its_head, True
        return Content(head, body) if body else None

    def read_head(self, page: dict[str, Any]) -> bytes:
        """The head of the answer itself, also of one without a body; empty if nothing was fetched."""
        return self._read_record(page)[1]

    def extract_text(self, page: dict[str, Any], content: Content) -> str:
        return self._reader.read_archived(content.head, content.body, url=page["url"]).text

    def _read_record(self, page: dict[str, Any], *, is_moved: bool = False) -> Record:
        if page["warc_file"] is None:
            return NO_RECORD
        try:
            place = page["warc_file"], page["warc_offset"], page["warc_length"]
            is_sitemap = page.get("kind") == "sitemap"
            return self._archive.read(*place) if is_sitemap else self._archive.read(*place, cap=self._page_cap)
        except Broken:
            raise
        except HondiusError as error:
            if not is_moved and (moved := self._find_moved(page)) is not None:
                return self._read_record(moved, is_moved=True)
            raise HondiusError(f"the body of {page['url']} cannot be read: {error}") from error

    def _find_moved(self, page: dict[str, Any]) -> dict[str, Any] | None:
        """Where its record is now, if its file was rewritten since: an event of the log has the old place (S9)."""
        for fetch in self._catalog.fetches(page["key"]):
            if fetch["started_at"] == page["started_at"] and fetch["warc_file"] not in (None, page["warc_file"]):
                return {**page, **{name: fetch[name] for name in ("warc_file", "warc_offset", "warc_length")}}
        return None

    def find_original(self, page: dict[str, Any], url: str) -> dict[str, Any] | None:
        """The fetch that a revisit refers to: the last answer with this content, from another URL or an earlier fetch.
        The other URL may have changed since."""
        try:
            key = self._identity.parse(url).key
        except NativeError:
            return None
        same = [row for row in self._catalog.fetches(key) if _is_answer(row, page["content_hash"])]
        return same[-1] | {"url": url} if same else None

    def _read_original(self, page: dict[str, Any], url: str) -> Record:
        original = self.find_original(page, url)
        return NO_RECORD if original is None else self._read_record(original)


def _is_answer(row: dict[str, Any], content_hash: bytes | None) -> bool:
    is_same = content_hash is not None and row["content_hash"] == content_hash
    return is_same and row["warc_file"] is not None and row["status"] != NOT_MODIFIED


def is_text(page: dict[str, Any]) -> bool:
    """Decides by the media type: the analysis finds an encoding for any bytes."""
    essence: str = page["type"]
    return essence.startswith("text/") or essence.endswith(("xml", "json", "javascript"))
