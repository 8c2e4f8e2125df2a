"""A crawl whose disk fills up repeatedly: it pauses, says so, and continues when there is space (S5)."""

import signal
import tempfile
import time
from dataclasses import dataclass
from random import Random
from subprocess import Popen
from typing import IO

from tests.acceptance import commands
from tests.acceptance.crash import moments
from tests.acceptance.crash.full_disk import SmallDisk
from tests.acceptance.crash.kills import KILLED, KilledCrawl, Unexpected, expect, put_down

NOTICED = 4.0
"""Seconds on a full disk within which a crawl must say so."""
ENOUGH = 2 * 2**20
"""Bytes: more than a commit needs."""
GOES_ON = 12.0
"""Seconds within which it must write again once there is space."""


@dataclass
class Filled:
    """One run, and since when its disk is full."""

    crawl: KilledCrawl
    disk: SmallDisk
    process: Popen[bytes]
    command: list[str]
    said: IO[bytes]
    full_since: float | None = None

    def fill(self, random: Random) -> None:
        """Sometimes leaves a little space, so that the crawl itself fills the disk."""
        self.full_since = self.full_since or time.time()
        self.disk.fill(random.choice((0, 0, 4_096, random.randrange(400_000))))

    def stay_full(self, seconds: float, most: int, random: Random) -> None:
        """Sometimes frees a little space, up to `most`, so that any write may be the first to fail."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            self.disk.fill(random.randrange(most) if most and random.random() < 0.7 else 0)
            if most and random.random() < 0.5:
                self._fill_behind_a_frame()
            moments.sleep(random.uniform(0.02, 0.3), self.process)

    def _fill_behind_a_frame(self) -> None:
        """Lets the log write its frame, and fills the disk before the views apply it."""
        self.disk.fill(ENOUGH)
        moments.wait_for_change(self.process, lambda: moments.size(self.crawl.directory / "log", but="attempts"), 1.5)
        self.disk.fill()

    def end(self, moment: str) -> bool:
        """Kills it. Returns True if it had ended by itself."""
        at = time.time()
        status = put_down(self.process)
        self.crawl.runs.append(self.crawl.kill(at, moment, self.full_since) if status == KILLED else None)
        expect(self.crawl, status, self.command, self.said, (0, KILLED))
        return status == 0

    def has_said(self, word: str) -> bool:
        return word in self._said()

    def stuck(self, complaint: str) -> Unexpected:
        """Ends it with a signal that makes Python print the stack of each thread."""
        self.process.send_signal(signal.SIGABRT)
        self.process.wait()
        self.crawl.runs.append(None)
        return Unexpected(f"{complaint}\n{self._said()}")

    def _said(self) -> str:
        self.said.seek(0)
        return self.said.read().decode()


def fill_and_kill(crawl: KilledCrawl, disk: SmallDisk, kills: int, random: Random) -> None:
    """Runs until it was killed so often, or has ended. At the end there is space."""
    try:
        full_since = None
        while len(crawl.kills) < kills and not crawl.ended:
            with tempfile.TemporaryFile() as said:
                command = crawl.next_command(random)
                process = commands.start(*command, output=said, errors=said)
                run = Filled(crawl, disk, process, command, said, full_since)
                full_since = _one_run(run, random)
    finally:
        disk.make_room()
    crawl.finish(random)


def _one_run(run: Filled, random: Random) -> float | None:
    """Returns since when the disk is full, for the next run."""
    if run.full_since is None:
        wait = random.choice((moments.at_any_time, moments.at_any_time, moments.just_opened))
        wait(run.process, run.crawl.directory, run.crawl.plan.longest, random)
        run.fill(random)
    held = random.choice((random.uniform(0.1, 2.0), NOTICED + 0.5))
    most = random.choice((0, 20_000, 100_000, 400_000))
    run.stay_full(held, most, random)
    if random.random() < 0.4:
        run.crawl.ended = run.end("full disk")
        if random.random() < 0.5:
            return run.full_since
        run.disk.make_room()
        return None
    if most == 0 and held > NOTICED and run.process.poll() is None and not run.has_said("paused"):
        raise run.stuck(f"it did not say within {held:.1f} s that the disk is full")
    run.disk.make_room()
    _wait_until_it_goes_on(run)
    moments.sleep(random.uniform(0, 1.5), run.process)
    run.crawl.ended = run.end("room again")
    return None


def _wait_until_it_goes_on(run: Filled) -> None:
    """Waits until something is written again, or the crawl ends: both count as continuing."""
    before, deadline = _written(run), time.monotonic() + GOES_ON
    while _written(run) == before and run.process.poll() is None:
        if time.monotonic() > deadline:
            raise run.stuck(f"there was room, but it did not go on within {GOES_ON:.0f} s")
        time.sleep(0.05)


def _written(run: Filled) -> int:
    directory = run.crawl.directory
    return moments.size(directory / "warc") + moments.size(directory / "log", but="attempts")
