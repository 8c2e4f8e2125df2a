"""Hooks: functions of the user that judge a page before its links are admitted.

They run at one place of the journey (`journey.py`), once for each page that was received. `PageHooks` calls them; how,
and on which threads, is decided outside of the crawler. `HookStep` gives them the page as it would end now, and counts
what failed. A failure is reported with its URL and ends nothing else; a HondiusError from `PageHooks` ends the run.
"""

import logging
from collections.abc import Callable
from typing import Protocol

from hondius.crawler.page import Judgement, Links, Reading, Recorder
from hondius.crawler.statistics import Statistics
from hondius.model import Finished, State
from hondius.native import Fetched, QueuedUrl

_log = logging.getLogger("hondius.hooks")


class PageHooks(Protocol):
    async def judge(self, end: Finished, fetched: Fetched, is_known: Callable[[bytes], bool]) -> Judgement:
        """`end`: the page as it would end now. `is_known`: whether the crawl knows a URL, by its key; may read from
        disk, so call it on a thread that may wait."""
        ...


class HookStep:
    """The step of the journey that calls the hooks."""

    def __init__(self, hooks: PageHooks, recorder: Recorder, links: Links, statistics: Statistics) -> None:
        self._hooks = hooks
        self._recorder = recorder
        self._links = links
        self._statistics = statistics

    async def judge(self, url: QueuedUrl, fetched: Fetched, reading: Reading) -> tuple[QueuedUrl, Judgement | None]:
        """Returns the URL with the shortest path that is known by now: this awaits. None if it is not a page."""
        if reading.kind != "page" or reading.page is None:
            return url, None
        end = self._recorder.record_fetched(url, fetched, State.COMPLETED, "", reading)
        judged = await self._hooks.judge(end, fetched, self._links.is_known)
        for failure in judged.failures:
            self._statistics.hook_failures += 1
            _log.warning("the hook %s failed for %s: %s\n%s", failure.hook, url.href, failure.reason, failure.traceback)
        return self._links.find_closest(url), judged
