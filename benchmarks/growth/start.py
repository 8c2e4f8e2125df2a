"""The process that opens a crawl as `hondius resume` does: `python -m benchmarks.growth.start DIR`.

Prints its figures the moment the frontier has handed out a URL, and then waits to be killed or for its input to end.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

from benchmarks.growth.crawl import crawl_settings
from benchmarks.growth.meter import peak_resident
from hondius.crawler.assemble import choose_no_seeds, lock_place, open_crawl
from hondius.native import QueuedUrl
from hondius.opening import place_of


async def start(directory: Path) -> None:
    place = place_of(directory)
    with await lock_place(place):
        async with open_crawl(place, crawl_settings(), choose_no_seeds) as crawl:
            queue = crawl.frontier.pop_queue(time.time())
            url = crawl.frontier.pop_url(queue, time.time()) if queue is not None else None
            if not isinstance(url, QueuedUrl):
                raise RuntimeError("nothing to hand out")
            figures = {"cpu": time.process_time(), "peak_resident": peak_resident(), "origins": len(crawl.frontier)}
            print(json.dumps(figures), flush=True)
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(start(Path(sys.argv[1])))
