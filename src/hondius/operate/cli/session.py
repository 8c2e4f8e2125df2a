"""Runs a session for the command: shows its progress, and stops it by signals."""

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from hondius.crawler.assemble import OpenCrawl
from hondius.crawler.run import DRAIN_INTERRUPTED
from hondius.crawler.store_opening import Watch
from hondius.errors import DiskFull
from hondius.operate.cli.display.progress import Progress, show_while_running
from hondius.operate.cli.messages import say
from hondius.operate.cli.signals import INTERRUPTED, Signals
from hondius.quantities import format_count
from hondius.session.crawl_log import LogOptions
from hondius.session.preparation import Prepared
from hondius.session.session import Session
from hondius.session.summary import Summary


class Terminal:
    """Shows what a session does, on standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._progress = Progress(quiet=quiet)

    @property
    def watch(self) -> Watch:
        return self._progress.watch

    def say(self, text: str) -> None:
        say(text)

    def show(self, crawl: OpenCrawl) -> AbstractAsyncContextManager[None]:
        return show_while_running(self._progress, crawl)


async def run_session(prepared: Prepared, log: LogOptions, *, as_json: bool) -> Summary:
    signals = Signals()
    terminal = Terminal(quiet=as_json)
    settings = prepared.settings
    if settings.hooks.enabled or settings.search.index or settings.search.opensearch or settings.webhooks.urls:
        hooked = load_hooked_session()(prepared, terminal, log, may_abandon_opening=True)
        session, run = hooked.session, hooked.run
    else:
        session = Session(prepared, terminal, log, may_abandon_opening=True)
        run = session.run
    signals.listen(session.stop, lambda: _describe_under_way(session.under_way))
    try:
        summary: Summary = await run()
        return summary
    except DiskFull as full:
        full.exit_status = INTERRUPTED if signals.received else full.exit_status
        raise


def load_hooked_session() -> Any:
    """By name, like the hooks themselves: only a crawl with hooks, or that is searched, needs the Python
    interface."""
    return import_module("hondius.python.hooked_session").HookedSession


def _describe_under_way(count: int) -> str:
    """What the crawl still waits for if it is interrupted now."""
    if not count:
        return "saving what is done"
    have = "has" if count == 1 else "have"
    requests = f"{format_count(count, 'request')} in progress {have} {DRAIN_INTERRUPTED:g} s to finish"
    return f"{requests}; the rest stays queued"
