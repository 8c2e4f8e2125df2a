"""Pages, URLs and robots.txt as browsers and standards read them: every figure with its bar, in one run.

`make accept ONLY=reading` installs what it needs; a figure that cannot be shown is missed.
"""

import sys
from collections.abc import Iterator

import pytest
from benchmarks.kernels import analyse

from tests.acceptance import browser_parity, link_parity, robots_worst_case
from tests.native.conformance import every_verdict

Figures = tuple[str, bool]


def all_figures() -> Iterator[Figures]:
    yield from conformance()
    yield robots_worst_case.figures()
    yield from link_parity.figures()
    yield from browser_parity.figures()
    yield analyse.figures()


def conformance() -> Iterator[Figures]:
    try:
        for verdict in every_verdict():
            counts = f"{verdict.suite} {verdict.passed:,}/{verdict.total:,}"
            named = f" + {len(verdict.deviations)} named (all but those)" if verdict.deviations else " (all)"
            yield counts + named, not verdict.wrong
            for row in verdict.wrong:
                print(f"  {row}")
    except pytest.skip.Exception as reason:
        yield str(reason), False


def main() -> int:
    figures = []
    for line, passed in all_figures():
        print(f"{'met   ' if passed else 'MISSED'} {line}", flush=True)
        figures.append((line, passed))
    print(" | ".join(line for line, _ in figures))
    return 0 if all(passed for _, passed in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
