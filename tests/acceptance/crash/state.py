"""Stores each round as a line of JSON when it has ended.

Rounds of another build are not counted. A build is identified by its sources.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[3]
SOURCES = (("src/hondius", "*.py"), ("native/src", "*.rs"), ("native", "Cargo.lock"))
DEFAULT = ROOT / "benchmarks" / ".cache" / "crash"
FILE = "rounds.jsonl"


class Round(msgspec.Struct, frozen=True, kw_only=True):
    build: str
    seed: int
    plan: str
    number: int
    kills: dict[str, int]
    """Number of kills by moment."""
    asked_again: int = 0
    oldest: float = 0.0
    """Seconds from the oldest lost answer to the kill that lost it, without stalls of the machine."""
    stall: float = 0.0
    """Longest stall of the machine before a kill, in seconds."""
    shortest_pause: float | None = None
    seconds: float = 0.0
    notices: dict[str, int] = {}
    """Number of runs by the notice that they printed."""
    faults: dict[str, list[str]] = {}
    skipped: str = ""
    """Why it was not run."""

    @property
    def dealt(self) -> int:
        return sum(self.kills.values())


class State:
    def __init__(self, directory: Path, seed: int, *, fresh: bool) -> None:
        self.directory = directory
        self._file = directory / FILE
        self._seed = seed
        self.build = build()
        directory.mkdir(parents=True, exist_ok=True)
        if fresh:
            self._file.unlink(missing_ok=True)
        known = list(self._read())
        self.rounds = [played for played in known if played.build == self.build]
        self.others = len(known) - len(self.rounds)
        """Rounds of other builds."""

    def keep(self, played: Round) -> None:
        self.rounds.append(played)
        with self._file.open("ab") as file:
            file.write(msgspec.json.encode(played) + b"\n")

    def next_number(self, plan: str) -> int:
        return 1 + max((r.number for r in self.rounds if r.plan == plan and r.seed == self._seed), default=0)

    @property
    def dealt(self) -> int:
        return sum(played.dealt for played in self.rounds)

    def _read(self) -> Iterator[Round]:
        """Ignores an incomplete line."""
        if not self._file.exists():
            return
        for line in self._file.read_bytes().splitlines():
            try:
                yield msgspec.json.decode(line, type=Round)
            except msgspec.DecodeError:
                continue


def build() -> str:
    digest = hashlib.sha256()
    for directory, pattern in SOURCES:
        for file in sorted((ROOT / directory).rglob(pattern)):
            digest.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]
