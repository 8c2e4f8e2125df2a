"""Every hot kernel: what an operation takes, beside what it took when the counts were committed."""

import argparse
import sys
import time
from collections.abc import Mapping

from benchmarks.kernels import callgrind
from benchmarks.kernels.baseline import FILE, LET_PASS, Baseline, Tools
from benchmarks.kernels.build import ROOT
from benchmarks.kernels.catalogue import KERNELS, Kernel, Programs, programs

PLANT = 15
REMEDY = f"""Make it cheaper; or, where it has to cost that, `make kernels RECORD=1` writes the counts of now into
{FILE.relative_to(ROOT)}: commit it, and say why."""


def main() -> int:
    arguments = parse_arguments()
    kernels = tuple(kernel for kernel in KERNELS if not arguments.only or kernel.name in arguments.only)
    if not callgrind.is_there():
        print("kernels: NOT COUNTED, there is no valgrind; on Debian, apt-get install valgrind")
        return 0 if arguments.guard else 1
    baseline = Baseline.read() if FILE.exists() else Baseline(Tools.here(), {})
    if arguments.guard:
        return guard_counts(kernels, baseline)
    with programs(kernels) as ready:
        if arguments.plant:
            return plant_slowdown(ready, kernels, arguments.plant)
        counts = show_counts(ready, kernels, baseline)
    for reason in baseline.other_tools(Tools.here()):
        print(f"The committed counts were made with other tools: {reason}")
    if arguments.record:
        Baseline(Tools.here(), counts).write()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description="What the hot kernels take.")
    names = [kernel.name for kernel in KERNELS]
    parser.add_argument("--only", action="append", choices=names, help="this kernel; may be repeated")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--guard", action="store_true", help="count only; fail where a kernel takes over 10 %% more")
    action.add_argument("--record", action="store_true", help="write the counts, to be committed")
    action.add_argument("--plant", type=int, metavar="PERCENT", help="do so much twice; fail where the guard is blind")
    arguments = parser.parse_args()
    if arguments.record and arguments.only:
        parser.error("counts are recorded together: what they were made with is said once for all")
    return arguments


def guard_counts(kernels: tuple[Kernel, ...], baseline: Baseline) -> int:
    if reasons := baseline.other_tools(Tools.here()):
        print(f"kernels: NOT JUDGED, the committed counts were made with other tools: {'; '.join(reasons)}")
        return 0
    began = time.monotonic()
    with programs(kernels) as ready:
        built = time.monotonic()
        counts = count_kernels(ready, kernels)
        blind = blind_spots(ready, kernels[:1], counts, PLANT)
    print(f"kernels: built in {built - began:.0f} s, counted in {time.monotonic() - built:.0f} s")
    print("\n".join(blind or [f"kernels: {PLANT} % more work is seen when it is planted"]))
    return judge_counts(baseline, counts) or len(blind)


def judge_counts(baseline: Baseline, counts: Mapping[str, float]) -> int:
    if exceeded := baseline.exceeded(counts):
        print("\n".join([*exceeded, REMEDY]))
        return 1
    changes = ", ".join(f"{kernel} {percent(baseline.change(kernel, count))}" for kernel, count in counts.items())
    print(f"kernels: none needs over {LET_PASS:.0%} more instructions than committed: {changes}")
    return 0


def plant_slowdown(ready: Programs, kernels: tuple[Kernel, ...], share: int) -> int:
    blind = blind_spots(ready, kernels, count_kernels(ready, kernels), share)
    print("\n".join([*blind, f"{len(kernels) - len(blind)} of {len(kernels)} plants of {share} % found"]))
    return 1 if blind else 0


def blind_spots(ready: Programs, kernels: tuple[Kernel, ...], counts: Mapping[str, float], share: int) -> list[str]:
    """A sentence for each kernel that may do `share` per cent of its work twice: the guard would never fail."""
    found = Baseline(Tools.here(), counts)
    more = count_kernels(ready, kernels, "--repeat", str(share))
    return [f"{name} does {share} % more and it is not seen" for name in more if not found.exceeded({name: more[name]})]


def count_kernels(ready: Programs, kernels: tuple[Kernel, ...], *options: str) -> dict[str, float]:
    return {kernel.name: callgrind.instructions(ready, kernel, *options) for kernel in kernels}


def show_counts(ready: Programs, kernels: tuple[Kernel, ...], baseline: Baseline) -> dict[str, float]:
    print(f"{'kernel':<15}{'µs':>10}{'instructions':>14}{'committed':>14}{'change':>9}  an operation is")
    counts = {}
    for kernel in kernels:
        took = callgrind.microseconds(ready, kernel)
        count = counts[kernel.name] = callgrind.instructions(ready, kernel)
        committed = baseline.instructions.get(kernel.name)
        known = "–" if committed is None else f"{committed:,.0f}"
        change = percent(baseline.change(kernel.name, count))
        print(f"{kernel.name:<15}{took:>10,.2f}{count:>14,.0f}{known:>14}{change:>9}  {kernel.operation}", flush=True)
    return counts


def percent(change: float | None) -> str:
    return "–" if change is None else f"{change:+.1%}"


if __name__ == "__main__":
    sys.exit(main())
