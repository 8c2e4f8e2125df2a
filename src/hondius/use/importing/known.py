"""Whether a record is new to the crawl, and where the body of a revisit is. Called on threads that may wait."""

from dataclasses import dataclass
from typing import Any

from hondius.crawler.page import PreviousVisit
from hondius.native import Fetched, Identity, Importer, NativeError
from hondius.ports import Stores
from hondius.use.importing.records import ArchivedUrl

NOT_MODIFIED = 304
FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """An answer that is analysed and can be submitted."""

    answer: ArchivedUrl
    fetched: Fetched
    is_known: bool
    previous: PreviousVisit | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    answer: ArchivedUrl
    reason: str = ""
    """Why it cannot be used; empty: the crawl has it, or something newer."""
    lacks_original: bool = False


class Preparation:
    def __init__(self, stores: Stores, identity: Identity, importer: Importer) -> None:
        self._urls = stores.urls
        self._view = stores.view
        self._archive = stores.archive
        self._identity = identity
        self._importer = importer

    def prepare(self, answer: ArchivedUrl) -> ReadyAnswer | Skipped:
        if answer.is_robots:
            return self._analyse(answer, None, "robots")
        row = self._view.page(answer.url.key) if self._urls.state(answer.url.key) == FINISHED else None
        if row is not None and row["last_fetched_at"] is not None and row["last_fetched_at"] >= answer.at:
            return Skipped(answer)
        return self._analyse(answer, row, "page")

    def _analyse(self, answer: ArchivedUrl, row: dict[str, Any] | None, kind: str) -> ReadyAnswer | Skipped:
        original: bytes | None = None
        record = answer.source.record
        if record.kind == "revisit":
            found = self._find_original(answer)
            if found is None:
                return Skipped(answer, "its original is not in the crawl", lacks_original=True)
            original = self._archive.record(found["warc_file"], found["warc_offset"], found["warc_length"])
        try:
            fetched = self._importer.process(
                record,
                key=answer.url.key,
                href=answer.url.href,
                kind=kind,
                at=answer.at,
                file=answer.source.file,
                original=original,
            )
        except NativeError as error:
            return Skipped(answer, str(error))
        previous = None if row is None else {**row, "body_url": row["url"], "body_at": row["started_at"]}
        return ReadyAnswer(answer, fetched, row is not None, previous)

    def _find_original(self, answer: ArchivedUrl) -> dict[str, Any] | None:
        """The last answer with a body for the URL that a revisit refers to: by default its own."""
        named = answer.source.record.refers_to
        try:
            key = self._identity.parse(named).key if named else answer.url.key
        except NativeError:
            return None
        fetches = [
            fetch
            for fetch in self._view.fetches(key)
            if fetch["warc_file"] is not None and fetch["status"] != NOT_MODIFIED and fetch["content_hash"] is not None
        ]
        return fetches[-1] if fetches else None
