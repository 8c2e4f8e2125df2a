"""The process that takes a crawl from one milestone to the next: `python -m benchmarks.growth.grow DIR FROM TO HOSTS`.

Prints progress on standard error and its figures as one line of JSON.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.growth.crawl import Crawl, finished, open_crawl
from benchmarks.growth.meter import Meter, Spent, peak_resident
from benchmarks.growth.web import LINKS_PER_PAGE, Web, key

FRAME_CHANGES = 1_000
PAGES_PER_ADDING_FRAME = FRAME_CHANGES // LINKS_PER_PAGE
PAGES_PER_FRAME = FRAME_CHANGES // (LINKS_PER_PAGE + 1)
WHOLE_PAGES = 12_000
"""Pages of the real shape, at the end of each stage."""
RECENT_LINKS, OLD_LINKS = 60, 8
RECENT = 300_000
"""A link to what was found among the last so many URLs is recent: the navigation of sites being crawled now."""
TESTED_LINKS = 204_000
MOST_TAKEN = 1_000_000
TAKEN_SHARE = 5
"""A fifth of the URLs, up to a million: with fewer, one merge of the tree more or less decides the figure."""
NEVER_ADDED, TESTED_KEYS = 1 << 40, 100_000


class Stage:
    def __init__(self, crawl: Crawl, web: Web) -> None:
        self._crawl = crawl
        self._web = web
        self._random = random.Random(1)

    def add(self, first: int, end: int) -> Spent:
        """Admit, append, apply; pages bring nothing but new links."""
        crawl, web, meter = self._crawl, self._web, Meter()
        step = PAGES_PER_ADDING_FRAME * LINKS_PER_PAGE
        for start in show_progress(range(first, end, step), "add"):
            with meter.uncharged():
                numbers = range(start, min(start + step, end), LINKS_PER_PAGE)
                pages = [(web.links(number, end), key(number)) for number in numbers]
            crawl.commit([crawl.admit(links, source) for links, source in pages], [], meter)
        return meter.stop()

    def whole_pages(self, first: int, end: int) -> Spent:
        """A URL handed out, a page of 80 links, twelve of them new, one frame for 77 of them."""
        crawl, meter = self._crawl, Meter()
        step = PAGES_PER_FRAME * LINKS_PER_PAGE
        for start in show_progress(range(first, end, step), "whole pages"):
            handed_out, found = [], []
            for number in range(start, min(start + step, end), LINKS_PER_PAGE):
                queue, url = crawl.hand_out()
                with meter.uncharged():
                    links = self._page(number, end)
                    ending = finished(queue, url, crawl.now)
                found.append(crawl.admit(links, url.key))
                handed_out.append((queue, ending))
            crawl.commit(found, [ending for _, ending in handed_out], meter)
            for queue, _ in handed_out:
                crawl.come_back(queue)
        return meter.stop()

    def known(self, end: int, recent: int) -> Spent:
        """Links to some of the `recent` newest URLs before `end`."""
        crawl, meter = self._crawl, Meter()
        for _ in show_progress(range(0, TESTED_LINKS, RECENT_LINKS + OLD_LINKS), "known links"):
            with meter.uncharged():
                links = self._known(RECENT_LINKS + OLD_LINKS, end - recent, end)
            if crawl.admit(links, b"\0" * 16).count:
                raise RuntimeError("a URL that was added is not known")
        return meter.stop()

    def take(self, count: int) -> Spent:
        """Pop, take, finish by a frame, put back."""
        crawl, meter = self._crawl, Meter()
        for _ in show_progress(range(0, count, FRAME_CHANGES), "take"):
            handed_out = [crawl.hand_out() for _ in range(FRAME_CHANGES)]
            with meter.uncharged():
                endings = [finished(queue, url, crawl.now) for queue, url in handed_out]
            crawl.commit([], endings, meter)
            for queue, _ in handed_out:
                crawl.come_back(queue)
        return meter.stop()

    def _page(self, number: int, end: int) -> list[tuple[str, bytes]]:
        recent = self._known(RECENT_LINKS, max(0, number - RECENT), number)
        return self._web.links(number, end) + recent + self._known(OLD_LINKS, 0, number)

    def _known(self, count: int, start: int, end: int) -> list[tuple[str, bytes]]:
        numbers = [self._random.randrange(start, end) for _ in range(count)]
        return [(self._web.href(number), key(number)) for number in numbers]


def show_progress(steps: range, what: str) -> Iterator[int]:
    """A line of progress every few seconds."""
    began = last = time.monotonic()
    for step in steps:
        if time.monotonic() - last > 5:
            last = time.monotonic()
            rate = (step - steps.start) / (last - began)
            print(f"  {what}: {step:,} of {steps.stop:,}, {rate:,.0f} a second", file=sys.stderr, flush=True)
        yield step


def figures(crawl: Crawl, web: Web, first: int, end: int) -> dict[str, float]:
    stage = Stage(crawl, web)
    pages = end - WHOLE_PAGES * LINKS_PER_PAGE
    added = stage.add(first, pages)
    whole = stage.whole_pages(pages, end)
    recent = stage.known(end, min(RECENT, end))
    old = stage.known(end, end)
    wanted = min(MOST_TAKEN, end // TAKEN_SHARE)
    taken = stage.take(wanted)
    counts = crawl.urls.counts()
    return {
        "urls": end,
        "origins": counts["origins"],
        "add": added.each(pages - first),
        "add_wall": added.wall / (pages - first) * 1e6,
        "known_recent": recent.each(TESTED_LINKS),
        "known_old": old.each(TESTED_LINKS),
        "take": taken.each(wanted),
        "page": whole.each(WHOLE_PAGES),
        "peak_resident": peak_resident(),
        "bloom_bits": counts["bloom_bits"],
        "bloom_rate": false_positive_rate(crawl),
        "store_bytes": counts["bytes_on_disk"],
    }


def false_positive_rate(crawl: Crawl) -> float:
    before = crawl.urls.counts()["bloom_false_positives"]
    for number in range(NEVER_ADDED, NEVER_ADDED + TESTED_KEYS):
        crawl.urls.state(key(number))
    return (crawl.urls.counts()["bloom_false_positives"] - before) / TESTED_KEYS


def main() -> None:
    directory, first, end, hosts = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    with open_crawl(directory) as crawl:
        print(json.dumps(figures(crawl, Web(hosts), first, end)))


if __name__ == "__main__":
    main()
