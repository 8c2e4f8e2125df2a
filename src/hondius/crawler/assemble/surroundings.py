"""What is outside of a crawl: time, randomness, the network, and the program that runs it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hondius.clock import Clock, SystemClock
from hondius.crawler.extensions import NO_EXTENSIONS, Extensions
from hondius.crawler.fetch import AnyEngine
from hondius.crawler.frontier import MOST_IN_MEMORY
from hondius.crawler.translation import make_engine
from hondius.native import Engine, Reader
from hondius.settings import Settings


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The simulation has its own."""

    clock: Clock
    random: Random
    make_engine: Callable[[Reader, Callable[[], object], str], AnyEngine]
    """Called with the reader, the function to notify, and the file of attempt records."""
    most_robots: int | None = None
    """How many robots.txt are kept in memory; None for the default."""
    most_retries: int = MOST_IN_MEMORY
    """How many failed URLs are kept in memory; others are looked up in the partition's view."""
    extensions: Extensions = NO_EXTENSIONS


def make_surroundings(directory: Path, settings: Settings, extensions: Extensions = NO_EXTENSIONS) -> Surroundings:
    def build_engine(reader: Reader, notify: Callable[[], object], file: str) -> Engine:
        return make_engine(
            settings, reader, notify, attempts_file=str(directory / file), spill_directory=str(directory)
        )

    return Surroundings(SystemClock(), Random(), build_engine, extensions=extensions)
