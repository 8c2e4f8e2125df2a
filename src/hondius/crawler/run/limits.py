"""The limits of a run, and whether the commit keeps up with it."""

from collections.abc import Sized

from hondius.crawler.commit import Commit
from hondius.crawler.extensions import Delivery
from hondius.crawler.statistics import Statistics
from hondius.settings import LimitSettings


class RunLimits:
    def __init__(
        self, settings: LimitSettings, statistics: Statistics, commit: Commit, delivery: Delivery | None = None
    ) -> None:
        self._settings = settings
        self._statistics = statistics
        self._commit = commit
        self._delivery = delivery

    def find_reached(self) -> str:
        """The limit that ends the run; empty if none."""
        settings, statistics = self._settings, self._statistics
        if settings.max_pages is not None and statistics.pages >= settings.max_pages:
            return "max_pages"
        if settings.max_bytes is not None and statistics.wire_bytes >= settings.max_bytes:
            return "max_bytes"
        return ""

    def allows_preparation(self) -> bool:
        return self._commit.accepts()

    def allows_page(self, in_flight: Sized) -> bool:
        """`in_flight`: requests under way. Each of them may be a page."""
        if self._delivery is not None and not self._delivery.has_room(len(in_flight) + self._commit.waiting):
            return False
        most = self._settings.max_pages
        return (most is None or self._statistics.pages + len(in_flight) < most) and self._commit.accepts()
