"""Runs one round, then judges it."""

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from msgspec.structs import replace

from tests.acceptance import commands
from tests.acceptance.archives import complaints
from tests.acceptance.crash.after_kills import AskedAgain, asked_again, too_early
from tests.acceptance.crash.fillings import fill_and_kill
from tests.acceptance.crash.full_disk import SmallDisk, mountable, small_disk
from tests.acceptance.crash.kills import KilledCrawl, Unexpected, crawl_and_kill
from tests.acceptance.crash.plans import Plan
from tests.acceptance.crash.pulse import pulse
from tests.acceptance.crash.state import Round
from tests.acceptance.synthetic_web import SyntheticWeb, serving


@dataclass(frozen=True)
class Judgement:
    asked_again: AskedAgain
    shortest_pause: float | None
    faults: dict[str, list[str]]


@dataclass(frozen=True)
class Player:
    """Runs rounds. Another seed kills other webs at other moments."""

    build: str
    seed: int
    keep: Path
    """Where the directory of a failed crawl is saved."""

    def play(self, plan: Plan, number: int, kills: int) -> Round:
        unplayed = Round(build=self.build, seed=self.seed, plan=plan.name, number=number, kills={})
        if plan.disk_bytes and not mountable():
            return replace(unplayed, skipped="this system lets us mount no file system: that needs root")
        began = time.monotonic()
        random = Random(f"crash/{self.seed}/{plan.name}/{number}")
        with tempfile.TemporaryDirectory(prefix="hondius-crash-") as place:
            scratch = Path(place)
            with (
                _web(plan, scratch, 1_000 * self.seed + number) as web,
                _disk(plan, scratch, random) as disk,
                pulse(scratch) as beating,
            ):
                crawl = KilledCrawl(web, (disk.root if disk else scratch) / "crawl", plan, beating)
                found = _run_round(crawl, disk, kills, random)
                if found.faults:
                    self._keep(plan, number, crawl)
        return replace(
            unplayed,
            kills=dict(Counter(kill.moment for kill in crawl.kills)),
            asked_again=found.asked_again.count,
            oldest=found.asked_again.oldest,
            stall=max((kill.stall for kill in crawl.kills), default=0.0),
            shortest_pause=found.shortest_pause,
            seconds=time.monotonic() - began,
            notices=dict(crawl.notices),
            faults=found.faults,
        )

    def _keep(self, plan: Plan, number: int, crawl: KilledCrawl) -> None:
        into = self.keep / f"{plan.name.replace(' ', '-').replace(',', '')}-{self.seed}-{number}"
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        if crawl.directory.exists():
            shutil.copytree(crawl.directory, into / "crawl")
        shutil.copy(crawl.web.access_log, into)
        (into / "runs").write_text("".join(f"{run}\n" for run in [*crawl.runs, *crawl.other_kills]))


def _web(plan: Plan, scratch: Path, seed: int) -> AbstractContextManager[SyntheticWeb]:
    return serving(scratch, hosts=plan.hosts, pages_per_host=plan.pages_per_host, seed=seed, slowest=plan.slowest)


@contextmanager
def _disk(plan: Plan, scratch: Path, random: Random) -> Iterator[SmallDisk | None]:
    if not plan.disk_bytes:
        yield None
        return
    with small_disk(scratch, random.choice(mountable()), plan.disk_bytes) as disk:
        yield disk


def _run_round(crawl: KilledCrawl, disk: SmallDisk | None, kills: int, random: Random) -> Judgement:
    try:
        if disk is None:
            crawl_and_kill(crawl, kills, random)
        else:
            fill_and_kill(crawl, disk, kills, random)
        return judge_crawl(crawl.web, crawl)
    except (Unexpected, SystemExit) as failure:
        return Judgement(AskedAgain(), None, {"unexpected": str(failure).splitlines()})


def judge_crawl(web: SyntheticWeb, crawl: KilledCrawl) -> Judgement:
    exported = commands.export(crawl.directory)
    requests = web.requests()
    faults = web.judge(commands.rows(exported)).faults
    again = asked_again(web.manifest, requests, crawl.runs, ordered=crawl.orders.perhaps, reopened=crawl.reopened)
    faults["too_often"] = again.unexplained
    shortest = None
    if crawl.plan.delay is None:
        shortest, faults["too_early"] = too_early(requests, crawl.runs)
    faults["internal"] = [*faults.get("internal", ()), *_internal_failures(crawl.directory)]
    faults["unfinished"] = [] if crawl.stop_reason == "done" else [crawl.stop_reason]
    faults["orders"] = crawl.orders.not_carried_out(crawl.directory, requests)
    faults["archives"] = complaints(sorted((crawl.directory / "warc").glob("*.warc.gz")))
    faults["audit"] = _clean("audit", crawl.directory)
    faults["verify"] = _clean("verify", crawl.directory)
    faults["rebuild"] = _rebuilt(crawl.directory, exported)
    return Judgement(again, shortest, {name: lines for name, lines in faults.items() if lines})


def _internal_failures(directory: Path) -> list[str]:
    """Includes requests of killed runs, and requests that ended no URL."""
    lines = (
        line for file in sorted(directory.glob("crawl.log*")) for line in file.read_text(errors="replace").splitlines()
    )
    return [line for line in lines if "internal failure" in line]


def _clean(command: str, directory: Path) -> list[str]:
    ended = commands.run(command, directory)
    return [] if ended.status == 0 else [f"exit status {ended.status}", *(ended.output + ended.errors).splitlines()]


def _rebuilt(directory: Path, exported: bytes) -> list[str]:
    """Removes the views and rebuilds them from the log."""
    for file in directory.glob("crawl.db*"):
        file.unlink()
    shutil.rmtree(directory / "urls")
    ended = commands.run("rebuild", directory)
    if ended.status != 0:
        return [f"exit status {ended.status}", ended.errors]
    anew = commands.export(directory)
    if anew == exported:
        return _clean("verify", directory)
    before, after = set(exported.splitlines()), set(anew.splitlines())
    return [
        f"the export differs in {len(before ^ after)} lines",
        *(line.decode() for line in sorted(before ^ after)[:4]),
    ]
