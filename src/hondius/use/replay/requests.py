"""A request of a browser, and why it may be refused.

Requests come from the user's own browser, but any web page that is open there can cause some: by a name that resolves
to this machine, by an image or a script, by a service worker of an archived page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

METHODS = ("GET", "HEAD")
NAMES = ("127.0.0.1", "localhost")
SINGLE = frozenset({"host", "content-length"})
"""Headers that no request has twice: which of them counts would be a guess."""
CROSS_SITE = ("cross-site", "same-site")


class BadRequest(Exception):
    """The bytes are no request that this server understands."""


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    """Path and query, as sent."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case; the last of several counts."""

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"

    @property
    def has_body(self) -> bool:
        return self.headers.get("content-length", "0") != "0" or "transfer-encoding" in self.headers

    @property
    def destination(self) -> str:
        """What the browser wants it for; empty if it does not say so."""
        return self.headers.get("sec-fetch-dest", "")


def parse_request(head: bytes) -> Request:
    """Without the empty line at its end."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or not words[1].startswith("/"):
        raise BadRequest
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or name.lower() in SINGLE & headers.keys():
            raise BadRequest
        headers[name.lower()] = value.strip()
    return Request(words[0], words[1], headers)


def find_refusal(request: Request, port: int, secret: str) -> tuple[int, str] | None:
    """Status and reason, if a request must not be answered. `secret`: a part of the addresses that archived pages
    request. Such a page has no origin, so that a browser calls everything that it requests cross-site, as it does with
    the requests of other sites; but those do not know the secret."""
    host, headers = request.headers.get("host", ""), request.headers
    if host.lower() not in make_hosts(port):
        return 421, f"This server is http://{NAMES[0]}:{port}/ and answers to no other name."
    if request.method not in METHODS:
        return 405, "An archive can be read, not changed: only GET and HEAD are answered."
    if "service-worker" in headers or request.destination == "serviceworker":
        return 403, "Service workers are not replayed."
    if headers.get("sec-fetch-site") in CROSS_SITE and not knows(request, secret) and not _is_opened(request):
        return 403, "Other sites cannot read a replay."
    return None


def knows(request: Request, secret: str) -> bool:
    """Whether a page of this server sent it."""
    return request.target.split("/", 3)[2:3] == [secret]


def make_hosts(port: int) -> tuple[str, ...]:
    return tuple(f"{name}:{port}" for name in NAMES) + (NAMES if port == 80 else ())


def _is_opened(request: Request) -> bool:
    """A link may lead to a page here, from another site or from within the frame of an archived page. Our pages are not
    shown within those of others."""
    is_link = request.headers.get("sec-fetch-mode") == "navigate"
    return is_link and (request.destination == "document" or request.target.startswith("/view/"))
