"""Runs the parts in order, prints each figure beside its bar, and exits 1 when one is missed."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from tests.acceptance.figure import Figure
from tests.acceptance.unshakable import defects, plants, speed, suites
from tests.acceptance.unshakable.hostile import crawls

PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "defects": defects.figures,
    "plants": plants.figures,
    "hostile": crawls.figures,
    "speed": speed.figures,
    "suites": suites.figures,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make accept ONLY=unshakable", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="this part alone; may be repeated")
    missed = []
    for name in parser.parse_args().part or PARTS:
        began = time.monotonic()
        print(f"== {name}", flush=True)
        for figure in PARTS[name]():
            print(figure, flush=True)
            if not figure.met:
                missed.append(figure)
        print(f"   {name} took {time.monotonic() - began:.0f} s", flush=True)
    print("everything is met" if not missed else f"{len(missed)} missed:", *missed, sep="\n", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
