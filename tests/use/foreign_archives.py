"""Archives as others write them, for the tests of the import."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass

DAY = 1_767_225_600.0
"""2026-01-01."""


@dataclass(frozen=True)
class Foreign:
    """One record."""

    target: str
    body: bytes = b""
    status: str = "200 OK"
    headers: tuple[str, ...] = ("Content-Type: text/html",)
    date: str = "2026-01-01T00:00:00Z"
    kind: str = "response"
    fields: tuple[str, ...] = ()

    def make(self) -> bytes:
        block = self.body
        content_type = "text/html"
        if self.kind in ("response", "revisit"):
            content_type = "application/http; msgtype=response"
            block = "\r\n".join((f"HTTP/1.1 {self.status}", *self.headers, "", "")).encode() + self.body
        lines = (
            *("WARC/1.0", f"WARC-Type: {self.kind}", f"WARC-Target-URI: {self.target}", f"WARC-Date: {self.date}"),
            *self.fields,
            *(f"Content-Type: {content_type}", f"Content-Length: {len(block)}", "", ""),
        )
        return "\r\n".join(lines).encode() + block + b"\r\n\r\n"


def make_archive(records: Sequence[Foreign], *, form: str = "members") -> bytes:
    """`form`: members (gzip by record), whole (one gzip), plain."""
    made = [record.make() for record in records]
    match form:
        case "members":
            return b"".join(gzip.compress(one, mtime=0) for one in made)
        case "whole":
            return gzip.compress(b"".join(made), mtime=0)
    return b"".join(made)


def make_page(title: str, *links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<html><title>{title}</title><body><p>The words of {title}.</p>{anchors}</body></html>".encode()


def chunk(body: bytes) -> bytes:
    pieces = [body[at : at + 10] for at in range(0, len(body), 10)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
