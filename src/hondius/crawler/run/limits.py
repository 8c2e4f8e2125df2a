"""The limits of a run, and whether the commit keeps up with it."""

from collections.abc import Callable, Sized

from hondius.crawler.commit import Commit
from hondius.crawler.statistics import Statistics
from hondius.settings import LimitSettings

MAX_PAGES = "max_pages"


class RunLimits:
    def __init__(
        self,
        settings: LimitSettings,
        statistics: Statistics,
        commit: Commit,
        has_room: Callable[[int], bool] | None = None,
        *,
        fetches_requisites: bool = False,
    ) -> None:
        """`has_room`: whether the program that takes the pages has room for one more, besides those under way."""
        self._fetches_requisites = fetches_requisites
        self._settings = settings
        self._statistics = statistics
        self._commit = commit
        self._has_room = has_room

    def find_reached(self) -> str:
        """The limit that ends the run; empty if none."""
        settings, statistics = self._settings, self._statistics
        if self._has_all_pages() and not self._fetches_requisites:
            return MAX_PAGES
        if settings.max_bytes is not None and statistics.wire_bytes >= settings.max_bytes:
            return "max_bytes"
        return ""

    @property
    def takes_only_requisites(self) -> bool:
        """There are enough pages, but what they need is still fetched (D7). Origins without requisites are shelved, so
        that the run ends for the same reason."""
        return self._fetches_requisites and self._has_all_pages()

    @property
    def is_commit_idle(self) -> bool:
        return self._commit.is_idle

    def _has_all_pages(self) -> bool:
        most = self._settings.max_pages
        return most is not None and self._statistics.pages >= most

    def allows_preparation(self) -> bool:
        return self._commit.accepts()

    def allows_page(self, in_flight: Sized) -> bool:
        """`in_flight`: requests under way. Each of them may be a page."""
        if self._has_room is not None and not self._has_room(len(in_flight) + self._commit.waiting):
            return False
        most = self._settings.max_pages
        if self.takes_only_requisites:
            return self._commit.accepts()
        return (most is None or self._statistics.pages + len(in_flight) < most) and self._commit.accepts()
