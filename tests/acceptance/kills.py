"""A crawl that is killed again and again, and goes on each time; in the end it is left to finish."""

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import Popen

from hondius.testweb.access_log import Access
from tests.acceptance import commands
from tests.acceptance.synthetic_web import SyntheticWeb

POLL = 0.0005
COMMITTED = ("log/[!a]*", "warc/*")
"""What a commit writes to; attempt records are written at each request."""
PATIENCE = 240.0
START_UP = 0.6
"""Seconds within which a process is still opening its stores."""


@dataclass(frozen=True)
class Kill:
    at: float
    """Just before the signal; wall clock, seconds."""
    moment: str


@dataclass
class KilledCrawl:
    directory: Path
    delay: float | None
    kills: list[Kill] = field(default_factory=list)
    """The one at index n ended run n."""
    stop_reason: str = ""


def crawl_and_kill(
    web: SyntheticWeb, directory: Path, *, delay: float | None, kills: int, longest: float, random: Random
) -> KilledCrawl:
    """Fewer kills are dealt where the crawl ends by itself before them. `longest`: seconds a process may live."""
    crawl = KilledCrawl(directory, delay)
    while len(crawl.kills) < kills:
        kill = _start_and_kill(_next_command(web, crawl, random), directory, longest, random)
        if kill is None:
            break
        crawl.kills.append(kill)
    crawl.stop_reason = commands.run_well(*_next_command(web, crawl, random), patience=PATIENCE).summary["stop_reason"]
    return crawl


def _next_command(web: SyntheticWeb, crawl: KilledCrawl, random: Random) -> list[str]:
    """The same command again (F5), or `resume`. Only a crawl that has sent a request has surely heard of its seeds."""
    named = ["--user-agent", f"Hondius/0 run-{len(crawl.kills)}"]
    if random.random() < 0.3 or _written(crawl.directory, "log/attempts-*") == 0:
        return [*web.crawl_arguments(crawl.directory, crawl.delay), *named]
    return ["resume", str(crawl.directory), "--json", *named]


def run_of(access: Access) -> int:
    """A busy server reads late what was sent before a kill: only the name that a run gives itself tells whose it is."""
    return int(access.user_agent.rpartition("-")[2])


def _start_and_kill(command: list[str], directory: Path, longest: float, random: Random) -> Kill | None:
    """None: the process ended before its hour came."""
    with tempfile.TemporaryFile() as said:
        process = commands.start(*command, output=said, errors=said)
        moment = random.choices(("start-up", "commit", "any"), (1, 2, 2))[0]
        _wait_for(moment, process, directory, longest, random)
        at = time.time()
        if process.poll() is None:
            process.kill()
        status = process.wait()
        if status == -9:
            return Kill(at, moment)
        if status != 0:
            said.seek(0)
            raise SystemExit(f"hondius {' '.join(command)}: exit status {status}\n{said.read().decode()}")
        return None


def _wait_for(moment: str, process: Popen[bytes], directory: Path, longest: float, random: Random) -> None:
    if moment == "start-up":
        _sleep(random.uniform(0, START_UP), process)
    elif moment == "any":
        _sleep(random.uniform(START_UP / 2, longest), process)
    else:
        _sleep(random.uniform(START_UP / 2, longest), process)
        _wait_for_growth(process, directory)
        time.sleep(random.choice((0.0, random.uniform(0, 0.004))))


def _wait_for_growth(process: Popen[bytes], directory: Path) -> None:
    """Until a commit has begun to write: its WARC records, or its frame."""
    before, deadline = _written(directory, *COMMITTED), time.monotonic() + 1.0
    while _written(directory, *COMMITTED) == before and time.monotonic() < deadline and process.poll() is None:
        time.sleep(POLL)


def _sleep(seconds: float, process: Popen[bytes]) -> None:
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and process.poll() is None:
        time.sleep(min(left, 0.01))


def _written(directory: Path, *patterns: str) -> int:
    return sum(file.stat().st_size for pattern in patterns for file in directory.glob(pattern) if file.is_file())
