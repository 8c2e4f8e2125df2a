"""Reads earlier answers from the archive again, for their links.

The last answer that had links or redirected counts, even if the page fails or is forbidden by now.
"""

from typing import Any

from hondius.errors import BrokenView, HondiusError
from hondius.model import INTERNAL, State
from hondius.native import Identity, Listing, NativeError, Page, Reader, warc_page
from hondius.ports import ArchiveReader, PartitionView

WITH_LINKS = frozenset({State.COMPLETED, State.DUPLICATE})
LEADING_ON = WITH_LINKS | {State.REDIRECTED}

Row = dict[str, Any]


class ArchivedAnswers:
    """Called on a worker thread."""

    def __init__(
        self, view: PartitionView, archive: ArchiveReader, reader: Reader, identity: Identity, cap: int
    ) -> None:
        self._view = view
        self._archive = archive
        self._reader = reader
        self._identity = identity
        self._cap = cap

    def find_last(self, key: bytes) -> Row | None:
        """The last answer that had links or redirected. The number of links of an older answer is not known."""
        row = self._view.page(key)
        if row is None or row["state"] in LEADING_ON:
            return row
        for fetch in reversed(self._view.fetches(key)):
            if fetch["outcome"] in LEADING_ON:
                return {**row, **fetch, "state": fetch["outcome"], "links": None}
        return None

    def find_lost(self, key: bytes) -> Row | None:
        """A page that was answered and then ended by a bug: its links may be in the log, its answer is not."""
        row = self._view.page(key)
        if row is None or row["kind"] != "page" or row["cause"] != INTERNAL or row["status"] is None:
            return None
        return row

    def read(self, row: Row) -> Page | Listing | None:
        """The content of its record; None if the body is not available."""
        try:
            return self._read(row)
        except BrokenView:
            raise
        except (HondiusError, NativeError):
            return None

    def _read(self, row: Row) -> Page | Listing | None:
        record = self._read_record(row)
        if record is None:
            return None
        found, elsewhere = self._parse_record(row, record)
        if elsewhere is None:
            return found
        for original in self._find_originals(row, elsewhere):
            body = self._read_record(original)
            if body is not None:
                found, _ = self._parse_record(row, record, body)
                if found is not None:
                    return found
        return None

    def _parse_record(
        self, row: Row, record: bytes, original: bytes | None = None
    ) -> tuple[Page | Listing | None, str | None]:
        listed_as = row["type"] if row["kind"] == "sitemap" else None
        return warc_page(self._reader, row["url"], record, original, cap=self._cap, listed_as=listed_as)

    def _read_record(self, row: Row) -> bytes | None:
        if row["warc_file"] is None:
            return None
        return self._archive.record(row["warc_file"], row["warc_offset"], row["warc_length"])

    def _find_originals(self, row: Row, url: str) -> list[Row]:
        """Fetches of this URL whose record may hold the body that a revisit record refers to; newest first."""
        try:
            key = self._identity.parse(url).key
        except NativeError:
            return []
        history = [fetch for fetch in self._view.fetches(key) if fetch["content_hash"] == row["content_hash"]]
        return history[::-1]
