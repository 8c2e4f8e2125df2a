"""Crawls that the earlier build made: one ended, one killed, one on a full disk. Today's build goes on with them.

`rebuild` makes the views of a copy anew, and `export` shows the rows that the earlier build showed. Then the crawl goes
on to its end, and neither `verify` nor the manifest of the web finds a fault.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.acceptance import commands
from tests.acceptance.crash.full_disk import MEMORY, small_disk
from tests.acceptance.earlier_build import EarlierBuild, make_earlier_build
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import SyntheticWeb, serving

HOSTS = 40
PAGES_PER_HOST = 20
SEED = 11
SEEN_BEFORE = 200
"""Requests that the earlier build makes before it is stopped."""
DISK = 512 * 1024 * 1024
PATIENCE = 60.0
SHOWN = 3
ENDED = "ended"
"""The one that may ask for nothing twice: what is under way when a crawl is killed is asked for again."""

Crawl = Callable[[SyntheticWeb, Path, EarlierBuild], None]


def figures() -> Iterator[Figure]:
    earlier = make_earlier_build()
    for name, crawl in ((ENDED, _until_its_end), ("killed", _killed)):
        with tempfile.TemporaryDirectory(prefix="hondius-golden-") as scratch:
            yield from _judged(name, crawl, Path(scratch), Path(scratch) / "crawl", earlier)
    with (
        tempfile.TemporaryDirectory(prefix="hondius-golden-") as scratch,
        small_disk(Path(scratch), MEMORY, DISK) as disk,
    ):

        def on_a_full_disk(web: SyntheticWeb, directory: Path, build: EarlierBuild) -> None:
            _stopped(web, directory, build, disk.fill)
            disk.make_room()

        yield from _judged("on a full disk", on_a_full_disk, Path(scratch), disk.root / "crawl", earlier)


def _judged(name: str, crawl: Crawl, scratch: Path, directory: Path, earlier: EarlierBuild) -> Iterator[Figure]:
    with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.2) as web:
        crawl(web, directory, earlier)
        yield from _same_rows(name, scratch, directory, earlier)
        yield from _goes_on(name, web, directory)


def _same_rows(name: str, scratch: Path, directory: Path, earlier: EarlierBuild) -> Iterator[Figure]:
    """A copy for each: to look at a killed crawl is to let its views catch up."""
    shutil.copytree(directory, scratch / "before")
    shutil.copytree(directory, scratch / "today")
    shown = commands.run("rebuild", scratch / "before", command=_command(earlier))
    before = _rows(commands.run("export", scratch / "before", "--noindex", command=_command(earlier)))
    commands.run_well("rebuild", scratch / "today")
    today = _rows(commands.run_well("export", scratch / "today", "--noindex"))
    others = [url for url in before if before[url] != _columns(today.get(url), before[url])]
    more = [url for url in today if url not in before]
    said = "".join(
        f"; {url}: {_difference(before.get(url, {}), today.get(url, {}))}" for url in [*others, *more][:SHOWN]
    )
    is_met = shown.status == 0 and len(before) > 0 and not others and not more
    yield Figure(
        f"rows that `export` shows, {name}",
        is_met,
        f"{len(before):,} → {len(today):,}, {len(others)} changed, {len(more)} new{said}",
        "the same",
    )


def _goes_on(name: str, web: SyntheticWeb, directory: Path) -> Iterator[Figure]:
    ended = commands.run("resume", directory, "--json")
    yield Figure(f"`resume`, {name}", ended.status == 0, f"exit {ended.status} {ended.errors[-300:]}".strip(), "exit 0")
    checked = commands.run("verify", directory)
    lines = (checked.output + checked.errors).strip().splitlines() or [""]
    yield Figure(f"`verify`, {name}", checked.status == 0, f"exit {checked.status}, {lines[-1]}", "exit 0")
    faults = dict(web.judge(commands.rows(commands.export(directory))).faults)
    again = [] if name == ENDED else faults.pop("too_often", [])
    said = ", ".join(f"{len(lines)} {fault}: {lines[0]}" for fault, lines in faults.items())
    yield Figure(
        f"URLs of the manifest, {name}", not faults, said or f"as it says, {len(again)} asked for again", "as it says"
    )


def _until_its_end(web: SyntheticWeb, directory: Path, earlier: EarlierBuild) -> None:
    ended = commands.run(*web.crawl_arguments(directory, delay=0), command=_command(earlier))
    if ended.status != 0:
        raise SystemExit(f"the earlier build ended with {ended.status}: {ended.errors[-500:]}")


def _killed(web: SyntheticWeb, directory: Path, earlier: EarlierBuild) -> None:
    _stopped(web, directory, earlier, lambda: None)


def _stopped(web: SyntheticWeb, directory: Path, earlier: EarlierBuild, first: Callable[[], None]) -> None:
    """Killed in the midst of it; `first`: what comes over it a moment before."""
    words = [*_command(earlier), *map(str, web.crawl_arguments(directory, delay=0.02))]
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    try:
        ends = time.monotonic() + PATIENCE
        while len(web.requests()) < SEEN_BEFORE:
            if time.monotonic() > ends or process.poll() is not None:
                raise SystemExit("the earlier build did not crawl")
        first()
        time.sleep(1.0)  # what it does on a disk without room
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _rows(ended: commands.Ended) -> dict[str, dict[str, Any]]:
    return {row["url"]: row for row in commands.rows(ended.output.encode())}


def _columns(row: dict[str, Any] | None, like: dict[str, Any]) -> dict[str, Any] | None:
    """Today's rows may have more columns."""
    return None if row is None else {name: row.get(name) for name in like}


def _difference(before: dict[str, Any], today: dict[str, Any]) -> str:
    names = [name for name in before if before[name] != today.get(name)] if today else []
    return ", ".join(f"{name} {before[name]!r} → {today.get(name)!r}" for name in names[:SHOWN]) or (
        "not there before" if today else "not there any more"
    )


def _command(earlier: EarlierBuild) -> tuple[str, ...]:
    return (str(earlier.python), "-m", "hondius")
