"""The records of archives, in order, and what was counted of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hondius.errors import WrongUse
from hondius.model import EARLIEST, LATEST
from hondius.native import ForeignArchive, ForeignRecord, Identity, NativeError, Url

ANSWERS = ("response", "resource", "revisit")
OTHERS = frozenset({"warcinfo", "request", "metadata", "conversion", "continuation"})
"""Types of records that are counted by their name; strangers may invent any number of others."""
UNKNOWN = "of an unknown type"
MOST_NAMED = 100
"""Damaged records that are named; more are counted."""
MARGIN = 1024 * 1024
"""Bytes of a block beyond the cap of a body: for its head and its chunks."""
ROBOTS = "/robots.txt"
GZIP = b"\x1f\x8b"


@dataclass
class Tally:
    """What became of the records so far."""

    records: int = 0
    pages: int = 0
    """Pages that were imported."""
    other_answers: int = 0
    """Answers that were imported and are no pages: redirects, failures, sitemaps, other files."""
    robots: int = 0
    known: int = 0
    """Answers that are not newer than what the crawl has of their URL."""
    without_original: int = 0
    """Revisits whose body is not in the crawl."""
    others: Counter[str] = field(default_factory=Counter)
    """Records that are no HTTP answers, by their type."""
    damaged: int = 0
    problems: list[str] = field(default_factory=list)
    """The first damaged records: file, offset, why."""
    done_bytes: int = 0
    all_bytes: int = 0

    def report(self, record: "ArchivedRecord", reason: str) -> None:
        self.damaged += 1
        if len(self.problems) < MOST_NAMED:
            self.problems.append(f"{record.file} at {record.record.offset}: {reason}")


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    file: str
    record: ForeignRecord


@dataclass(frozen=True, slots=True)
class ArchivedUrl:
    """An HTTP answer for a URL that can be crawled."""

    source: ArchivedRecord
    url: Url
    at: float

    @property
    def is_robots(self) -> bool:
        return self.url.path_and_query == ROBOTS


def check_files(files: Sequence[Path]) -> int:
    """Their bytes. Raises WrongUse if one cannot be read, or is something else."""
    total = 0
    for file in files:
        if file.exists() and not file.is_file():
            raise WrongUse(f"{file} is not a regular file: name WARC files, and write what comes from a pipe to a file")
        try:
            with file.open("rb") as opened:
                begins, size = opened.read(5), file.stat().st_size
        except OSError as error:
            raise WrongUse(f"{file} cannot be read ({error.strerror}): name WARC files") from None
        if not begins.startswith((b"WARC/", GZIP)):
            raise WrongUse(f"{file} does not begin as a WARC file: name WARC files, plain or gzipped")
        if begins.startswith(GZIP) and not _has_record(file):
            raise WrongUse(f"{file} is compressed, but no WARC record in it can be read: name WARC files")
        total += size
    return total


def _has_record(file: Path) -> bool:
    """Whether a record can be read; damaged ones before it are passed over."""
    return any(record.record.problem is None for record in read_records([file], 0))


def read_records(files: Sequence[Path], cap: int, tally: Tally | None = None) -> Iterator[ArchivedRecord]:
    """`cap`: bytes of a block. `tally` gets how far the files are read."""
    before = 0
    for file in files:
        archive = ForeignArchive(str(file), cap=cap)
        while (record := archive.read()) is not None:
            if tally is not None:
                tally.done_bytes = before + archive.progress[0]
            yield ArchivedRecord(file.name, record)
        before += archive.progress[1]


def find_answer(record: ArchivedRecord, identity: Identity, tally: Tally) -> ArchivedUrl | None:
    """None for anything but an answer by HTTP, which is counted."""
    found = record.record
    tally.records += 1
    if found.problem is not None:
        tally.report(record, found.problem)
        return None
    kind = found.kind
    if kind not in ANSWERS or (kind == "response" and not found.is_http):
        tally.others[_name_other(kind)] += 1
        return None
    try:
        url = identity.parse(found.target)
    except NativeError as error:
        if found.target.startswith(("http://", "https://")):
            tally.report(record, f"its URL cannot be crawled ({error})")
        else:
            tally.others["not HTTP"] += 1
        return None
    if found.date is None:
        tally.report(record, "it has no date")
        return None
    if not EARLIEST <= found.date <= LATEST:
        tally.report(record, "its date cannot be true")
        return None
    return ArchivedUrl(record, url, found.date)


def _name_other(kind: str) -> str:
    if kind in ANSWERS:
        return "not HTTP"
    return kind if kind in OTHERS else UNKNOWN


def list_origins(
    files: Sequence[Path], identity: Identity, cap: int, take_robots: Callable[[ArchivedUrl], None]
) -> list[str]:
    """The root of every origin that has an answer, in order. `take_robots` is called with each robots.txt. `cap`: bytes
    of a block."""
    origins: dict[str, None] = {}
    ignored = Tally()
    for record in read_records(files, cap):
        answer = find_answer(record, identity, ignored)
        if answer is not None:
            origins[f"{answer.url.origin}/"] = None
            if answer.is_robots:
                take_robots(answer)
    return list(origins)
