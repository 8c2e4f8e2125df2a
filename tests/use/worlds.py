"""Worlds for the same tests: a crawl directory, and crawls in memory that this process knows by a name, with a log of
one partition or of two."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from hondius.operate.cli import main
from hondius.stores.factory import MemoryPlace, register
from tests.journeys.scripted_site import Script, ScriptedSite, scripted_site

DIRECTORY, MEMORY, PARTITIONS = "directory", "memory", "memory, two partitions"
WORLDS = (DIRECTORY, MEMORY, PARTITIONS)


@contextmanager
def new_place(world: str, root: Path) -> Iterator[Path]:
    """The name of a place where nothing lies yet, as commands take it."""
    if world == DIRECTORY:
        yield root / "crawl"
        return
    with register(MemoryPlace(f"memory:{root.name}", root, partitions=2 if world == PARTITIONS else 1)) as name:
        yield name


@contextmanager
def served(script: Script) -> Iterator[ScriptedSite]:
    """On a thread of its own, so that a command can run in this one."""
    ready: Future[tuple[ScriptedSite, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        over = asyncio.Event()
        async with scripted_site(script) as site:
            ready.set_result((site, asyncio.get_running_loop(), over))
            await over.wait()
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # connections that are cut off now

    with ThreadPoolExecutor(max_workers=1) as thread:
        served = thread.submit(asyncio.run, serve())
        site, loop, over = ready.result(20)
        try:
            yield site
        finally:
            loop.call_soon_threadsafe(over.set)
            served.result(20)


def crawl_in_process(name: Path, script: Script, *options: str, seed: str = "http://a.test/") -> None:
    """`hondius crawl`, called as a function."""
    with served(script) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        words = ["crawl", seed, "--into", str(name), "--delay", "0", "--resolve", resolve, "--json", *options]
        assert main.run(words) == 0
