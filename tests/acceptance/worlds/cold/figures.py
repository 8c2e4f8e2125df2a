"""Makes a store, and crawls pages that name its URLs."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.growth.crawl import open_crawl
from benchmarks.growth.grow import Stage

from tests.acceptance.figure import Figure
from tests.acceptance.worlds.cold.web import COLD_LINKS, ColdWeb

URLS = 20_000_000
PAGES = 40_000
MOST_CALLBACK, MOST_LATE_SHARE = 0.050, 0.001
LEAST_READ = 100_000
"""Bytes from disk for a page, at the least: or the store was not cold."""


def figures(urls: int = URLS, place: Path | None = None) -> Iterator[Figure]:
    if place is not None:
        place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hondius-cold-", dir=place) as name:
        directory = Path(name)
        command = [sys.executable, "-m", f"{__package__}.make", str(directory), str(urls)]
        subprocess.run(command, check=True)
        with serving(urls) as port:
            command = [sys.executable, "-m", f"{__package__}.load", str(directory), str(PAGES), str(port)]
            ended = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    if ended.returncode != 0:
        yield Figure("the crawl of cold links ends", False, f"exit {ended.returncode}", "exit 0")
        return
    yield from judged(urls, json.loads(ended.stdout))


def judged(urls: int, seen: dict[str, Any]) -> Iterator[Figure]:
    per_page = seen["bytes_read"] / seen["pages"]
    yield Figure(
        f"cold links of a store of {urls:,} URLs",
        seen["known"] >= seen["pages"] * COLD_LINKS * 0.99 and per_page >= LEAST_READ,
        f"{seen['known']:,} known and {seen['new']:,} new on {seen['pages']:,} pages, "
        f"{per_page / 1000:.0f} kB read from disk for each",
        f"{COLD_LINKS} known a page, at least {LEAST_READ / 1000:.0f} kB read",
    )
    longest = seen["longest_callback_seconds"]
    yield Figure(
        "CPU of the longest callback",
        longest <= MOST_CALLBACK,
        f"{longest * 1000:.1f} ms" + (f" in {seen['longest_callback']}" if longest > MOST_CALLBACK else ""),
        f"at most {MOST_CALLBACK * 1000:.0f} ms",
    )
    share = seen["late_beats"] / max(1, seen["beats"])
    yield Figure(
        "beats of 10 ms that are late by more than 100 ms",
        seen["beats"] > 0 and share <= MOST_LATE_SHARE,
        f"{share:.3%} of {seen['beats']:,}, the latest by {seen['latest_beat_seconds'] * 1000:.0f} ms",
        f"at most {MOST_LATE_SHARE:.1%}",
    )


def make(directory: Path, urls: int) -> None:
    with open_crawl(directory) as crawl:
        Stage(crawl, ColdWeb(urls)).add(0, urls)


@contextmanager
def serving(urls: int) -> Iterator[int]:
    command = [sys.executable, "-m", f"{__package__}.server", str(urls)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["port"]
        finally:
            process.kill()
