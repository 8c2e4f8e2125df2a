"""Turns a WARC record into an answer, without the headers that concern the original connection."""

import zlib
from collections.abc import Sequence

from hondius.native import NativeError
from hondius.testweb.answers import MISDIRECTED, Reply
from hondius.testweb.replay.index import IDENTITY, Capture, Index, Place
from hondius.testweb.replay.records import IncompleteRecord, WarcFile, parse_fields
from hondius.testweb.server import Request

HOP_BY_HOP = frozenset(
    "connection content-length keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding "
    "upgrade".split()
)
OF_THE_ARCHIVE = "x-archive-orig-"
"""Header names that archives use for fields that do not match the stored body."""
PLAIN = (("Content-Type", "text/plain"),)
NOT_ARCHIVED = Reply("", 404, PLAIN, b"This archive holds nothing of the kind.\n")
UNREADABLE = Reply("", 500, PLAIN, b"The archive can no longer be read here.\n")

Headers = list[tuple[str, str]]


class ArchivedAnswers:
    def __init__(self, files: Sequence[WarcFile], index: Index) -> None:
        self._files = files
        self._index = index

    def reply(self, host: str, scheme: str, request: Request) -> Reply:
        try:
            url = IDENTITY.parse(f"{scheme}://{request.headers.get('host', '')}{request.target}")
        except NativeError:
            return NOT_ARCHIVED
        if url.host != host:
            return MISDIRECTED
        capture = self._index.find(url)
        if capture is None:
            return NOT_ARCHIVED
        try:
            return self._archived(url.href, capture)
        except (OSError, ValueError, IncompleteRecord, zlib.error):
            return UNREADABLE

    def _archived(self, href: str, capture: Capture) -> Reply:
        headers, body = self._read(capture.place)
        if capture.body is not None:
            body = self._read(capture.body)[1]
        named = {
            name.strip().lower() for key, value in headers if key.lower() == "connection" for name in value.split(",")
        }
        dropped = HOP_BY_HOP | named
        kept = [
            (name, value)
            for name, value in headers
            if name.lower() not in dropped and not name.lower().startswith(OF_THE_ARCHIVE)
        ]
        return Reply(href, capture.status, tuple(kept), body, as_archived=True)

    def _read(self, place: Place) -> tuple[Headers, bytes]:
        """The body without chunked coding, which some archives keep."""
        number, offset = place
        head, body = self._files[number].answer(offset)
        headers = list(parse_fields(head.decode("latin-1").splitlines()[1:]))
        chunked = any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in headers)
        return headers, join_chunks(body) if chunked else body


def join_chunks(body: bytes) -> bytes:
    """Decodes a chunked body. A body that is not chunked, whatever its head says, is returned unchanged."""
    parts: list[bytes] = []
    position = 0
    while True:
        end = body.find(b"\n", position, position + 1024)
        size = _parse_size(body[position:end]) if end >= 0 else None
        if size is None:
            return b"".join(parts) if parts and position >= len(body) else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[end + 1 : end + 1 + size])
        position = end + 1 + size
        if body[position : position + 2] == b"\r\n":
            position += 2
        elif body[position : position + 1] == b"\n":
            position += 1


def _parse_size(line: bytes) -> int | None:
    digits = line.partition(b";")[0].strip()
    if not digits or len(digits) > 8 or digits.strip(b"0123456789abcdefABCDEF"):
        return None
    return int(digits, 16)
