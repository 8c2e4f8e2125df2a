"""Requests that wait for their URL.

The records name a URL by its key. The log tells its name when the request is over: `Finished` has the very time of the
start, `Failed` comes right behind the answer. What remains (cut off by a kill, or redirected to another name of the
same URL) is looked up where it was discovered, in a second reading of the log that most audits do not need.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from hondius.model import Discovered
from hondius.native import decode_discoveries
from hondius.ports import Log
from hondius.use.audit.facts import Ending
from hondius.use.audit.rules import Rules

MOST_WAITING = 200_000
"""Requests in memory; what waits longest goes to disk."""
AT_ONCE = 500_000
"""Keys looked for in one reading of the log."""


@dataclass(slots=True)
class Request:
    at: float
    key: bytes
    host: int
    rested: float
    """How long the host had been left alone."""
    asked_robots: float
    """When, by the records, robots.txt of this host was answered before it in the same run."""
    rules: Rules


class Names:
    def __init__(self, database: apsw.Connection) -> None:
        self._database = database
        self._waiting: dict[bytes, list[Request]] = {}
        self._count = 0
        self._rules: list[Rules] = []
        database.execute(
            "CREATE TABLE unnamed (number INTEGER PRIMARY KEY, key BLOB, at REAL, host TEXT, rested REAL, "
            "asked_robots REAL, rules INTEGER)"
        )

    def expect(self, request: Request) -> None:
        self._waiting.setdefault(request.key, []).append(request)
        self._count += 1
        if self._count > MOST_WAITING:
            self._put_away(self._count // 2)

    def tell(self, ending: Ending) -> Request | None:
        """The request that ended so; None where no record of it waits."""
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

    def rest(self, log: Log) -> Iterator[tuple[Request, str | None]]:
        """Every request without an ending, with the URL that was discovered under its key before it was sent."""
        self._put_away(self._count)
        number = 0
        while rows := list(
            self._database.execute("SELECT * FROM unnamed WHERE number > ? ORDER BY number LIMIT ?", (number, AT_ONCE))
        ):
            number = rows[-1][0]
            requests = [
                Request(at, key, int(host), rested, asked, self._rules[rules])
                for _, key, at, host, rested, asked, rules in rows
            ]
            yield from _discovered(log, requests)

    def _put_away(self, count: int) -> None:
        oldest = sorted((r for requests in self._waiting.values() for r in requests), key=lambda r: r.at)[:count]
        for request in oldest:
            self._waiting[request.key].remove(request)
            if not self._waiting[request.key]:
                del self._waiting[request.key]
        self._count -= len(oldest)
        self._database.executemany(
            "INSERT INTO unnamed (key, at, host, rested, asked_robots, rules) VALUES (?, ?, ?, ?, ?, ?)",
            [(r.key, r.at, str(r.host), r.rested, r.asked_robots, self._number(r.rules)) for r in oldest],
        )

    def _number(self, rules: Rules) -> int:
        if rules not in self._rules:
            self._rules.append(rules)
        return self._rules.index(rules)


def _discovered(log: Log, requests: list[Request]) -> Iterator[tuple[Request, str | None]]:
    """A URL that was wanted again may have been discovered more than once: the last name before the request counts."""
    sought = {request.key for request in requests}
    names: dict[bytes, list[tuple[float, str]]] = {}
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Discovered):
                for found in decode_discoveries(event.data):
                    if found.key in sought:
                        names.setdefault(found.key, []).append((found.discovered_at, found.href))
    for request in requests:
        known = [href for at, href in names.get(request.key, ()) if at <= request.at]
        yield request, known[-1] if known else None
