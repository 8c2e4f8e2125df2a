"""The figures of one crawler by one scheme, and where they are kept until the run is whole."""

import hashlib
import os
import platform
from pathlib import Path
from typing import Literal

import msgspec

PACKAGE = Path(__file__).parents[2] / "src" / "hondius"
WHOLE = 0.999
"""The share of the pages that a crawler must have fetched for its figures to be of the same work."""


BUSY = 0.2
"""Cores that may be busy with other work before it counts."""


class Circumstances(msgspec.Struct, frozen=True):
    """What must be the same for rows to be compared."""

    build: str
    """Of Hondius: a digest of its sources and its native module."""
    machine: str
    hosts: int
    concurrency: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    crawler: str
    version: str
    kind: Literal["crawler", "apart"]
    scheme: str
    keeps: str
    robots: bool
    note: str
    pages: int
    coverage: float
    pages_per_second: float
    """By the wall clock, from the start of its process to its end."""
    cpu_ms_per_page: float
    peak_rss_mb: float
    seconds: float
    start_seconds: float
    """Of these, until the server has answered the first request."""
    pages_per_second_served: float
    """From the first request to the last, by the server's log."""
    requests: int
    connections: int
    in_time: bool
    status: int
    elsewhere: float
    """Cores that were busy with anything but the crawler and the server."""
    configuration: str
    """Of the peer, as a digest."""
    run: str
    """When the run began that this row is of."""
    circumstances: Circumstances

    @property
    def whole(self) -> bool:
        return self.coverage >= WHOLE

    @property
    def disturbed(self) -> bool:
        """By other work on the machine: then seconds say little, CPU still does."""
        return self.elsewhere > BUSY

    @property
    def place(self) -> tuple[str, str]:
        return self.crawler, self.scheme


class Run(msgspec.Struct):
    """Written at each change, so that an interrupted run goes on where it stopped."""

    began: str
    circumstances: Circumstances
    rows: list[Row] = []
    absent: dict[str, str] = {}
    """Peers that could not be installed, and why."""
    done: bool = False


def of_this_build(hosts: int, concurrency: int) -> Circumstances:
    digest = hashlib.sha256()
    for file in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.glob("*.so")]):
        digest.update(file.read_bytes())
    return Circumstances(digest.hexdigest()[:8], machine(), hosts, concurrency)


def machine() -> str:
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    model = models[0].partition(":")[2].strip() if models else platform.machine()
    return f"{os.cpu_count()} cores ({model}), {platform.system()}, Python {platform.python_version()}"


def find_unfinished(file: Path, circumstances: Circumstances) -> Run | None:
    """The run to go on with: only one of this build, on this machine."""
    if not file.exists():
        return None
    run = msgspec.json.decode(file.read_bytes(), type=Run)
    return None if run.done or run.circumstances != circumstances else run


def keep(run: Run, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(run)))
    draft.replace(file)
