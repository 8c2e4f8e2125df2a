"""Chooses the answer to a request: a pure function of the plan, except for temporary failures, which are counted."""

import zlib
from collections import Counter

import msgspec

from hondius.testweb.documents import Library
from hondius.testweb.model import Content, Host, Resource, Web
from hondius.testweb.variants import recognise

_COMPRESSIBLE = frozenset({Content.PAGE, Content.FEED, Content.TEXT, Content.SITEMAP, Content.ROBOTS, Content.READY})
_WITHOUT_LENGTH = 20
"""One page in 20 has no Content-Length and ends with its connection."""


class Reply(msgspec.Struct, frozen=True):
    resource: str
    """Id of the resource; empty if the plan has none."""
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chunked: bool = False
    closes: bool = False
    """The end of the connection is the end of the body."""
    delay: float = 0.0
    as_archived: bool = False
    """The headers come from an archive: add only those that frame the body."""


UNKNOWN = Reply("", 404, (("Content-Type", "text/plain"),), b"The plan of this web knows nothing of the kind.\n")
MISDIRECTED = Reply("", 421, (("Content-Type", "text/plain"),), b"Another host lives here.\n")


class Answers:
    """Answers for all hosts. Its counters are the only state of a running web that changes."""

    def __init__(self, web: Web, library: Library) -> None:
        self._web = web
        self._library = library
        self._failed: Counter[str] = Counter()

    def reply(self, host: Host, target: str, *, accepts_gzip: bool) -> Reply:
        known = self._web.targets[host.name]
        resource, session = known.get(target), False
        if resource is None:
            plain, session = recognise(target)
            resource = known.get(plain)
        if resource is None:
            return UNKNOWN
        if session and resource.answer.session_redirect:
            return Reply(resource.id, 302, (("Location", resource.target),), b"")
        if self._failed[resource.id] < resource.answer.failures:
            self._failed[resource.id] += 1
            return _make_failure(resource)
        return self._reply_to_known(resource, accepts_gzip)

    def _reply_to_known(self, resource: Resource, accepts_gzip: bool) -> Reply:
        answer, habit = resource.answer, zlib.crc32(resource.id.encode())
        compressed = accepts_gzip and habit % 2 == 0 and answer.content in _COMPRESSIBLE and not answer.packed
        document = self._library.document(resource, compressed=compressed)
        headers = [("Content-Type", document.content_type), *answer.headers]
        if compressed:
            headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
        if answer.location is not None:
            headers.append(("Location", answer.location))
        closes = answer.content is Content.PAGE and habit // 2 % _WITHOUT_LENGTH == 0
        chunked = not closes and habit // 2 % 3 == 1
        return Reply(resource.id, answer.status, tuple(headers), document.body, chunked, closes, answer.delay)


def _make_failure(resource: Resource) -> Reply:
    headers = [("Content-Type", "text/plain")]
    if resource.answer.retry_after is not None:
        headers.append(("Retry-After", str(resource.answer.retry_after)))
    return Reply(resource.id, resource.answer.failure_status, tuple(headers), b"Not now.\n")
