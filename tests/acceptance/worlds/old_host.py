"""Today's host against the earlier one, whose fields many modules wrote: both get the same random histories.

The old modules come from the commit that `OLD_HOST_COMMIT` names, under another package name. They use the floor of
today; whatever else they import is absent. `host_histories.py` drives both.
"""

import importlib
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tests.acceptance.figure import Figure
from tests.acceptance.worlds.host_histories import Difference, History
from tests.acceptance.worlds.host_sides import Quiet

ROOT = Path(__file__).parents[3]
COMMIT_FILE = Path(__file__).with_name("OLD_HOST_COMMIT")
SOURCES = "src/hondius/crawler"
PACKAGE = "old_crawler"
ABSENT = ("boundary", "budgets", "commit", "dedup", "frontier", "left_out", "page", "statistics")
"""Modules that the old endings and errands import. A host learns nothing from them."""
HISTORIES = 100_000


class Absent(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Quiet


def figures() -> Iterator[Figure]:
    old, counts = old_host(), Counter[str]()
    for seed in range(HISTORIES):
        history = History(old, seed)
        try:
            history.run()
        except Difference as difference:
            yield Figure("the old host and today's agree", False, f"history {seed}: {difference}", "on every time")
            return
        counts += history.counts
    shown = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    yield Figure("the old host and today's agree", True, f"{HISTORIES:,} histories: {shown}", "on every time")


@cache
def old_host() -> SimpleNamespace:
    """The old modules by their names."""
    for name in ABSENT:
        sys.modules[f"{PACKAGE}.{name}"] = Absent(f"{PACKAGE}.{name}")
    with tempfile.TemporaryDirectory(prefix="hondius-old-host-") as scratch:
        _extract(Path(scratch))
        sys.path.insert(0, scratch)
        try:
            names = ("politeness", "politeness.addresses", "fetch", "endings", "errands")
            modules = {name: importlib.import_module(f"{PACKAGE}.{name}") for name in names}
        finally:
            sys.path.remove(scratch)
    return SimpleNamespace(
        politeness=modules["politeness"],
        EarlierTimes=modules["politeness"].EarlierTimes,
        Endings=modules["endings"].Endings,
        Errands=modules["errands"].Errands,
        answer_of=modules["fetch"].answer_of,
        prefer=modules["politeness.addresses"]._prefer,
    )


def has_old_host() -> bool:
    """Whether this clone has the commit: a copy without history has none."""
    commit = COMMIT_FILE.read_text().strip()
    told = subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, check=False)
    return told.returncode == 0


def _extract(into: Path) -> None:
    commit = COMMIT_FILE.read_text().strip()
    archive = subprocess.run(["git", "archive", commit, SOURCES], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode != 0:
        raise SystemExit(f"this clone has no commit {commit}: fetch the whole history (git fetch --unshallow)")
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(into, filter="data")
    (into / SOURCES).rename(into / PACKAGE)
    for path in (into / PACKAGE).rglob("*.py"):
        path.write_text(path.read_text().replace("hondius.crawler", PACKAGE))
