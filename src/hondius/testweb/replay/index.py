"""The index from URLs to records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hondius.native import Identity, NativeError, Url
from hondius.testweb.replay.records import Record, WarcFile

RESOURCE = "resource"
ANSWERS = frozenset({"response", "revisit", RESOURCE})
IDENTITY = Identity()

Place = tuple[int, int]
"""(number of the file, offset)"""


@dataclass(frozen=True, slots=True)
class Capture:
    place: Place
    date: str
    status: int
    body: Place | None = None
    """The place of the body, if it is in another record: the original of a revisit."""


@dataclass(frozen=True, slots=True)
class _Revisit:
    href: str
    capture: Capture
    digest: str
    original: str
    """The href of the original; empty if it is not named."""
    unchanged: bool


@dataclass(slots=True)
class Index:
    """`captures` by href, in the order in which the URLs first came; `hosts` likewise.

    A crawl requests a URL once, by the first of its hrefs that it meets, and the next crawl may meet another first.
    So what is not found by its href is looked for by its key: with the tracking parameters of another link it is
    still the page that was archived.
    """

    captures: dict[str, Capture] = field(default_factory=dict)
    hosts: dict[str, set[str]] = field(default_factory=dict)
    """Host name → schemes."""
    _by_key: dict[bytes, str] = field(default_factory=dict)

    def find(self, url: Url) -> Capture | None:
        return self.captures.get(url.href) or self.captures.get(self._by_key.get(url.key, ""))

    def index_by_key(self) -> None:
        """Call it after all captures are added. Of several hrefs with one key, an answer takes precedence over a
        redirect, which may lead to another of them."""
        for href, capture in self.captures.items():
            key = IDENTITY.parse(href).key
            known = self._by_key.get(key)
            if known is None or self.captures[known].status >= 300 > capture.status:
                self._by_key[key] = href

    def seeds(self) -> list[str]:
        """One URL for each origin: its root if that was archived without error, otherwise its first good URL."""
        best: dict[str, tuple[bool, bool, int, str]] = {}
        for number, (href, capture) in enumerate(self.captures.items()):
            url = IDENTITY.parse(href)
            if url.path_and_query != "/robots.txt":
                rank = (capture.status >= 400, url.path_and_query != "/", number, href)
                best[url.origin] = min(rank, best.get(url.origin, rank))
        return [rank[3] for rank in best.values()]

    def add(self, href: str, capture: Capture) -> None:
        """The newest capture is kept; of equally old ones the later."""
        known = self.captures.get(href)
        if known is None or _normalise_time(known.date) <= _normalise_time(capture.date):
            self.captures[href] = capture


def build_index(files: Sequence[WarcFile]) -> Index:
    """Reads all files. Revisits are resolved last: their originals may be in a later file."""
    index = Index()
    digests: dict[str, Place] = {}
    revisits: list[_Revisit] = []
    for number, file in enumerate(files):
        for record, url in _read_answers(file):
            capture = Capture((number, record.offset), record.fields.get("warc-date", ""), _parse_status(record))
            digest = record.fields.get("warc-payload-digest", "")
            if record.fields["warc-type"] == "revisit":
                revisits.append(_make_revisit(record, url, capture, digest))
            elif capture.status >= 200:
                index.add(url.href, capture)
                digests.setdefault(digest, capture.place)
            else:
                continue
            index.hosts.setdefault(url.host, set()).add(url.scheme)
    digests.pop("", None)
    for revisit in revisits:
        _resolve(index, revisit, digests)
    index.index_by_key()
    return index


def _read_answers(file: WarcFile) -> Iterator[tuple[Record, Url]]:
    for record in file.records():
        if record.fields.get("warc-type") in ANSWERS:
            url = _parse_url(record.fields.get("warc-target-uri", ""))
            if url is not None:
                yield record, url


def _make_revisit(record: Record, url: Url, capture: Capture, digest: str) -> _Revisit:
    original = _parse_url(record.fields.get("warc-refers-to-target-uri", ""))
    unchanged = capture.status == 304 or "not-modified" in record.fields.get("warc-profile", "")
    return _Revisit(url.href, capture, digest, original.href if original else "", unchanged)


def _resolve(index: Index, revisit: _Revisit, digests: dict[str, Place]) -> None:
    """A revisit whose original is not in these files is dropped."""
    original = index.captures.get(revisit.original or revisit.href)
    if revisit.unchanged or revisit.capture.status < 200:
        if original is not None:
            index.captures.setdefault(revisit.href, original)
        return
    body = digests.get(revisit.digest)
    if body is None and original is not None:
        body = original.body or original.place
    if body is not None:
        capture = revisit.capture
        index.add(revisit.href, Capture(capture.place, capture.date, capture.status, body))


def _parse_url(text: str) -> Url | None:
    """Accepts a URL in angle brackets, which some archives use."""
    try:
        return IDENTITY.parse(text.strip("<>"))
    except NativeError:
        return None


def _parse_status(record: Record) -> int:
    """0 if there is none. A resource record has no HTTP head and counts as status 200."""
    if not record.http_head and record.fields["warc-type"] == RESOURCE:
        return 200
    words = record.http_head[:100].split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() and len(words[1]) == 3 else 0


def _normalise_time(date: str) -> str:
    """Makes times comparable as text, with and without fractions of a second."""
    return date.rstrip("Z")
