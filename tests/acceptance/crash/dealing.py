"""Runs rounds until there were enough kills, and reports the results."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import cycle
from pathlib import Path

from tests.acceptance.crash.plans import BRIM, HASTY, POLITE, RESERVE, Plan
from tests.acceptance.crash.rounds import Player
from tests.acceptance.crash.state import Round, State
from tests.acceptance.synthetic_web import show_faults

TURNS: tuple[tuple[Plan, int], ...] = ((HASTY, 1), (BRIM, 1), (POLITE, 6), (HASTY, 1), (RESERVE, 1), (POLITE, 6))
"""Rounds of one turn run in parallel. Polite ones mostly wait; hasty ones use the whole machine."""
FEWEST = 10
"""Turns without a kill after which it stops."""


def deal(state: State, player: Player, kills: int, turns: Sequence[tuple[Plan, int]] = TURNS) -> Iterator[Round]:
    """Yields rounds as they end, until all stored rounds have so many kills.

    Each round is a process, which an interrupt ends together with its web, its crawl and its file system.
    """
    idle = 0
    for plan, at_once in cycle(turns):
        left = kills - state.dealt
        if left <= 0 or idle >= FEWEST:
            return
        shares = [min(plan.kills, left - at) for at in range(0, left, plan.kills)][:at_once]
        first, before = state.next_number(plan.name), state.dealt
        with ProcessPoolExecutor(len(shares)) as pool:
            played = [pool.submit(player.play, plan, first + index, share) for index, share in enumerate(shares)]
            for future in as_completed(played):
                state.keep(future.result())
                yield future.result()
        idle = 0 if state.dealt > before else idle + 1


def show(played: Round) -> None:
    if played.skipped:
        print(f"  {played.plan}, round {played.number}: SKIPPED: {played.skipped}", flush=True)
        return
    pause = "" if played.shortest_pause is None else f", shortest pause {played.shortest_pause:.3f} s"
    again = f"{played.asked_again} asked again, answered {played.oldest:.2f} s before a kill at most"
    verdict = "FAILED" if played.faults else "whole"
    figures = f"{played.dealt} kills in {played.seconds:.0f} s, {again}{pause}"
    print(f"  {played.plan}, round {played.number}: {figures}: {verdict}")
    show_faults(played.faults)
    sys.stdout.flush()


def sum_of(rounds: list[Round]) -> Iterator[str]:
    moments = _sum_counts(played.kills for played in rounds)
    plans = Counter(played.plan for played in rounds if not played.skipped)
    skipped = sum(bool(played.skipped) for played in rounds)
    pauses = [played.shortest_pause for played in rounds if played.shortest_pause is not None]
    yield "kills by moment: " + _format_counts(moments)
    yield "rounds: " + _format_counts(plans)
    yield "what the crawls said: " + _format_counts(_sum_counts(played.notices for played in rounds))
    yield (
        f"asked again: {sum(played.asked_again for played in rounds)} requests, "
        f"answered {max((played.oldest for played in rounds), default=0.0):.2f} s before a kill at most; not counted: "
        f"the machine itself stood still for up to {max((played.stall for played in rounds), default=0.0):.2f} s"
    )
    yield "shortest pause: " + (f"{min(pauses):.3f} s" if pauses else "none was judged")
    full = sum(count for plan, count in plans.items() if plan in (RESERVE.name, BRIM.name))
    yield f"full disks: {full} rounds" + (f", {skipped} SKIPPED: nothing could be mounted" if skipped else "")
    failed = [played for played in rounds if played.faults]
    for played in failed:
        yield f"faults in {played.plan}, round {played.number}: {', '.join(played.faults)}"
    yield f"{moments.total()} kills in {len(rounds)} rounds: {len(failed)} rounds failed"


def run_kills(kills: int, scratch: Path) -> tuple[str, bool]:
    """Returns a line of figures, and whether the goal is met; stores no rounds."""
    state = State(scratch / "state", seed=1, fresh=True)
    for played in deal(state, Player(state.build, 1, scratch / "failed"), kills):
        show(played)
    *_, again, pause, _, line = sum_of(state.rounds)
    return f"{line}, {again}, {pause}", state.dealt >= kills and not any(played.faults for played in state.rounds)


def _sum_counts(counts: Iterable[dict[str, int]]) -> Counter[str]:
    return sum((Counter(some) for some in counts), Counter[str]())


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common()) or "nothing"
