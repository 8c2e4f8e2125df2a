"""What the hooks of the user say about one page."""

from collections.abc import Mapping

import msgspec

from hondius.model import Extracted

LONGEST_FAILURES = 8_000


class HookFailure(msgspec.Struct, frozen=True):
    hook: str
    reason: str
    """One line."""
    traceback: str = ""
    error: BaseException | None = None
    """What the hook raised; None if it took too long."""


class Judgement(msgspec.Struct, frozen=True):
    refused: frozenset[bytes] = frozenset()
    """Keys of links that are not followed."""
    priorities: Mapping[bytes, float] = {}
    """Priorities of links, by key; others have the usual one."""
    score: float | None = None
    """How interesting the page is, from 0 to 1."""
    extracted: str = ""
    """A JSON object, or empty."""
    failures: tuple[HookFailure, ...] = ()
    change_interval: float | None = None
    """Seconds until the page is expected to change (R5)."""

    @property
    def affects_single_links(self) -> bool:
        return bool(self.refused or self.priorities)

    def make_events(self, key: bytes) -> list[Extracted]:
        """The event that goes into the frame of the page, if there is something to record."""
        if not self.extracted and not self.failures:
            return []
        told = "\n".join(f"{failure.hook}: {failure.reason}" for failure in self.failures)
        return [Extracted(key, self.extracted, told[:LONGEST_FAILURES])]
