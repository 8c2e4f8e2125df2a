"""Requests whose URL is not known yet.

Attempt records have only the key of a URL. The log has the URL when the request is over: `Finished` has the exact time
of the start, `Failed` follows right after the answer. Other requests (cut off by a kill, or redirected to another
spelling of the same URL) are looked up where they were discovered, in a second pass over the log that most audits do
not need.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from hondius.model import Discovered, RunStarted
from hondius.native import decode_discoveries
from hondius.ports import Log
from hondius.use.audit.facts import Ending
from hondius.use.audit.rules import Rules

MAX_IN_MEMORY = 200_000
"""Requests in memory; the oldest are moved to disk."""
BATCH = 500_000
"""Keys looked up in one pass over the log."""


@dataclass(slots=True)
class Request:
    at: float
    key: bytes
    host: int
    rested: float
    """Seconds since the last request to the host."""
    asked_robots: float
    """When robots.txt of this host was last answered in the same run, according to the attempt records."""
    rules: Rules


class PendingRequests:
    def __init__(self, database: apsw.Connection) -> None:
        self._database = database
        self._waiting: dict[bytes, list[Request]] = {}
        self._count = 0
        self._rules: list[Rules] = []
        database.execute(
            "CREATE TABLE pending (number INTEGER PRIMARY KEY, key BLOB, at REAL, host TEXT, rested REAL, "
            "asked_robots REAL, rules INTEGER)"
        )

    def add(self, request: Request) -> None:
        self._waiting.setdefault(request.key, []).append(request)
        self._count += 1
        if self._count > MAX_IN_MEMORY:
            self._spill(self._count // 2)

    def match_ending(self, ending: Ending) -> Request | None:
        """Removes and returns the request that ended; None if there is none."""
        waiting = self._waiting.get(ending.key)
        if waiting is None:
            return None
        for request in reversed(waiting):
            if request.at < ending.ended_at if ending.started_at is None else request.at == ending.started_at:
                waiting.remove(request)
                self._count -= 1
                if not waiting:
                    del self._waiting[ending.key]
                return request
        return None

    def match_rest(self, log: Log) -> Iterator[tuple[Request, str | None]]:
        """Every request without an end, with the URL that was discovered for its key before it was sent."""
        self._spill(self._count)
        number = 0
        while rows := list(
            self._database.execute("SELECT * FROM pending WHERE number > ? ORDER BY number LIMIT ?", (number, BATCH))
        ):
            number = rows[-1][0]
            requests = [
                Request(at, key, int(host), rested, asked, self._rules[rules])
                for _, key, at, host, rested, asked, rules in rows
            ]
            yield from _find_urls(log, requests)

    def _spill(self, count: int) -> None:
        oldest = sorted((r for requests in self._waiting.values() for r in requests), key=lambda r: r.at)[:count]
        for request in oldest:
            self._waiting[request.key].remove(request)
            if not self._waiting[request.key]:
                del self._waiting[request.key]
        self._count -= len(oldest)
        self._database.executemany(
            "INSERT INTO pending (key, at, host, rested, asked_robots, rules) VALUES (?, ?, ?, ?, ?, ?)",
            [(r.key, r.at, str(r.host), r.rested, r.asked_robots, self._number_rules(r.rules)) for r in oldest],
        )

    def _number_rules(self, rules: Rules) -> int:
        if rules not in self._rules:
            self._rules.append(rules)
        return self._rules.index(rules)


def _find_urls(log: Log, requests: list[Request]) -> Iterator[tuple[Request, str | None]]:
    """A recrawled URL may have been discovered more than once: the last href before the request counts. The start of a
    trial names its URL."""
    sought = {request.key for request in requests}
    names: dict[bytes, list[tuple[float, str]]] = {}
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Discovered):
                for found in decode_discoveries(event.data):
                    if found.key in sought:
                        names.setdefault(found.key, []).append((found.discovered_at, found.href))
            elif isinstance(event, RunStarted):
                for key, href in event.tried:
                    names.setdefault(key, []).append((event.at, href))
    for request in requests:
        known = [href for at, href in names.get(request.key, ()) if at <= request.at]
        yield request, known[-1] if known else None
