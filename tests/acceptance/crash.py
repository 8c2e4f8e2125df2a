"""kill -9 at random moments, again and again (F5, S4, S10).

Half of the kills hit crawls without delay, which are always in the middle of something; half hit crawls at the default
delay, where what is judged is also that no host is contacted early after a restart. A round is a fresh web and a fresh
crawl, killed a few times and left to finish. Then the web's manifest is met, `verify` is clean, and the views that
`rebuild` makes export the same bytes as those that were thrown away.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from tests.acceptance import commands
from tests.acceptance.after_kills import AskedAgain, asked_again, too_early
from tests.acceptance.kills import KilledCrawl, crawl_and_kill
from tests.acceptance.synthetic_web import SyntheticWeb, serving, show_faults

ROUND = 5
"""Kills a round, at most."""
POLITE_ROUNDS_AT_ONCE = 5
"""They mostly wait."""
MOST_ROUNDS = 100


@dataclass(frozen=True)
class Plan:
    """One kind of round: the web is large enough to outlive its kills, and small enough to end soon after them."""

    name: str
    delay: float | None
    hosts: int
    pages_per_host: int
    slowest: float
    longest: float
    """Seconds that a process may live before it is killed."""


HASTY = Plan("no delay", 0.0, hosts=100, pages_per_host=20, slowest=1.0, longest=2.0)
POLITE = Plan("1 s delay", None, hosts=12, pages_per_host=3, slowest=0.2, longest=6.0)


@dataclass(frozen=True)
class Round:
    plan: Plan
    number: int
    kills: int
    asked_again: AskedAgain
    shortest_pause: float | None
    faults: dict[str, list[str]]

    def show(self) -> None:
        pause = "" if self.shortest_pause is None else f", shortest pause {self.shortest_pause:.3f} s"
        verdict = "FAILED" if self.faults else "whole"
        lost = f"{self.asked_again.count} asked again, answered {self.asked_again.oldest:.2f} s before a kill at most"
        figures = f"{self.kills} kills, {lost}{pause}"
        print(f"  {self.plan.name}, round {self.number}: {figures}: {verdict}")
        show_faults(self.faults)
        sys.stdout.flush()


def play(plan: Plan, seed: int, number: int, kills: int) -> Round:
    with tempfile.TemporaryDirectory(prefix="hondius-crash-") as name:
        scratch, random = Path(name), Random(f"crash/{seed}/{plan.name}/{number}")
        size = {"hosts": plan.hosts, "pages_per_host": plan.pages_per_host}
        with serving(scratch, **size, seed=1_000 * seed + number, slowest=plan.slowest) as web:
            crawl = crawl_and_kill(
                web, scratch / "crawl", delay=plan.delay, kills=kills, longest=plan.longest, random=random
            )
            return judged(web, crawl, plan, number)


def judged(web: SyntheticWeb, crawl: KilledCrawl, plan: Plan, number: int) -> Round:
    exported = commands.export(crawl.directory)
    requests = web.requests()
    faults = web.judge(commands.rows(exported)).faults
    again = asked_again(web.manifest, requests, crawl.kills)
    faults["too_often"] = again.unexplained
    shortest = None
    if plan.delay is None:
        shortest, faults["too_early"] = too_early(requests, crawl.kills)
    faults["unfinished"] = [] if crawl.stop_reason == "done" else [crawl.stop_reason]
    faults["verify"] = verified(crawl.directory)
    faults["rebuild"] = rebuilt(crawl.directory, exported)
    found = {name: lines for name, lines in faults.items() if lines}
    return Round(plan, number, len(crawl.kills), again, shortest, found)


def verified(directory: Path) -> list[str]:
    ended = commands.run("verify", directory)
    return [] if ended.status == 0 else [f"exit status {ended.status}", *(ended.output + ended.errors).splitlines()]


def rebuilt(directory: Path, exported: bytes) -> list[str]:
    """The views are thrown away and made anew from the log."""
    for file in directory.glob("crawl.db*"):
        file.unlink()
    shutil.rmtree(directory / "urls")
    ended = commands.run("rebuild", directory)
    if ended.status != 0:
        return [f"exit status {ended.status}", ended.errors]
    anew = commands.export(directory)
    if anew == exported:
        return verified(directory)
    before, after = set(exported.splitlines()), set(anew.splitlines())
    return [
        f"the export differs in {len(before ^ after)} lines",
        *(line.decode() for line in sorted(before ^ after)[:4]),
    ]


def hasty_rounds(kills: int, seed: int) -> Iterator[Round]:
    dealt, number = 0, 0
    while dealt < kills and number < MOST_ROUNDS:
        number += 1
        played = play(HASTY, seed, number, min(ROUND, kills - dealt))
        dealt += played.kills
        yield played


def polite_rounds(kills: int, seed: int) -> Iterator[Round]:
    """Several at once; what a round that ended early left over is dealt in the next few."""
    dealt, number = 0, 0
    while dealt < kills and number < MOST_ROUNDS:
        shares = [min(ROUND, kills - dealt - at) for at in range(0, kills - dealt, ROUND)][:POLITE_ROUNDS_AT_ONCE]
        with ThreadPoolExecutor(len(shares)) as pool:
            numbers = range(number + 1, number + 1 + len(shares))
            for played in pool.map(partial(play, POLITE, seed), numbers, shares):
                dealt += played.kills
                yield played
        number += len(shares)


def crashed(kills: int, seed: int = 1) -> tuple[str, bool]:
    """A line of figures, and whether the bar is met. Another seed kills other webs at other moments."""
    rounds: list[Round] = []
    for rest in (hasty_rounds(kills - kills // 2, seed), polite_rounds(kills // 2, seed)):
        for played in rest:
            played.show()
            rounds.append(played)
    failed = sum(bool(played.faults) for played in rounds)
    pauses = [played.shortest_pause for played in rounds if played.shortest_pause is not None]
    line = (
        f"{sum(played.kills for played in rounds)} kills in {len(rounds)} rounds: {failed} rounds failed, "
        f"{sum(played.asked_again.count for played in rounds)} requests asked again, "
        f"answered {max((played.asked_again.oldest for played in rounds), default=0):.2f} s before a kill at most, "
        f"shortest pause {min(pauses, default=0):.3f} s"
    )
    return line, not failed and sum(played.kills for played in rounds) >= kills


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    line, passed = crashed(options.kills, options.seed)
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
