"""Runs the parts of an acceptance command in order, and prints each figure beside its bar."""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping

from tests.acceptance.figure import Figure

Parts = Mapping[str, Callable[[], Iterator[Figure]]]


def run_parts(name: str, parts: Parts) -> int:
    """The exit status: 1 when a figure is missed."""
    parser = argparse.ArgumentParser(prog=f"make accept ONLY={name}", description=__doc__)
    parser.add_argument("--part", choices=parts, action="append", help="this part alone; may be repeated")
    missed = []
    for part in parser.parse_args().part or parts:
        began = time.monotonic()
        print(f"== {part}", flush=True)
        for figure in parts[part]():
            print(figure, flush=True)
            if not figure.met:
                missed.append(figure)
        print(f"   {part} took {time.monotonic() - began:.0f} s", flush=True)
    print("everything is met" if not missed else f"{len(missed)} missed:", *missed, sep="\n", flush=True)
    return 1 if missed else 0
