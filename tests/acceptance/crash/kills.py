"""A crawl that is killed again and again, and goes on each time."""

import shutil
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import Popen
from typing import IO

from hondius.testweb.access_log import Access
from tests.acceptance import commands
from tests.acceptance.crash import moments
from tests.acceptance.crash.orders import Orders
from tests.acceptance.crash.plans import Plan
from tests.acceptance.crash.pulse import Pulse
from tests.acceptance.synthetic_web import SyntheticWeb

PATIENCE = 240.0
KILLED, INTERRUPTED = -signal.SIGKILL, 130
TERMINATED = -signal.SIGTERM
"""By a request to stop that came before it listened to any."""

MOMENTS: dict[str, tuple[moments.Wait, float]] = {
    "start-up": (moments.at_start_up, 1),
    "just opened": (moments.just_opened, 1),
    "any": (moments.at_any_time, 2),
    "commit": (moments.at_a_commit, 2),
    "log rotation": (moments.at_a_log_rotation, 1),
    "WARC rotation": (moments.at_a_warc_rotation, 1),
}
"""Of a crawl that runs, with their weights."""
REOPENED = "opened again"
NOTICES = ("paused", "there is room again", REOPENED, "rebuilt from the log")
OTHERS = {"catch-up": 1.0, "drain": 1.0, "order": 1.0, "rebuild": 1.0, "order at rest": 0.5}
AFTER_ITS_END = ("start-up", "just opened", "catch-up", "rebuild", "order at rest")
"""What is left to be killed when a crawl was faster than its kills."""


class Unexpected(Exception):
    """A command ended as it may not; what it said."""


@dataclass(frozen=True)
class Kill:
    at: float
    """Just before the signal; wall clock, seconds."""
    moment: str
    full_since: float | None = None
    """The disk was full, or had just been, from then on: what was answered since may be lost with the process."""
    stall: float = 0.0
    """Seconds for which the machine itself stood still shortly before."""


@dataclass
class KilledCrawl:
    web: SyntheticWeb
    directory: Path
    plan: Plan
    pulse: Pulse | None = None
    runs: list[Kill | None] = field(default_factory=list)
    """How each run ended; None: by itself, or as it was asked to."""
    other_kills: list[Kill] = field(default_factory=list)
    """Of commands that send no requests."""
    orders: Orders = field(default_factory=Orders)
    notices: Counter[str] = field(default_factory=Counter)
    """How many runs said what `NOTICES` has."""
    reopened: set[int] = field(default_factory=set)
    """Runs that opened their stores again on the way."""
    ended: bool = False
    stop_reason: str = ""

    @property
    def kills(self) -> list[Kill]:
        return [kill for kill in self.runs if kill is not None] + self.other_kills

    @property
    def has_begun(self) -> bool:
        """It has sent a request, so it has surely heard of its seeds."""
        attempts = (self.directory / "log").glob("attempts-*")
        return any(file.stat().st_size for file in attempts)

    def kill(self, at: float, moment: str, full_since: float | None = None) -> Kill:
        return Kill(at, moment, full_since, 0.0 if self.pulse is None else self.pulse.stall())

    def next_command(self, random: Random) -> list[str]:
        """The same command again (F5), or `resume`."""
        named = ["--user-agent", f"Hondius/0 run-{len(self.runs)}", *self.plan.settings]
        if random.random() < 0.3 or not self.has_begun:
            return [*self.web.crawl_arguments(self.directory, self.plan.delay), *named]
        return ["resume", str(self.directory), "--json", *named]

    def finish(self, random: Random) -> None:
        ended = commands.run(*self.next_command(random), patience=PATIENCE)
        self.runs.append(None)
        self.hear(ended.errors)
        if ended.status != 0:
            raise Unexpected(f"the last run: exit status {ended.status}: {ended.errors[-2_000:]}")
        self.stop_reason = ended.summary["stop_reason"]

    def hear(self, said: str) -> None:
        """What the last of the runs said."""
        self.notices.update(notice for notice in NOTICES if notice in said)
        if REOPENED in said:
            self.reopened.add(len(self.runs) - 1)


def run_of(access: Access) -> int:
    """A busy server reads late what was sent before a kill: only the name that a run gives itself tells whose it is."""
    return int(access.user_agent.rpartition("-")[2])


