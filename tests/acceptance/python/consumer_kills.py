"""A named consumer follows a crawl and is killed again and again: it gets every page, in commit order, at least once.

The consumer is a program of its own that writes each URL down before it takes the next page. It is killed with SIGKILL
after a random number of pages, first while the crawl runs. The log says which pages it had to get.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hondius.model import Finished
from hondius.opening import place_of
from hondius.use.consumer_progress import SAVE_EVENTS
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import serving

KILLS = 50
HOSTS, PAGES_PER_HOST, SEED = 60, 40, 5
DELAY = 0.3
MOST_PAGES = 3 * SAVE_EVENTS
"""Pages of one life, at most: the cursor is saved in some lives, and not in others."""
PATIENCE = 300.0
PROGRAM = """
import os, sys, hondius
with hondius.open(sys.argv[1]) as crawl:
    for page in crawl.pages(consumer="indexer", follow=True):
        os.write(1, f"{page.url} {page.fetched_at.isoformat()}\\n".encode())
"""


@dataclass(frozen=True)
class Life:
    seen: list[str]
    """What it wrote down: URL and time of each visit."""
    while_running: bool
    """Whether it was killed while the crawl ran."""


def figures() -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="hondius-consumer-") as name,
        serving(Path(name), hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.2) as web,
        open(Path(name) / "errors", "wb") as errors,
    ):
        directory = Path(name) / "crawl"
        crawling = commands.start(*web.crawl_arguments(directory, DELAY), output=errors, errors=errors)
        try:
            _wait_for_pages(directory)
            lives = list(_live(directory, Path(name) / "seen", crawling))
        finally:
            crawling.wait(PATIENCE)
        yield from _judge(lives, _list_visits(directory))


def _wait_for_pages(directory: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if (directory / "crawl.db").exists() and _list_visits(directory):
            return
    raise SystemExit("the crawl did not start")


def _live(directory: Path, output: Path, crawling: "subprocess.Popen[bytes]") -> Iterator[Life]:
    """The last life is not killed: it ends with the crawl."""
    chance = random.Random(SEED)
    for _ in range(KILLS):
        yield _run_life(directory, output, crawling, chance.randint(1, MOST_PAGES))
    yield _run_life(directory, output, crawling, None)


def _run_life(directory: Path, output: Path, crawling: "subprocess.Popen[bytes]", pages: int | None) -> Life:
    """Killed after so many pages, or when none has come for two seconds; None: not killed."""
    with open(output, "wb") as written:
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(directory)], stdout=written)
    quiet_since, size = time.monotonic(), 0
    while process.poll() is None and pages is not None:
        data = output.read_bytes()
        if len(data) != size:
            quiet_since, size = time.monotonic(), len(data)
        if data.count(b"\n") >= pages or (size and time.monotonic() > quiet_since + 2):
            break
    is_running = crawling.poll() is None
    if pages is not None:
        process.kill()
    process.wait(PATIENCE)
    return Life(output.read_text().splitlines(), is_running)


def _list_visits(directory: Path) -> list[str]:
    """Every visit that a consumer must get, in commit order."""
    with closing(place_of(directory).open_log(read_only=True)) as log:
        ends = [event for frame in log.read() for event in frame.events if isinstance(event, Finished)]
    good = ("completed", "duplicate")
    ends = [end for end in ends if end.state in good and end.kind == "page" and not end.noindex]
    return [f"{end.url} {datetime.fromtimestamp(end.fetched_at or 0, UTC).isoformat()}" for end in ends]


def _judge(lives: Sequence[Life], visits: Sequence[str]) -> Iterator[Figure]:
    place = {visit: number for number, visit in enumerate(visits)}
    reached, repeated, gaps, strange = 0, 0, 0, 0
    most_repeated = 0
    for life in lives:
        numbers = [place.get(visit, -1) for visit in life.seen]
        strange += numbers.count(-1)
        gaps += bool(numbers) and (
            numbers[0] > reached or numbers != list(range(numbers[0], numbers[0] + len(numbers)))
        )
        again = max(0, reached - numbers[0]) if numbers else 0
        repeated, most_repeated = repeated + again, max(most_repeated, again)
        reached = max(reached, numbers[-1] + 1) if numbers else reached
    killed_running = sum(life.while_running for life in lives[:-1])
    yield Figure(
        f"pages that a consumer killed {KILLS} times did not get",
        reached == len(visits) > 0 and not strange,
        f"{len(visits) - reached} of {len(visits):,}, {strange} unknown ones",
        "0",
    )
    yield Figure("lives with a gap or out of commit order", not gaps, f"{gaps} of {len(lives)}", "0")
    yield Figure("killed while the crawl ran", killed_running > 0, f"{killed_running} of {KILLS}", "at least 1")
    name = "pages that came again after one kill, at most"
    yield Figure(name, most_repeated <= SAVE_EVENTS + 1, f"{most_repeated} ({repeated:,} in all)", f"{SAVE_EVENTS + 1}")


if __name__ == "__main__":
    found = list(figures())
    print(*found, sep="\n")
    sys.exit(not all(figure.met for figure in found))
