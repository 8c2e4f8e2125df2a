"""What held before still holds on the rebuilt house; planted bugs are the part `plants` of `unshakable`."""

from collections.abc import Iterator

from tests.acceptance.figure import Figure
from tests.acceptance.unshakable import plants
from tests.acceptance.unshakable.suites import run

COMMANDS = (
    ("make", "test"),
    ("make", "crash", "N=300", "FRESH=1"),
    ("make", "simulate", "SEEDS=1000", "JOBS=2"),
    ("make", "accept", "ONLY=lossless"),
    ("make", "accept", "ONLY=reading"),
    ("make", "accept", "ONLY=audit"),
)


def figures() -> Iterator[Figure]:
    for command in COMMANDS:
        yield from run(command)
    yield from plants.figures()
