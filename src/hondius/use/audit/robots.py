"""The robots.txt of every origin, as it was at any time: the copies of the log, on disk, the newest ones parsed."""

from collections import OrderedDict
from dataclasses import dataclass

import apsw

from hondius.model import RobotsCopy
from hondius.native import Robots

DAY = 86_400.0
GRACE = 60.0
"""A request that was begun with a copy may be sent a connection's time later."""
PARSED_BYTES = 64 * 2**20
ITSELF = "/robots.txt"


@dataclass(frozen=True, slots=True)
class InForce:
    """A copy, and until when it was the newest."""

    copy: RobotsCopy
    agent: str
    replaced_at: float
    rules: Robots | None
    """None: everything is allowed, or nothing is known."""

    @property
    def unreachable(self) -> bool:
        return self.copy.outcome == "unreachable" and self.copy.good_at is None

    @property
    def crawl_delay(self) -> float:
        return (self.rules.crawl_delay or 0.0) if self.rules is not None else 0.0

    def expired(self, at: float) -> float:
        """Seconds since it must not be used any more; negative while it may be."""
        return at - min(self.copy.expires_at, self.copy.at + DAY) - GRACE

    def verdict(self, path: str) -> tuple[bool, int, str]:
        return (True, 0, "") if self.rules is None or path == ITSELF else self.rules.allowed(path)


class Shelf:
    """All copies, by origin and time. Bodies come by the million: only the last ones asked for are in memory."""

    def __init__(self, database: apsw.Connection) -> None:
        self._database = database
        self._open: OrderedDict[str, InForce] = OrderedDict()
        self._open_bytes = 0
        database.execute(
            "CREATE TABLE copies (origin TEXT, at REAL, outcome TEXT, status INTEGER, expires_at REAL, body BLOB, "
            "good_at REAL, PRIMARY KEY (origin, at)) WITHOUT ROWID"
        )

    def keep(self, copy: RobotsCopy) -> None:
        values = (copy.origin, copy.at, copy.outcome, copy.status, copy.expires_at, copy.body, copy.good_at)
        self._database.execute("INSERT OR REPLACE INTO copies VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        self._close(copy.origin)

    def in_force(self, origin: str, at: float, agent: str) -> InForce | None:
        found = self._open.get(origin)
        if found is not None and found.copy.at <= at < found.replaced_at and found.agent == agent:
            self._open.move_to_end(origin)
            return found
        replaced_at = float("inf")
        for row in self._database.execute("SELECT * FROM copies WHERE origin = ? ORDER BY at DESC", (origin,)):
            copy = RobotsCopy(*row)
            if copy.at <= at:
                body = self._body_in_force(copy)
                found = InForce(copy, agent, replaced_at, Robots(body, agent) if body is not None else None)
                self._remember(origin, found)
                return found
            replaced_at = copy.at
        return None

    def history(self, host_of_origin: str) -> list[RobotsCopy]:
        """Every copy of the origins of one host, the oldest first."""
        rows = self._database.execute(
            "SELECT * FROM copies WHERE origin GLOB ? OR origin GLOB ? ORDER BY at",
            (f"*://{_literal(host_of_origin)}", f"*://{_literal(host_of_origin)}:*"),
        )
        return [RobotsCopy(*row) for row in rows]

    def _body_in_force(self, copy: RobotsCopy) -> bytes | None:
        """None: there are no rules. A good copy stays in force however long robots.txt cannot be had (B2); where the
        crawl gave it up nevertheless, the requests are held against that copy."""
        if copy.outcome != "none":
            return copy.body if copy.good_at is not None else None
        earlier = self._database.execute(
            "SELECT * FROM copies WHERE origin = ? AND at < ? ORDER BY at DESC", (copy.origin, copy.at)
        )
        for before in (copy, *(RobotsCopy(*row) for row in earlier)):
            if before.good_at is not None:
                return before.body
            if before.outcome == "none" and _says_there_is_none(before.status):
                return None
        return None

    def _remember(self, origin: str, found: InForce) -> None:
        self._close(origin)
        self._open[origin] = found
        self._open_bytes += _weight(found)
        while self._open_bytes > PARSED_BYTES and len(self._open) > 1:
            self._close(next(iter(self._open)))

    def _close(self, origin: str) -> None:
        found = self._open.pop(origin, None)
        if found is not None:
            self._open_bytes -= _weight(found)


def _says_there_is_none(status: int | None) -> bool:
    return status is not None and 300 <= status < 500 and status != 429


def _weight(found: InForce) -> int:
    """Roughly what it takes in memory, with its rules."""
    return 4_000 + 5 * len(found.copy.body)


def _literal(host: str) -> str:
    """Brackets of IPv6 mean something to GLOB."""
    return "".join(f"[{character}]" if character in "[*?" else character for character in host)
