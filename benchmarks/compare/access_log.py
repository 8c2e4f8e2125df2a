"""What a crawler asked for, by the word of the server."""

from collections.abc import Iterable
from dataclasses import dataclass

ROBOTS = "/robots.txt"


@dataclass(frozen=True)
class Visit:
    """All that one crawler did. Times are seconds since the epoch."""

    pages: int
    """Different ones, of those there are to fetch, that were answered with 200."""
    requests: int
    robots: int
    connections: int
    first: float
    last: float

    @property
    def seconds(self) -> float:
        return self.last - self.first


def visit(lines: Iterable[str], expected: frozenset[str], since: float = 0.0) -> Visit:
    """Of a log in the format of `benchmarks.site.nginx`; `expected` are pages as host and path, joined.

    What was asked `since` a moment counts: before it is our own question whether the server answers. A line that is
    not whole is the last one of a server that still writes.
    """
    pages: set[str] = set()
    times: list[float] = []
    robots = connections = 0
    for time, host, status, nth, path in (fields for line in lines if len(fields := line.split()) == 5):
        if float(time) < since:
            continue
        times.append(float(time))
        robots += path == ROBOTS
        connections += nth == "1"
        if status == "200":
            pages.add(host + path)
    return Visit(
        pages=len(pages & expected),
        requests=len(times),
        robots=robots,
        connections=connections,
        first=min(times, default=0.0),
        last=max(times, default=0.0),
    )
