"""Ctrl-C, SIGTERM and SIGHUP to a crawl: after the first, requests under way have a moment to finish; the second stops
at once. The crawl can be resumed after either."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable

from hondius.operate.cli.plain import say

INTERRUPTED = 130


class Signals:
    def __init__(self) -> None:
        self.came = False
        self._stop: Callable[[str], None] = lambda reason: None
        self._under_way: Callable[[], str] = lambda: ""

    def listen(self, stop: Callable[[str], None], under_way: Callable[[], str]) -> None:
        """Calls `stop` when a signal comes, and at once if one has come before. `under_way` says what is waited for
        then. A crawl that runs under `nohup` outlives its terminal."""
        self._stop, self._under_way = stop, under_way
        if self.came:
            stop("interrupted")
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: int) -> None:
        """A terminal that goes away may say so twice: only a person is in a hurry."""
        if self.came:
            if number == signal.SIGHUP:
                return
            os._exit(INTERRUPTED)
        self.came = True
        self._stop("interrupted")
        if sys.stderr.isatty():
            print(file=sys.stderr)  # below the terminal's own ^C
        say(f"stopping: {self._under_way()} (Ctrl-C again to stop at once)")
