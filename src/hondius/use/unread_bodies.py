"""Counts pages whose archived body cannot be read, and says so in one line."""

import threading

from hondius.hints import quote_command


class UnreadBodies:
    """Pages are added by several threads."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""
        """The URL of the first one."""
        self._lock = threading.Lock()

    def add(self, url: str) -> None:
        with self._lock:
            self.count += 1
            self.first = self.first or url

    def describe(self, effect: str, crawl: str) -> str:
        return describe_unread(self.count, self.first, effect, crawl)


def describe_unread(count: int, first: str, effect: str, crawl: str) -> str:
    """`effect`: what it means for these pages. `crawl`: its directory."""
    bodies = "1 body" if count == 1 else f"{count:,} bodies"
    return (
        f"{bodies} could not be read, {first} first; {effect}: "
        f"run {quote_command('verify', crawl)} to see which files are damaged"
    )
