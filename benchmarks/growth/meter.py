"""CPU of the whole process, less what the benchmark itself needs to invent its input."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spent:
    cpu: float
    wall: float

    def each(self, count: int) -> float:
        """Microseconds of CPU."""
        return self.cpu / count * 1e6


class Meter:
    """Background threads are charged at all times; this thread but for `uncharged` blocks."""

    def __init__(self) -> None:
        self._uncharged = 0.0
        self._cpu = time.process_time()
        self._wall = time.monotonic()

    @contextmanager
    def uncharged(self) -> Iterator[None]:
        began = time.thread_time()
        try:
            yield
        finally:
            self._uncharged += time.thread_time() - began

    def stop(self) -> Spent:
        """Waits until the background threads have paid what they put off, and charges that too."""
        wall = time.monotonic() - self._wall
        while True:
            before = time.process_time()
            time.sleep(0.5)
            if time.process_time() - before < 0.05:
                break
        return Spent(time.process_time() - self._cpu - self._uncharged, wall)


def peak_resident() -> int:
    """Bytes, the largest so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
