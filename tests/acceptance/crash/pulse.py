"""Measures how long the machine itself stalls: nothing can be made durable on a disk that does not answer.

A thread repeatedly sleeps for a moment and syncs a byte; the additional time is a stall.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BEAT = 0.2
USUAL = 0.1
"""Seconds that a sync may take on any machine."""
WINDOW = 3.0


class Pulse:
    def __init__(self, directory: Path) -> None:
        self._file = directory / "pulse"
        self._beats: deque[tuple[float, float]] = deque(maxlen=int(10 * WINDOW / BEAT))
        self._began = time.monotonic()
        self._over = threading.Event()

    def stall(self) -> float:
        """The longest stall of the last few seconds, including one that still lasts."""
        now = time.monotonic()
        recent = [late for at, late in tuple(self._beats) if now - at < WINDOW]
        return max([0.0, now - self._began - BEAT - USUAL, *recent])

    def run(self) -> None:
        file = os.open(self._file, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            while not self._over.is_set():
                self._began = time.monotonic()
                time.sleep(BEAT)
                os.pwrite(file, b".", 0)
                os.fsync(file)
                now = time.monotonic()
                self._beats.append((now, now - self._began - BEAT - USUAL))
        finally:
            os.close(file)

    def stop(self) -> None:
        self._over.set()


@contextmanager
def pulse(directory: Path) -> Iterator[Pulse]:
    beating = Pulse(directory)
    thread = threading.Thread(target=beating.run)
    thread.start()
    try:
        yield beating
    finally:
        beating.stop()
        thread.join()
