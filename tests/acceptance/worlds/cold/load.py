"""`python -m tests.acceptance.worlds.cold.load DIRECTORY PAGES PORT`: crawls pages of cold links; its loop is watched.

Each page is one turn of a crawl: the frontier hands a URL out, the engine fetches and reads a page, its links are
admitted on the loop, and a frame with them is written on a thread. Prints its figures as one line of JSON.
"""

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path

from benchmarks.growth.__main__ import forget_pages
from benchmarks.growth.crawl import Crawl, finished, open_crawl

from hondius.crawler.fetch import Fetcher
from hondius.crawler.frontier import BackQueue
from hondius.crawler.translation import make_engine, make_identity, make_policy, make_reader
from hondius.model import Finished
from hondius.native import Discoveries
from hondius.settings import Settings, make_settings
from hondius.use.bench.loop_watch import LoopWatch
from tests.acceptance.worlds.cold.web import HOST

AT_ONCE = 64
COMMIT_EVERY = 0.2
ROUND = 5_000
"""Pages until the cache is emptied again: their links touch most blocks of the store. Nothing is under way then: what
was read ahead must not be taken away again before it is used."""
DEPTH = 3
DROP_CACHES = Path("/proc/sys/vm/drop_caches")


class Load:
    def __init__(self, crawl: Crawl, directory: Path, settings: Settings, port: int, pages: int) -> None:
        self._crawl = crawl
        self._policy = make_policy(settings)
        self._identity = make_identity(settings)
        self._address = f"127.0.0.1:{port}"
        self._directory = directory
        self._pages = pages
        self._numbers = iter(range(0))
        self._ended: list[tuple[BackQueue, Finished, Discoveries]] = []
        self._is_over = asyncio.Event()
        self.known = 0
        self.new = 0

    async def crawl(self, fetcher: Fetcher) -> None:
        writing = asyncio.create_task(self._write())
        for first in range(0, self._pages, ROUND):
            if first:
                await asyncio.to_thread(empty_cache, self._directory)
            self._numbers = iter(range(first, min(first + ROUND, self._pages)))
            await asyncio.gather(*(self._journeys(fetcher) for _ in range(AT_ONCE)))
        self._is_over.set()
        await writing
        await self._commit()

    async def _journeys(self, fetcher: Fetcher) -> None:
        for number in self._numbers:
            queue, url = self._crawl.hand_out()
            self._crawl.frontier.find_refusal(url)
            page = self._identity.parse(f"http://{HOST}/{number}")
            fetched = await fetcher.fetch(page.key, page.href, self._address)
            if fetched.page is None or fetched.content_hash is None:
                raise RuntimeError(f"{page.href}: {fetched.failure} {fetched.detail}")
            self._crawl.urls.same_content(fetched.content_hash, page.key)
            found = self._crawl.urls.admit_links(
                fetched,
                self._policy,
                depth=DEPTH,
                priority=0.5,
                discovered_at=self._crawl.now,
                max_depth=None,
            )
            self.known += found.known
            self.new += found.count
            self._leave(queue, finished(queue, url, self._crawl.now), found)

    def _leave(self, queue: BackQueue, end: Finished, found: Discoveries) -> None:
        self._ended.append((queue, end, found))

    async def _write(self) -> None:
        while not self._is_over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), COMMIT_EVERY)
            await self._commit()

    async def _commit(self) -> None:
        ended, self._ended = self._ended, []
        if not ended:
            return
        found, ends = [some for _, _, some in ended], [end for _, end, _ in ended]
        frame, woken = await asyncio.to_thread(self._crawl.write, found, ends)
        self._crawl.frontier.wake(woken)
        for queue, _, _ in ended:
            self._crawl.come_back(queue)
        await asyncio.to_thread(self._crawl.catalogue, frame)


async def crawled(crawl: Crawl, directory: Path, pages: int, port: int, watch: LoopWatch) -> Load:
    private = {"allow_private": ["127.0.0.1"]}
    settings = make_settings({"scope": {"scope": "any"}, "politeness": {"delay": 0.0}, "fetch": private})
    reader = make_reader(settings, make_identity(settings), crawl.urls)
    fetcher = Fetcher(lambda notify: make_engine(settings, reader, notify), settings.fetch.total_timeout)
    load = Load(crawl, directory, settings, port, pages)
    try:
        watch.restart()
        await load.crawl(fetcher)
    finally:
        await fetcher.close()
    return load


def empty_cache(directory: Path) -> None:
    """Of the store, which is open: to open it reads a part of it. Of everything, where that is permitted."""
    forget_pages(directory)
    with contextlib.suppress(OSError):
        os.sync()
        DROP_CACHES.write_text("1")


def bytes_read() -> int:
    """By this process, from the disk itself."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("read_bytes"))


def main() -> None:
    directory, pages, port = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    watch = LoopWatch()
    with open_crawl(directory) as crawl, watch.install():
        empty_cache(directory)
        before = bytes_read()
        load = asyncio.run(crawled(crawl, directory, pages, port, watch))
        figures = {
            "pages": pages,
            "known": load.known,
            "new": load.new,
            "bytes_read": bytes_read() - before,
            "longest_callback_seconds": watch.longest,
            "longest_callback": watch.longest_callback,
            "beats": watch.beats,
            "late_beats": watch.late_beats,
            "latest_beat_seconds": watch.latest,
        }
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
