"""Ctrl-C and SIGTERM to a crawl: the first drains, the second ends at once. It can be resumed after either."""

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

    def listen(self, stop: Callable[[str], None]) -> None:
        """`stop` is told, also of one that came before; that of a crawl that was opened anew takes the place of the one
        before."""
        self._stop = stop
        if self.came:
            stop("interrupted")
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on_signal)

    def _on_signal(self) -> None:
        if self.came:
            os._exit(INTERRUPTED)
        self.came = True
        self._stop("interrupted")
        if sys.stderr.isatty():
            print(file=sys.stderr)  # below the terminal's own ^C
        say("stopping; what is under way is finished first (again to stop at once)")
