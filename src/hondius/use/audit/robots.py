"""The robots.txt of every origin at any time: copies from the log, stored on disk, with recent ones parsed."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import apsw
import msgspec

from hondius.model import RobotsCopy
from hondius.native import Robots

DAY = 86_400.0
GRACE = 60.0
"""Seconds between the verdict of a copy and the send: making a connection takes time."""
PARSED_BYTES = 64 * 2**20
ROBOTS_PATH = "/robots.txt"
TDMREP_PATH = "/.well-known/tdmrep.json"


@dataclass(frozen=True, slots=True)
class CopyInForce:
    """A copy, and the time when another replaced it."""

    copy: RobotsCopy
    agent: str
    replaced_at: float
    rules: Robots | None
    """None if everything is allowed, or if the rules are unknown."""

    @property
    def unreachable(self) -> bool:
        return self.copy.outcome == "unreachable" and self.copy.good_at is None

    @property
    def crawl_delay(self) -> float:
        return (self.rules.crawl_delay or 0.0) if self.rules is not None else 0.0

    def measure_overdue(self, at: float) -> float:
        """Seconds since it expired; negative while it is valid."""
        return at - min(self.copy.expires_at, self.copy.at + DAY) - GRACE

    def verdict(self, path: str) -> tuple[bool, int, str]:
        return (True, 0, "") if self.rules is None or path == ROBOTS_PATH else self.rules.allowed(path)


class RobotsHistory:
    """All copies, by origin and time. There may be millions: only those used last are in memory."""

    def __init__(self, database: apsw.Connection) -> None:
        self._database = database
        self._parsed: OrderedDict[str, CopyInForce] = OrderedDict()
        self._parsed_bytes = 0
        database.execute(
            "CREATE TABLE copies (origin TEXT, at REAL, outcome TEXT, status INTEGER, expires_at REAL, body BLOB, "
            "good_at REAL, tdmrep BLOB, PRIMARY KEY (origin, at)) WITHOUT ROWID"
        )

    def add(self, copy: RobotsCopy) -> None:
        """A copy that got a tdmrep.json is in the log twice, with the same time."""
        values = (
            copy.origin,
            copy.at,
            copy.outcome,
            copy.status,
            copy.expires_at,
            copy.body,
            copy.good_at,
            copy.tdmrep,
        )
        self._database.execute("INSERT OR REPLACE INTO copies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        self._forget(copy.origin)

    def find_in_force(self, origin: str, at: float, agent: str) -> CopyInForce | None:
        found = self._parsed.get(origin)
        if found is not None and found.copy.at <= at < found.replaced_at and found.agent == agent:
            self._parsed.move_to_end(origin)
            return found
        replaced_at = float("inf")
        for row in self._database.execute("SELECT * FROM copies WHERE origin = ? ORDER BY at DESC", (origin,)):
            copy = _make_copy(row)
            if copy.at <= at:
                body = self._find_body_in_force(copy)
                found = CopyInForce(copy, agent, replaced_at, Robots(body, agent) if body is not None else None)
                self._remember(origin, found)
                return found
            replaced_at = copy.at
        return None

    def list_copies(self, host_of_origin: str) -> list[RobotsCopy]:
        """All copies of the origins of one host, the oldest first."""
        rows = self._database.execute(
            "SELECT * FROM copies WHERE origin GLOB ? OR origin GLOB ? ORDER BY at",
            (f"*://{_escape_glob(host_of_origin)}", f"*://{_escape_glob(host_of_origin)}:*"),
        )
        return [_make_copy(row) for row in rows]

    def _find_body_in_force(self, copy: RobotsCopy) -> bytes | None:
        """None if there are no rules. A good copy stays in force however long robots.txt cannot be fetched (B2). If the
        crawl discarded it nevertheless, requests are still checked against that copy."""
        if copy.outcome != "none":
            return copy.body if copy.good_at is not None else None
        earlier = self._database.execute(
            "SELECT * FROM copies WHERE origin = ? AND at < ? ORDER BY at DESC", (copy.origin, copy.at)
        )
        for before in (copy, *(_make_copy(row) for row in earlier)):
            if before.good_at is not None:
                return before.body
            if before.outcome == "none" and _means_absent(before.status):
                return None
        return None

    def _remember(self, origin: str, found: CopyInForce) -> None:
        self._forget(origin)
        self._parsed[origin] = found
        self._parsed_bytes += _estimate_memory(found)
        while self._parsed_bytes > PARSED_BYTES and len(self._parsed) > 1:
            self._forget(next(iter(self._parsed)))

    def _forget(self, origin: str) -> None:
        found = self._parsed.pop(origin, None)
        if found is not None:
            self._parsed_bytes -= _estimate_memory(found)


def _make_copy(row: tuple[Any, ...]) -> RobotsCopy:
    return msgspec.structs.replace(RobotsCopy(*row[:-1]), tdmrep=row[-1])


def _means_absent(status: int | None) -> bool:
    return status is not None and 300 <= status < 500 and status != 429


def _estimate_memory(found: CopyInForce) -> int:
    """The approximate bytes in memory, with its rules."""
    return 4_000 + 5 * len(found.copy.body)


def _escape_glob(host: str) -> str:
    """Escapes characters that are special to GLOB, such as the brackets of IPv6."""
    return "".join(f"[{character}]" if character in "[*?" else character for character in host)
