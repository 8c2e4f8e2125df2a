"""What a page consists of: links, headers and fetches."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, SupportsIndex, overload

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


class Headers(list[tuple[str, str]]):
    """The headers of an answer: a list of pairs, in order, with names in lower case. `headers["Content-Type"]` finds
    one by its name, in any case. If the answer has it several times, the values are joined by commas, as HTTP defines
    it; `get_all` lists them."""

    @overload
    def __getitem__(self, wanted: SupportsIndex) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, wanted: slice) -> list[tuple[str, str]]: ...
    @overload
    def __getitem__(self, wanted: str) -> str: ...
    def __getitem__(self, wanted: Any) -> Any:
        """Raises KeyError for a name that the answer does not have."""
        if not isinstance(wanted, str):
            return super().__getitem__(wanted)
        if not (values := self.get_all(wanted)):
            raise KeyError(wanted)
        return ", ".join(values)

    def __contains__(self, wanted: object) -> bool:
        """A name or a pair."""
        return bool(self.get_all(wanted)) if isinstance(wanted, str) else super().__contains__(wanted)

    def get(self, name: str, default: str | None = None) -> str | None:
        return ", ".join(values) if (values := self.get_all(name)) else default

    def get_all(self, name: str) -> list[str]:
        """Empty if the answer does not have it."""
        return [value for known, value in self if known == name.lower()]


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
