"""`crawl.log` in the crawl directory: the log messages of `crawl` and `resume`. It is rotated and bounded, and its
errors never stop a crawl.

The package logs with the standard `logging`, under `hondius.*`, and configures nothing. Only a session opens the file,
while it holds the lock of the directory. A process may run several sessions at once: each file gets the messages of its
own session, and those of worker threads that do not know to which they belong.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, NamedTuple

from hondius.crawler.secrets import hide_secrets
from hondius.errors import BadSetting
from hondius.files import CRAWL_LOG, is_regular, open_file
from hondius.sanitise import escape_controls

_session: ContextVar[Path | None] = ContextVar("hondius_session", default=None)
"""The directory of the session that the running task belongs to."""
_log = logging.getLogger("hondius.session")

MAX_BYTES = 4 * 1024 * 1024
OLDER_FILES = 3
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class LogOptions(NamedTuple):
    """The options --log-level and --log-json."""

    level: int = logging.INFO
    as_json: bool = False


def parse_log_options(level: str | None, as_json: bool) -> LogOptions:
    name = (level or "info").lower()
    if name not in LEVELS:
        raise BadSetting(f"--log-level {level} is unknown: choose from {', '.join(LEVELS)}")
    return LogOptions(LEVELS[name], as_json)


@contextmanager
def write_crawl_log(
    directory: Path, wanted: LogOptions | None, secrets: Sequence[str], say: Callable[[str], None] = _log.warning
) -> Iterator[None]:
    """The caller holds the directory's lock. `wanted`: None does not change the level of any logger, as a library must
    not; messages below the level of `hondius` are missing then."""
    root = logging.getLogger("hondius")
    handler = CrawlLogHandler(directory / CRAWL_LOG)
    if os.path.lexists(directory / CRAWL_LOG) and not is_regular(directory / CRAWL_LOG):
        say(f"{directory / CRAWL_LOG} is not a regular file, so nothing is logged: remove it")
    handler.setFormatter(JsonFormatter(secrets) if wanted is not None and wanted.as_json else TextFormatter(secrets))
    handler.addFilter(_belongs_to(directory))
    before = root.level
    if wanted is not None:
        root.setLevel(wanted.level)
    root.addHandler(handler)
    token = _session.set(directory)
    try:
        yield
    finally:
        _session.reset(token)
        root.removeHandler(handler)
        if wanted is not None:
            root.setLevel(before)
        handler.close()


def _belongs_to(directory: Path) -> Callable[[logging.LogRecord], bool]:
    return lambda _: _session.get() in (directory, None)


class CrawlLogHandler(RotatingFileHandler):
    """Creates the file with the first message. Messages that cannot be written are dropped: the crawl itself reports a
    full disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MAX_BYTES, backupCount=OLDER_FILES, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        return TextIOWrapper(
            os.fdopen(open_file(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab"),
            encoding=self.encoding,
            errors="backslashreplace",
        )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Ignores the error; the next message is tried again."""

    def close(self) -> None:
        try:
            super().close()
        except OSError:  # no room for the rest of the buffer
            self.stream = None


class TextFormatter(logging.Formatter):
    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = secrets

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        return _format_time(record)

    def format(self, record: logging.LogRecord) -> str:
        """A message is one line; only a traceback below it has several."""
        return hide_secrets(super().format(record), self._secrets)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return escape_controls(super().formatMessage(record)).replace("\n", "\\n")

    def formatException(self, *given: Any) -> str:  # noqa: N802
        return escape_controls(super().formatException(*given))


class JsonFormatter(logging.Formatter):
    """One object a line: at, level, logger, message and, if there is one, traceback."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": _format_time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": hide_secrets(record.getMessage(), self._secrets),
        }
        if record.exc_info:
            line["traceback"] = hide_secrets(self.formatException(record.exc_info), self._secrets)
        return json.dumps(line)


def _format_time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
