"""Who is told what a session does."""

import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from hondius.crawler.store_opening import Watch

if TYPE_CHECKING:
    from hondius.crawler.assemble import OpenCrawl

_log = logging.getLogger("hondius.session")


class Observer(Protocol):
    @property
    def watch(self) -> Watch:
        """Told while stores are opened."""
        ...

    def say(self, text: str) -> None:
        """Tells the user one message."""
        ...

    def show(self, crawl: "OpenCrawl") -> AbstractAsyncContextManager[None]:
        """Entered while the crawl runs."""
        ...


class LogObserver:
    """For programs: messages go to the logger `hondius.session`, and nothing is printed."""

    @property
    def watch(self) -> Watch:
        return Watch(None, lambda text: _log.warning("%s", text), _report_pause)

    def say(self, text: str) -> None:
        is_warning = text.startswith("warning: ")
        _log.log(logging.WARNING if is_warning else logging.INFO, "%s", text.removeprefix("warning: "))

    @asynccontextmanager
    async def show(self, crawl: "OpenCrawl") -> AsyncIterator[None]:
        yield


def _report_pause(reason: str) -> None:
    if reason:
        _log.warning("paused: %s and the crawl continues by itself", reason)
