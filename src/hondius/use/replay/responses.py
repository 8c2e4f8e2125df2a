"""An answer to a browser."""

import re
from http import HTTPStatus

import msgspec

HTML = "text/html; charset=utf-8"
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
_UNSENDABLE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")
"""What no header may contain."""


class Response(msgspec.Struct, frozen=True):
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def encode_head(self, *, closes: bool) -> bytes:
        lines = [f"HTTP/1.1 {self.status} {_PHRASES.get(self.status, 'Archived')}"]
        lines += [f"{name}: {_UNSENDABLE.sub('', value)}" for name, value in self.headers]
        lines.append(f"Content-Length: {len(self.body)}")
        lines.append("Connection: close" if closes else "Connection: keep-alive")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


def redirect(to: str) -> Response:
    return Response(302, (("Location", to), ("Cache-Control", "no-store")))


def cut_range(response: Response, wanted: str) -> Response:
    """The part that a `Range` header asks for. Several ranges, and what is no range, are ignored."""
    match = _RANGE.fullmatch(wanted.strip())
    if match is None or response.status != 200 or not any(match.groups()):
        return response
    length = len(response.body)
    first, last = match.groups()
    start = int(first) if first else max(0, length - int(last))
    end = min(int(last) + 1, length) if first and last else length
    if start >= end:
        kept = (*response.headers, ("Content-Range", f"bytes */{length}"))
        return Response(416, kept)
    headers = (*response.headers, ("Content-Range", f"bytes {start}-{end - 1}/{length}"))
    return Response(206, headers, response.body[start:end])
