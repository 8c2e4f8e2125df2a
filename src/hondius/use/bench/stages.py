"""CPU time of each step, measured at the calls to the stores and the engine."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from hondius.crawler.fetch import AnyEngine
from hondius.native import Engine
from hondius.ports import Stores
from hondius.use.bench.threads import COMMIT, ENGINE, LOOP, OTHER, STORE

URLS = {
    "admit_links": (LOOP, "links: scope, traps, known or new"),
    "admit": (LOOP, "links: scope, traps, known or new"),
    "same_content": (LOOP, "copies recognised"),
    "remember_content": (LOOP, "copies recognised"),
    "take": (LOOP, "URLs handed out by the store"),
    "worth": (LOOP, "URLs handed out by the store"),
    "origin": (LOOP, "URLs handed out by the store"),
    "apply": (COMMIT, "URL store: seen, queued, finished"),
}
LOG = {"append": (COMMIT, "log, with its sync")}
CATALOG = {"apply": (COMMIT, "catalog")}
ARCHIVE = {"append": (COMMIT, "WARC records")}
LINKS = {"append": (COMMIT, "links kept, with their sync")}
FETCH = {"submit": (LOOP, "requests given to the fetch threads"), "collect": (LOOP, "answers taken from them")}
ANALYSIS = {
    "decode": "body decompressed",
    "hash": "SHA-256 of the body",
    "analyse": "page read: links, text, SimHash",
}
REST = {
    LOOP: "journeys, politeness, records; asyncio",
    COMMIT: "frames put together",
    ENGINE: "sockets, TLS, HTTP",
    STORE: "URL store's background: merges, Bloom filter, reading ahead",
    OTHER: "everything else",
}
Step = tuple[str, str]


class Stopwatch:
    """CPU time by step, of the calling thread. Steps must not be nested."""

    def __init__(self) -> None:
        self.spent: dict[Step, float] = {}

    def restart(self, engine: Engine) -> None:
        """Discards the time spent before the measurement, while the crawl was opened."""
        self.spent.clear()
        engine.spent()

    def watch(self, inner: Any, steps: Mapping[str, Step]) -> Any:
        return _Watched(inner, {name: self._time_calls(step, getattr(inner, name)) for name, step in steps.items()})

    def _time_calls(self, step: Step, work: Callable[..., Any]) -> Callable[..., Any]:
        def call_timed(*arguments: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return work(*arguments, **named)
            finally:
                self.spent[step] = self.spent.get(step, 0.0) + time.thread_time() - began

        return call_timed


class _Watched:
    """Delegates to the inner object, with timed methods."""

    def __init__(self, inner: Any, call_timed: Mapping[str, Callable[..., Any]]) -> None:
        self._inner = inner
        self.__dict__.update(call_timed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def watch_stores(watch: Stopwatch, stores: Stores) -> Stores:
    view = watch.watch(stores.view, CATALOG)
    return replace(
        stores,
        log=watch.watch(stores.log, LOG),
        urls=watch.watch(stores.urls, URLS),
        view=view,
        catalog=view if stores.catalog is stores.view else watch.watch(stores.catalog, CATALOG),
        archive=watch.watch(stores.archive, ARCHIVE),
        links=watch.watch(stores.links, LINKS),
    )


def watch_engine(watch: Stopwatch, engine: AnyEngine) -> AnyEngine:
    return cast("AnyEngine", watch.watch(engine, FETCH))


def build_table(
    watch: Stopwatch, engine: Engine, threads: Mapping[str, float], total: float
) -> list[tuple[str, str, float]]:
    """(thread, step, seconds) of each measured step, and the remaining CPU time of each kind of thread."""
    steps = dict(watch.spent)
    steps |= {(ENGINE, ANALYSIS[name]): seconds for name, seconds in engine.spent()}
    rows = []
    for thread in (ENGINE, LOOP, COMMIT, STORE, OTHER):
        own = [(thread, step, seconds) for (group, step), seconds in steps.items() if group == thread]
        rows += sorted(own, key=lambda row: -row[2])
        rest = threads.get(thread, 0.0) - sum(seconds for _, _, seconds in own)
        if rest > 0:
            rows.append((thread, REST[thread], rest))
    if not threads:
        rows.append((OTHER, REST[OTHER], total - sum(seconds for _, _, seconds in rows)))
    return rows
