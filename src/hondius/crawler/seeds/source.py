"""The seeds of one command, in slices."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import FileIO

from hondius.crawler.seeds.file_lines import Damaged, Stopped, read_lines
from hondius.crawler.seeds.lines import LONGEST_SHOWN, LineReader, NoSeed, Seed
from hondius.errors import BadSeed, is_internal
from hondius.native import Identity

SLICE = 1_000
"""Seeds per frame: few enough to fetch pages in between, enough to load a million in seconds."""
SHOWN_SKIPPED = 5


ORDERED = "hondius seeds"
"""The source of seeds that an order brings."""


@dataclass(frozen=True, slots=True)
class Slice:
    seeds: Sequence[Seed]
    is_last: bool


class SeedSource:
    """A slice stays here until it is taken, so that a reopened crawl continues with it."""

    def __init__(self, name: str, slices: Iterable[Slice] = ()) -> None:
        self.name = name
        self.taken = 0
        self.is_over = False
        """The last slice was taken."""
        self.skipped = 0
        """Lines that are not seeds."""
        self.first_skipped: list[str] = []
        self.bugs: deque[tuple[str, BaseException]] = deque()
        """Bugs met while parsing lines that are not reported yet: (place, exception)."""
        self._slices = iter(slices)
        self._read: deque[Slice] = deque()
        self._reading = threading.Lock()
        self._is_stopped = False

    def read_from(self, slices: Callable[["SeedSource"], Iterator[Slice]]) -> "SeedSource":
        """For slices that report skipped lines to this source."""
        self._slices = slices(self)
        return self

    def peek(self) -> Slice | None:
        """The slice that was read and not taken yet. Never blocks."""
        return self._read[0] if self._read else None

    def wait(self) -> Slice | None:
        """The next slice. Blocks until there is one; None if there is none, or if the source was stopped."""
        with self._reading:
            if not self._read and not self.is_over:
                try:
                    self._read.extend(_read_first(self._slices))
                except Stopped:
                    return None
            return self.peek()

    def take(self) -> None:
        """The log has the slice, or is about to get it."""
        taken = self._read.popleft()
        self.taken += len(taken.seeds)
        self.is_over = taken.is_last

    def skip(self, place: str, text: str, reason: str) -> None:
        self.skipped += 1
        if len(self.first_skipped) < SHOWN_SKIPPED:
            self.first_skipped.append(f"{place}: {text!r} ({reason})")

    def skip_for_bug(self, place: str, text: str, error: BaseException) -> None:
        """Skips a line that met a bug."""
        self.skip(place, text, f"an internal failure, {type(error).__name__}")
        self.bugs.append((place, error))

    def stop(self) -> None:
        """A caller that waits for a slice returns soon."""
        self._is_stopped = True

    def is_stopped(self) -> bool:
        return self._is_stopped


def make_source(seeds: Sequence[Seed], name: str = "arguments", size: int = SLICE) -> SeedSource | None:
    """For seeds that are in memory; None if there are none."""
    if not seeds:
        return None
    source = SeedSource(name, cut_slices(seeds, size))
    source.wait()
    return source


def cut_slices(seeds: Sequence[Seed], size: int = SLICE) -> Iterator[Slice]:
    for start in range(0, len(seeds), size):
        yield Slice(seeds[start : start + size], start + size >= len(seeds))


def read_slices(
    source: SeedSource, arguments: Sequence[Seed], files: Sequence[tuple[str, FileIO]], identity: Identity
) -> Iterator[Slice]:
    """First the arguments, then each (name, file) to its end."""
    seeds = list(arguments)
    for name, file in files:
        for seed in _read_seeds(source, name, file, identity):
            if seed is not None:
                seeds.append(seed)
            if seeds and (seed is None or len(seeds) >= SLICE):
                yield Slice(seeds, is_last=False)
                seeds = []
    yield Slice(seeds, is_last=True)


def _read_seeds(source: SeedSource, name: str, file: FileIO, identity: Identity) -> Iterator[Seed | None]:
    """Yields None if there is no data at the moment."""
    reader = LineReader(identity)
    number = 0
    try:
        for line in read_lines(file, source.is_stopped):
            if line is None:
                yield None
                continue
            number += 1
            try:
                seed = reader.read(line)
            except NoSeed as reason:
                shown = line[:LONGEST_SHOWN].decode(errors="replace").strip()
                source.skip(f"{name}, line {number:,}", shown, str(reason))
                continue
            except BaseException as error:
                if not is_internal(error):
                    raise
                shown = line[:LONGEST_SHOWN].decode(errors="replace").strip()
                source.skip_for_bug(f"{name}, line {number:,}", shown, error)
                continue
            if seed is not None:
                yield seed
    except (OSError, Damaged) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise BadSeed(f"{name} cannot be read after line {number:,} ({why}): repair it, and try again") from None
    finally:
        file.close()


def _read_first(slices: Iterator[Slice]) -> list[Slice]:
    return [found] if (found := next(slices, None)) is not None else []
