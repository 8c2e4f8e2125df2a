"""Waits for the moment at which a process is killed."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from subprocess import Popen

POLL = 0.0005
START_UP = 0.7
"""Seconds within which a process is still opening its stores."""

Wait = Callable[[Popen[bytes], Path, float, Random], None]


def at_start_up(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    sleep(random.uniform(0, START_UP), process)


def just_opened(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """A few milliseconds after its first write: it rewrites the settings before it opens the stores."""
    wait_for_change(process, lambda: written(directory / "hondius.toml"), 15.0)
    time.sleep(random.uniform(0, 0.06))


def at_any_time(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """Counted from when its stores are open, because a busy machine may need long for that."""
    wait_for_change(process, lambda: [name for name in names(directory / "log") if name.startswith("attempts")], 15.0)
    sleep(random.uniform(0, longest), process)


def at_a_commit(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """When it begins to write WARC records, links or a frame."""
    at_any_time(process, directory, longest, random)
    parts = [directory / name for name in ("warc", "links", "log")]
    wait_for_change(process, lambda: sum(size(part, but="attempts") for part in parts), 1.0)
    time.sleep(random.choice((0.0, random.uniform(0, 0.004))))


def at_a_log_rotation(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """When a segment of the log is created, sealed, compressed or removed."""
    at_any_time(process, directory, longest, random)
    _at_a_new_name(process, directory / "log", random)


def at_a_warc_rotation(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """When a WARC file is created, or an index is written."""
    at_any_time(process, directory, longest, random)
    _at_a_new_name(process, directory / "warc", random)


def while_catching_up(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """While removed views are rebuilt."""
    wait_for_change(process, lambda: tuple((directory / name).exists() for name in ("urls", "crawl.db")), 15.0)
    time.sleep(random.uniform(0, 0.3))


def while_rebuilding(process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    """While `rebuild` builds views under other names, or renames them."""
    grown = random.choice((("urls.new",), ("crawl.db.new",), ("urls.old", "crawl.db")))
    wait_for_change(process, lambda: tuple((directory / name).exists() for name in grown), 15.0)
    time.sleep(random.choice((0.0, random.uniform(0, 0.25))))


def wait_for_change(process: Popen[bytes], look: Callable[[], object], seconds: float) -> None:
    before, deadline = look(), time.monotonic() + seconds
    while look() == before and time.monotonic() < deadline and process.poll() is None:
        time.sleep(POLL)


def sleep(seconds: float, process: Popen[bytes]) -> None:
    """Or until the process has ended."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and process.poll() is None:
        time.sleep(min(left, 0.01))


def size(directory: Path, *, but: str = "\0") -> int:
    """Total bytes of its files whose names do not begin so."""
    return sum(_length(file) for name, file in _files(directory) if not name.startswith(but))


def names(directory: Path) -> Sequence[str]:
    return sorted(name for name, _ in _files(directory))


def written(file: Path) -> int:
    """When it was written; 0 if it does not exist."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _at_a_new_name(process: Popen[bytes], directory: Path, random: Random) -> None:
    wait_for_change(process, lambda: names(directory), 1.0)
    time.sleep(random.choice((0.0, random.uniform(0, 0.003))))


def _files(directory: Path) -> list[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(directory) as entries:
            return [(entry.name, entry) for entry in entries]
    except OSError:
        return []


def _length(file: os.DirEntry[str]) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
