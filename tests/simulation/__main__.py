"""`python -m tests.simulation`: many seeds, one seed in detail, or a planted bug that must be found."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.simulation.faults import FAULTS
from tests.simulation.plants import MACHINE, PLANTS
from tests.simulation.seed import Result, run_cluster, run_machine, run_seed

SHOWN = 5


def main() -> int:
    arguments = _arguments()
    if arguments.plant:
        return _find_bug(arguments.plant, range(arguments.first, arguments.first + arguments.seeds), arguments.events)
    if arguments.fault:
        return _survive(arguments)
    if arguments.seed is not None:
        result = run_seed(arguments.seed, arguments.events)
        print(*result.story, sep="\n")
        return _sum_up([result], arguments)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    return _sum_up(_print_results(_run(seeds, arguments.events, arguments.jobs), len(seeds)), arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--seed", type=int, help="this one alone, with its story")
    parser.add_argument("--events", type=int, default=20_000, help="of each seed at least")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--plant", choices=sorted(PLANTS), help="a bug that must be found")
    parser.add_argument("--fault", choices=sorted(FAULTS), help="exceptions or cancels that the crawl must survive")
    return parser.parse_args()


def _run(seeds: Iterable[int], events: int, jobs: int) -> Iterator[Result]:
    if jobs <= 1:
        yield from (run_seed(seed, events) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(run_seed, events=events), seeds)


def _print_results(results: Iterable[Result], expected: int) -> Iterator[Result]:
    started = time.monotonic()
    for number, result in enumerate(results, start=1):
        if result.findings:
            print(f"seed {result.seed}:", *result.findings[:SHOWN], sep="\n  ", flush=True)
        if number % 10 == 0 or number == expected:
            print(f"{number} of {expected} seeds, {time.monotonic() - started:.0f} s", flush=True)
        yield result


def _sum_up(results: Iterable[Result], arguments: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    bad: list[Result] = []
    for result in results:
        counts += result.counts
        counts["seeds"] += 1
        bad += [result] if result.findings else []
    print(", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())))
    for result in bad:
        print(f"seed {result.seed}: {len(result.findings)} findings; again with: make simulate SEED={result.seed}")
        if arguments.seed is not None:
            print(*result.findings, sep="\n")
    print("everything held" if not bad else f"{len(bad)} seeds went wrong")
    return 1 if bad else 0


def _survive(arguments: argparse.Namespace) -> int:
    """Returns 0 if no judge found a violation although URLs failed."""
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    seeds = range(arguments.seed, arguments.seed + 1) if arguments.seed is not None else seeds
    return _sum_up(
        _print_results((_run_with_fault(arguments.fault, seed, arguments.events) for seed in seeds), len(seeds)),
        arguments,
    )


def _run_with_fault(name: str, seed: int, events: int) -> Result:
    with FAULTS[name](seed) as fault:
        result = run_machine(seed, events)
    result.counts["faults"] += fault.raised
    return result


def _find_bug(name: str, seeds: Iterable[int], events: int) -> int:
    """Returns 0 if the bug is found."""
    plant, world = PLANTS[name]
    for seed in seeds:
        with plant():
            result = run_machine(seed, events) if world == MACHINE else run_cluster(seed)
        if result.findings:
            print(f"{name}: found at seed {seed}: {result.findings[0]}")
            return 0
    print(f"{name}: not found")
    return 1


if __name__ == "__main__":
    sys.exit(main())
