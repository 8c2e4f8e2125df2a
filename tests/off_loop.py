"""A guard: while a crawl runs, no view may be read on the thread of its event loop.

Reads of `PartitionView` and `Catalog` wait for SQLite, and every request in progress would wait with them. Tests and
simulations of whole crawls run with this guard.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from hondius.crawler.run import Run
from hondius.stores.catalog.tables import Tables


class ReadOnTheLoop(BaseException):
    """A view was read on the thread of an event loop that runs a crawl. Not an Exception: the crawl would
    handle that as a bug of one URL."""


@contextmanager
def guard_loops() -> Iterator[None]:
    """Reads on such a thread raise ReadOnTheLoop, from the first to the last URL that a run hands out."""
    crawling: set[asyncio.AbstractEventLoop] = set()
    read, until_over = Tables._rows, Run.run_until_over

    def read_elsewhere(view: Tables, query: str, values: Any = ()) -> list[tuple[Any, ...]]:
        loop = asyncio._get_running_loop()
        if loop is not None and loop in crawling:
            raise ReadOnTheLoop(f"{view.name}: {query}")
        return read(view, query, values)

    async def until_over_guarded(run: Run) -> str:
        loop = asyncio.get_running_loop()
        crawling.add(loop)
        try:
            return await until_over(run)
        finally:
            crawling.discard(loop)

    with patch.object(Tables, "_rows", read_elsewhere), patch.object(Run, "run_until_over", until_over_guarded):
        yield
