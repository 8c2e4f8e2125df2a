"""Retention (S9): what should be gone is gone, the rest verifies, also after kills at any moment."""

import gzip
import os
import random
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import SyntheticWeb, serving

HOSTS, PAGES_PER_HOST, SEED = 6, 60, 11
PINNED = "//h000[12]\\.test/"
KILLS = 30
LONGEST = 1.2
"""Seconds until a kill: as long as the command takes."""
SMALL_FILES = 300_000
"""Bytes of a WARC file, so that there are many."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-retention-") as name:
        scratch = Path(name)
        with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.1) as web:
            crawl = scratch / "crawl"
            _crawl(web, crawl)
        before = _bodies(crawl)
        commands.run_well("config", crawl, "retention.body_days=0", f"retention.pinned={PINNED}")
        size = _measure(crawl)
        killed = _kill(crawl)
        ended = commands.run_well("retain", crawl, "--json").summary
        after = _bodies(crawl)
        yield from _compare(before, after, crawl)
        measured = f"{killed} kills; the last run rewrote {ended['files']} files"
        yield Figure("kills while bodies were removed", killed > 0, measured, f"of {KILLS} tries")
        files = list((crawl / "warc").glob("*.warc.gz"))
        measured = f"{_measure(crawl) / 2**20:.1f} MB in {len(files)} files, {size / 2**20:.1f} before"
        yield Figure("size of the archive", _measure(crawl) < size, measured, "smaller")
        for step in ("verify", "rebuild", "verify"):
            ran = commands.run(step, crawl)
            yield Figure(
                f"`hondius {step}` afterwards", ran.status == 0, (ran.output + ran.errors).splitlines()[-1][:80]
            )
        yield Figure(
            "bodies after the rebuild", _bodies(crawl) == after, f"{sum(map(bool, after.values()))} bodies", "same"
        )


def _crawl(web: SyntheticWeb, into: Path) -> None:
    small = ("--set", f"stores.warc_bytes={SMALL_FILES}")
    commands.run_well(*web.crawl_arguments(into, 0), *small)


def _bodies(crawl: Path) -> dict[str, Any]:
    """By URL, of pages that had one."""
    columns = "url,body,body_removed_at,state"
    exported = commands.run_well("export", crawl, "--noindex", "--format", "jsonl", "--columns", columns).output
    return {row["url"]: row.get("body") or row.get("body_b64") for row in commands.rows(exported.encode())}


def _measure(crawl: Path) -> int:
    return sum(path.stat().st_size for path in (crawl / "warc").glob("*.warc.gz"))


def _kill(crawl: Path) -> int:
    """Kills `retain` again and again. Returns how often it had not ended by itself."""
    chance, killed = random.Random(SEED), 0
    for _ in range(KILLS):
        command = [*commands.HONDIUS, "retain", str(crawl)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=chance.uniform(0.3, LONGEST))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            killed += 1
    return killed


def _compare(before: dict[str, Any], after: dict[str, Any], crawl: Path) -> Iterator[Figure]:
    had = {url for url, body in before.items() if body}
    stays = {url for url in had if "//h0001.test/" in url or "//h0002.test/" in url}
    copies = {before[url] for url in stays}
    kept = sum(after[url] == before[url] for url in stays)
    yield Figure("pinned bodies that are as before", kept == len(stays) > 0, f"{kept} of {len(stays)}", "all")
    gone = {url for url in had - stays if before[url] not in copies}
    left = [url for url in gone if after[url]]
    yield Figure(
        "bodies that should be gone and can be read", not left and bool(gone), f"{len(left)} of {len(gone)}", "0"
    )
    stored = b"".join(gzip.decompress(path.read_bytes()) for path in (crawl / "warc").glob("*.warc.gz"))
    found = sum(
        before[url].encode()[:300] in stored for url in gone if isinstance(before[url], str) and len(before[url]) > 300
    )
    yield Figure("of these, in the files of the archive", found == 0, str(found), "0")
