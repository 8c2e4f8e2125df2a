"""A session with hooks: those of the program, and installed ones that a setting names."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from hondius.consumer_names import SINK
from hondius.crawler.extensions import Extensions
from hondius.opening import place_of
from hondius.python.delivery import PageFeed, PagesOfConsumer
from hondius.python.hook_calls import HookCalls
from hondius.python.hook_set import HookSet, Sink, name_hook
from hondius.python.installed_hooks import load_installed_hooks
from hondius.session.crawl_log import LogOptions
from hondius.session.observer import Observer
from hondius.session.preparation import Prepared
from hondius.session.session import Session
from hondius.session.summary import Summary
from hondius.use.search.while_crawling import SearchFollowers

SINK_BUFFER = 1_000
"""Pages that the crawl may be ahead of a sink."""
HOOK_STOPPED = "hook"
INTERRUPTED = "interrupted"
_log = logging.getLogger("hondius.hooks")


class HookedSession:
    """A sink is a named consumer, `sink.NAME`: it gets every page at least once, also after `kill -9`. A page at which
    it failed is not acknowledged: it is called for later pages, and in the next run for this page and all after it."""

    def __init__(
        self,
        prepared: Prepared,
        observer: Observer,
        log: LogOptions | None = None,
        *,
        hooks: HookSet | None = None,
        feeds: Sequence[PageFeed] = (),
        may_abandon_opening: bool = False,
    ) -> None:
        """`feeds`: where pages go besides the sinks. Raises BadSetting if an installed hook is unknown."""
        installed = load_installed_hooks(prepared.settings.hooks.enabled)
        self._hooks = installed if hooks is None else hooks.join(installed)
        self._directory = prepared.directory
        self._calls = HookCalls(self._hooks, prepared.settings)
        self._feeds = list(feeds)
        self._sinks = [(sink, PagesOfConsumer(SINK + name_hook(sink), SINK_BUFFER)) for sink in self._hooks.sink]
        self._sink_failures = 0
        self._is_leaving = False
        deliveries = (*self._feeds, *(feed for _, feed in self._sinks))
        own = () if hooks is None else hooks.list_names()
        extensions = Extensions(deliveries, self._calls if self._hooks.judges else None, own)
        self.session = Session(prepared, observer, log, extensions=extensions, may_abandon_opening=may_abandon_opening)
        for feed in deliveries:
            feed.on_taken = self.session.wake
        self._search = SearchFollowers(place_of(prepared.directory), prepared.settings.search, observer.say)

    async def run(self) -> Summary:
        """Returns when the crawl is over and every sink has had its pages. Not to be cancelled: `session.stop` ends
        it."""
        sinking = [asyncio.create_task(self._feed_sink(sink, feed)) for sink, feed in self._sinks]
        searching = asyncio.create_task(self._begin_search())
        try:
            summary = await self.session.run()
        except BaseException:
            await self._end_sinks(sinking)
            await self._end_search(searching, is_interrupted=True)
            raise
        else:
            await self._end_search(searching, is_interrupted=self.session.stop_reason == INTERRUPTED)
            for task in sinking:
                await task
            return replace(summary, hook_failures=summary.hook_failures + self._sink_failures)
        finally:
            self._calls.close()
            for feed in self._feeds:
                feed.end()

    @property
    def first_failure(self) -> str:
        """The first call of a hook that failed; empty if none did."""
        return self._calls.first_failure

    def discard_pages(self) -> None:
        """Sinks get the rest of their pages in the next run."""
        self._is_leaving = True
        self._search.stop()
        for _, feed in self._sinks:
            feed.discard()

    async def _feed_sink(self, sink: Sink, feed: PagesOfConsumer) -> None:
        try:
            await self.session.wait_until_open()
            while (page := await feed.take(self._directory)) is not None and not self._is_leaving:
                if (failure := await self._calls.call_sink(sink, page)) is not None:
                    self._sink_failures += 1
                    feed.stop_acknowledging()
                    _log.warning(
                        "the hook %s failed for %s: %s\n%s", failure.hook, page.url, failure.reason, failure.traceback
                    )
        except BaseException:
            feed.discard()
            self.session.stop(HOOK_STOPPED)
            raise
        finally:
            await feed.close()

    async def _begin_search(self) -> None:
        await self.session.wait_until_open()
        self._search.begin()

    async def _end_search(self, searching: "asyncio.Task[None]", *, is_interrupted: bool) -> None:
        """A signal that arrives while the index is completed stops that, too."""
        searching.cancel()
        finishing = asyncio.create_task(self._search.finish(is_interrupted=is_interrupted))
        while not finishing.done():
            await asyncio.wait({finishing}, timeout=0.1)
            if self._is_leaving or self.session.stop_reason == INTERRUPTED:
                self._search.stop()
        finishing.result()

    async def _end_sinks(self, sinking: Sequence["asyncio.Task[None]"]) -> None:
        for task in sinking:
            task.cancel()
        await asyncio.gather(*sinking, return_exceptions=True)