def crawl_and_kill(crawl: KilledCrawl, kills: int, random: Random) -> None:
    """Until it was killed so often. A crawl that has ended by itself is still opened, rebuilt and told things."""
    while len(crawl.kills) < kills:
        weights = {name: weight for name, (_, weight) in MOMENTS.items()} | OTHERS
        names = [name for name in weights if not crawl.ended or name in AFTER_ITS_END]
        moment = random.choices(names, [weights[name] for name in names])[0]
        if moment == "rebuild":
            _kill_a_rebuild(crawl, random)
        elif moment == "order at rest":
            _kill_an_order(crawl, random)
        else:
            _start_and_kill(crawl, moment, random)
    crawl.finish(random)


def _start_and_kill(crawl: KilledCrawl, moment: str, random: Random) -> None:
    if moment == "catch-up":
        _discard_views(crawl.directory, random)
    with tempfile.TemporaryFile() as said:
        command = crawl.next_command(random)
        process = commands.start(*command, output=said, errors=said)
        if moment == "drain":
            _ask_to_stop(process, crawl, random)
        elif moment == "order":
            moments.at_any_time(process, crawl.directory, crawl.plan.longest, random)
            crawl.orders.give(crawl.web, crawl.directory, process, random)
        else:
            wait = moments.while_catching_up if moment == "catch-up" else MOMENTS[moment][0]
            wait(process, crawl.directory, crawl.plan.longest, random)
        at = time.time()
        status = put_down(process)
        crawl.runs.append(crawl.kill(at, moment) if status in (KILLED, TERMINATED) else None)
        expect(crawl, status, command, said, (0, KILLED, TERMINATED, INTERRUPTED) if moment == "drain" else (0, KILLED))
        crawl.ended = crawl.ended or status == 0


def _ask_to_stop(process: Popen[bytes], crawl: KilledCrawl, random: Random) -> None:
    """SIGTERM, and little patience: it is still finishing what was under way, or writing it down."""
    moments.at_any_time(process, crawl.directory, crawl.plan.longest, random)
    if process.poll() is None:
        process.terminate()
        moments.sleep(random.uniform(0, 0.7), process)


def _kill_a_rebuild(crawl: KilledCrawl, random: Random) -> None:
    if (crawl.directory / "hondius.toml").exists():
        _kill_command(crawl, ["rebuild", str(crawl.directory)], "rebuild", random)


def _kill_an_order(crawl: KilledCrawl, random: Random) -> None:
    """The crawl does not run: the order is written into its log by the command itself."""
    if crawl.has_begun:
        command = crawl.orders.next_command(crawl.directory, random)
        if _kill_command(crawl, command, "order at rest", random) == 0:
            crawl.orders.accept(command)


def _kill_command(crawl: KilledCrawl, command: list[str], moment: str, random: Random) -> int:
    with tempfile.TemporaryFile() as said:
        process = commands.start(*command, output=said, errors=said)
        wait = moments.while_rebuilding if moment == "rebuild" else moments.just_opened
        wait(process, crawl.directory, crawl.plan.longest, random)
        at = time.time()
        status = put_down(process)
        if status == KILLED:
            crawl.other_kills.append(crawl.kill(at, moment))
        expect(crawl, status, command, said, (0, KILLED))
        return status


def put_down(process: Popen[bytes]) -> int:
    """Its exit status: that of a kill, unless it had ended before."""
    if process.poll() is None:
        process.kill()
    return process.wait()


def expect(crawl: KilledCrawl, status: int, command: list[str], said: IO[bytes], allowed: tuple[int, ...]) -> None:
    said.seek(0)
    text = said.read().decode()
    crawl.hear(text)
    if status not in allowed:
        raise Unexpected(f"hondius {' '.join(command[:2])}: exit status {status}: {text[-2_000:]}")


def _discard_views(directory: Path, random: Random) -> None:
    """As if they were lost: the next start makes them from the log."""
    which = random.choice(("catalog", "urls", "both"))
    if which != "urls":
        for name in ("crawl.db", "crawl.db-wal", "crawl.db-shm"):
            (directory / name).unlink(missing_ok=True)
    if which != "catalog":
        shutil.rmtree(directory / "urls", ignore_errors=True)
