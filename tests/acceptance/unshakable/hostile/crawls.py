"""One crawl that is watched to its end, and several that are interrupted at different moments."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.unshakable.hostile.kinds import KINDS
from tests.acceptance.unshakable.hostile.server import PAGES, address_of, name_of, seed_of

HEALTHY, OF_EACH_KIND = 800, 8
HOSTILE = OF_EACH_KIND * len(KINDS)
MOST_CALLBACK, MOST_LATE_SHARE, MOST_MEGABYTES = 0.050, 0.001, 400
MOMENTS = (0.4, 0.8, 1.5, 3.0, 5.0, 8.0, 12.0, 20.0)
HEARD_WITHIN = 1.0
OPTIONS = (
    *("--delay", "0", "--scope", "host", "--concurrency", "256", "--json", "--max-time", "400"),
    *("--set", "fetch.total_timeout=15", "--set", "fetch.read_timeout=5", "--set", "fetch.connect_timeout=3"),
)


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-hostile-") as name:
        scratch = Path(name)
        with _serving(scratch):
            yield from _watched_crawl(scratch)
            yield from _interrupted_crawls(scratch)


@contextmanager
def _serving(scratch: Path) -> Iterator[None]:
    """Writes the seeds and the addresses of all hosts into `scratch`."""
    command = [sys.executable, "-m", f"{__package__}.server", "--healthy", str(HEALTHY), "--hostile", str(HOSTILE)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = json.loads(process.stdout.readline())["port"]
        hosts = range(HEALTHY + HOSTILE)
        names = (f"{name_of(host, HEALTHY)}={address_of(host)}:{port}\n" for host in hosts)
        (scratch / "resolve.txt").write_text("".join(names))
        (scratch / "seeds.txt").write_text("".join(f"{seed_of(host, HEALTHY)}\n" for host in hosts))
        yield
    finally:
        process.stdin.close()
        process.stdout.close()
        process.kill()
        process.wait()


def _crawl(scratch: Path, into: Path) -> list[str]:
    return [
        *("crawl", "--seeds", str(scratch / "seeds.txt"), "--resolve", f"@{scratch / 'resolve.txt'}"),
        *("--into", str(into), *OPTIONS),
    ]


def _watched_crawl(scratch: Path) -> Iterator[Figure]:
    into, report = scratch / "watched", scratch / "report.json"
    command = [sys.executable, "-m", f"{__package__}.watched", str(report), *_crawl(scratch, into)]
    with (scratch / "errors.txt").open("wb") as errors:
        ended = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=errors, timeout=900)
    said = (scratch / "errors.txt").read_text(errors="replace").strip().splitlines()
    summary = json.loads(ended.stdout) if ended.stdout else {}
    ends = f"exit {ended.returncode}, {summary.get('stop_reason')}, {summary.get('seconds')} s"
    yield Figure("the crawl ends", ended.returncode == 0, f"{ends} {'; '.join(said[-1:])}", "exit 0")
    if not report.exists() or not (into / "hondius.toml").exists():
        return
    rows = commands.rows(commands.export(into))
    yield _completeness(rows)
    internal = sum(row["cause"] == "internal" for row in rows)
    yield Figure("URLs that end internal", internal == 0, str(internal), "0")
    watched = json.loads(report.read_text())
    longest = watched["longest_callback_seconds"]
    yield Figure(
        "CPU of the longest callback",
        longest <= MOST_CALLBACK,
        f"{longest * 1000:.1f} ms" + (f" in {watched['longest_callback']}" if longest > MOST_CALLBACK else ""),
        f"at most {MOST_CALLBACK * 1000:.0f} ms",
    )
    share = watched["late_beats"] / max(1, watched["beats"])
    yield Figure(
        "beats of 10 ms that are late by more than 100 ms",
        watched["beats"] > 0 and share <= MOST_LATE_SHARE,
        f"{share:.3%} of {watched['beats']:,}, the latest by {watched['latest_beat_seconds'] * 1000:.0f} ms",
        f"at most {MOST_LATE_SHARE:.1%}",
    )
    peak = watched["peak_bytes"] / 1e6
    yield Figure("peak memory without mapped spill files", peak <= MOST_MEGABYTES, f"{peak:.0f} MB", "at most 400 MB")


def _completeness(rows: list[dict[str, object]]) -> Figure:
    fetched = Counter(str(row["host"]) for row in rows if row["state"] in ("completed", "duplicate"))
    missing = [name for host in range(HEALTHY) if fetched[name := name_of(host, HEALTHY)] != PAGES]
    pages = sum(fetched[name_of(host, HEALTHY)] for host in range(HEALTHY))
    measured = f"{pages:,} of {HEALTHY * PAGES:,} pages of {HEALTHY} hosts, beside {HOSTILE} hostile hosts"
    return Figure("healthy pages", not missing, measured + (f"; missing at {missing[:5]}" if missing else ""), "all")


def _interrupted_crawls(scratch: Path) -> Iterator[Figure]:
    heard = []
    for number, moment in enumerate(MOMENTS):
        heard.append(_interrupt(scratch, scratch / f"interrupted-{number}", moment))
    shown = ", ".join(f"{seconds:.2f}" for seconds in heard)
    name = f"SIGINT is heard, {len(MOMENTS)} moments from {MOMENTS[0]} s to {MOMENTS[-1]} s after the start"
    yield Figure(name, max(heard) <= HEARD_WITHIN, f"after {shown} s", f"within {HEARD_WITHIN:.0f} s")


def _interrupt(scratch: Path, into: Path, moment: float) -> float:
    """Seconds until the command says that it stops, or has ended."""
    command = [*commands.HONDIUS, *_crawl(scratch, into)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    time.sleep(moment)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    while (line := process.stderr.readline()) and b"stopping" not in line:
        pass
    heard = time.monotonic() - sent
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        heard = float("inf")
    process.stderr.close()
    return heard
