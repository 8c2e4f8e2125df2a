"""What a page consists of: links and fetches."""

from dataclasses import dataclass
from datetime import UTC, datetime

from hondius import native
from hondius.use.content import Row


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a page."""

    url: str
    anchor: str = ""
    """Its text."""
    kind: str = "anchor"
    rel: str = ""
    """Those of nofollow, ugc and sponsored that it has, separated by spaces."""
    nofollow: bool = False
    """Whether the link, or its page as a whole, asks not to be followed."""

    @classmethod
    def of(cls, link: native.Link) -> "Link":
        return cls(link.href, link.anchor, link.kind, link.rel, link.nofollow)


@dataclass(frozen=True, slots=True)
class Fetch:
    """One request for a page, and what came of it."""

    started_at: datetime | None
    ended_at: datetime | None
    outcome: str
    """The state of the URL after it, or `retry`."""
    cause: str
    status: int | None
    address: str | None
    """The `ip:port` that was connected to."""
    wire_length: int | None
    """Bytes received."""
    content_hash: str | None
    """SHA-256 of the decoded body, in hex."""
    redirect_to: str | None
    warc_file: str | None
    warc_offset: int | None
    warc_length: int | None

    @classmethod
    def of(cls, row: Row) -> "Fetch":
        """From a row of `Catalog.fetches`."""
        return cls(
            to_datetime(row["started_at"]),
            to_datetime(row["ended_at"]),
            *(row["outcome"], row["cause"], row["status"], row["address"], row["wire_length"]),
            to_hex(row["content_hash"]),
            *(row["redirect_to"], row["warc_file"], row["warc_offset"], row["warc_length"]),
        )


def to_datetime(at: float | None) -> datetime | None:
    """In UTC."""
    return None if at is None else datetime.fromtimestamp(at, UTC)


def to_hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()
