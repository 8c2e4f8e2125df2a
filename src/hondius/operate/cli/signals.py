"""Handles Ctrl-C, SIGTERM and SIGHUP: the first signal gives requests in progress a moment to finish, the second stops
at once. The crawl can be resumed after either."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable

from hondius.operate.cli.messages import say

INTERRUPTED = 130


class Signals:
    def __init__(self) -> None:
        self.received = False
        self._stop: Callable[[str], None] = lambda reason: None
        self._under_way: Callable[[], str] = lambda: ""

    def listen(self, stop: Callable[[str], None], under_way: Callable[[], str]) -> None:
        """Calls `stop` when a signal arrives, or now if one already has. `under_way` describes what the crawl still
        waits for. SIGHUP stays ignored under `nohup`."""
        self._stop, self._under_way = stop, under_way
        if self.received:
            stop("interrupted")
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: int) -> None:
        """A closing terminal may send SIGHUP twice, so a second SIGHUP does not stop at once."""
        if self.received:
            if number == signal.SIGHUP:
                return
            os._exit(INTERRUPTED)
        self.received = True
        self._stop("interrupted")
        if sys.stderr.isatty():
            print(file=sys.stderr)  # start below the terminal's ^C
        say(f"stopping: {self._under_way()} (Ctrl-C again to stop at once)")
