"""`crawl.log` in the crawl directory: what `crawl` and `resume` met. It is rotated, bounded, and hurts no crawl.

The package logs by the standard `logging`, under `hondius.*`, and configures nothing. Only these two commands open a
file, for as long as they hold the directory's lock; commands that only read write nothing.
"""

import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, NamedTuple

from hondius.crawler.secrets import hidden
from hondius.errors import BadSetting
from hondius.files import CRAWL_LOG, is_regular, open_file
from hondius.operate.cli.harmless import harmless
from hondius.operate.cli.plain import say

MOST_BYTES = 4 * 1024 * 1024
OLDER_FILES = 3
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Logging(NamedTuple):
    """What the user asked for."""

    level: int = logging.INFO
    as_json: bool = False


def logging_of(level: str | None, as_json: bool) -> Logging:
    name = (level or "info").lower()
    if name not in LEVELS:
        raise BadSetting(f"--log-level {level} is not known: {', '.join(LEVELS)} are")
    return Logging(LEVELS[name], as_json)


@contextmanager
def crawl_log(directory: Path, wanted: Logging, secrets: Sequence[str]) -> Iterator[None]:
    """The caller holds the directory's lock."""
    root = logging.getLogger("hondius")
    handler = CrawlLog(directory / CRAWL_LOG)
    if os.path.lexists(directory / CRAWL_LOG) and not is_regular(directory / CRAWL_LOG):
        say(f"{directory / CRAWL_LOG} is not a regular file: nothing is logged; remove it")
    handler.setFormatter(JsonLines(secrets) if wanted.as_json else PlainLines(secrets))
    before = root.level
    root.setLevel(wanted.level)
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        handler.close()


class CrawlLog(RotatingFileHandler):
    """The file is made when there is something to say. What the disk does not take is dropped: the crawl has its own
    way to tell of a full disk, and a log must not fill the screen with its own trouble."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=OLDER_FILES, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        return TextIOWrapper(
            os.fdopen(open_file(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab"),
            encoding=self.encoding,
            errors="backslashreplace",
        )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """As it comes: the next line is tried again."""

    def close(self) -> None:
        try:
            super().close()
        except OSError:  # what is left in the buffer finds no room
            self.stream = None


class PlainLines(logging.Formatter):
    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = secrets

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        return _moment(record)

    def format(self, record: logging.LogRecord) -> str:
        """A message stays one line; only a traceback below it has several."""
        return hidden(super().format(record), self._secrets)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return harmless(super().formatMessage(record)).replace("\n", "\\n")

    def formatException(self, *given: Any) -> str:  # noqa: N802
        return harmless(super().formatException(*given))


class JsonLines(logging.Formatter):
    """One object a line: at, level, logger, message and, where there is one, traceback."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": _moment(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": hidden(record.getMessage(), self._secrets),
        }
        if record.exc_info:
            line["traceback"] = hidden(self.formatException(record.exc_info), self._secrets)
        return json.dumps(line)


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
