"""What a crawl does to its stores, page by page, without fetching anything."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.growth.meter import Meter
from hondius.crawler.commit import ActivatedOrigins, apply_to_urls, catch_up
from hondius.crawler.frontier import BackQueue, Frontier, Retries
from hondius.crawler.politeness import parse_host
from hondius.crawler.translation import make_policy
from hondius.gc_tuning import collect_rarely
from hondius.model import AnyEvent, Discovered, Finished, Frame, State
from hondius.native import Discoveries, QueuedUrl, UrlStore, give_large_blocks_back
from hondius.settings import Settings, make_settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog

EPOCH = 1_750_000_000.0
PAGES_PER_SECOND = 1_000
DELAY = 10.0
"""Ten times an answer of a second (P1)."""
PAUSE = 0.2
PRIORITIES = (0.5, 0.65, 0.35)


def crawl_settings() -> Settings:
    """The defaults, but for the scope: nothing is tuned to the size."""
    return make_settings({"scope": {"scope": "any"}})


class Crawl:
    def __init__(self, disk: EmbeddedDisk, log: EmbeddedLog, urls: UrlStore, catalog: EmbeddedCatalog) -> None:
        settings = crawl_settings()
        self.disk = disk
        self.urls = urls
        self._log = log
        self._catalog = catalog
        self._policy = make_policy(settings)
        self._admissions = 0
        self.now = EPOCH
        self.frontier = Frontier(
            urls, settings.scope.max_depth, Retries({}), host_of=parse_host, settings=settings.frontier
        )
        self.frontier.wake(urls.origins(settings.scope.max_depth))

    def admit(self, links: Sequence[tuple[str, bytes]], source: bytes) -> Discoveries:
        self._admissions += 1
        return self.urls.admit(
            links,
            self._policy,
            depth=3,
            priority=PRIORITIES[self._admissions % 3],
            discovered_at=self.now,
            max_depth=None,
            via="link",
            source=source,
        )

    def commit(self, found: Sequence[Discoveries], finished: Sequence[Finished], meter: Meter) -> None:
        """The catalog is no part of the frontier: it is kept up, and not charged."""
        frame, woken = self.write(found, finished)
        self.frontier.wake(woken)
        with meter.uncharged():
            self.catalogue(frame)

    def write(self, found: Sequence[Discoveries], finished: Sequence[Finished]) -> tuple[Frame, ActivatedOrigins]:
        """May be done on another thread; `Frontier.wake` may not."""
        events: list[AnyEvent] = [Discovered(some.data, some.count) for some in found if some.count]
        frame = self._log.append([*events, *finished], self.now)
        return frame, apply_to_urls(self.urls, frame)

    def catalogue(self, frame: Frame) -> None:
        self._catalog.apply([frame])

    def hand_out(self) -> tuple[BackQueue, QueuedUrl]:
        """The next URL of an origin whose time has come; where all of them wait, that is when the first one's has."""
        while True:
            queue = self.frontier.pop_queue(self.now)
            if queue is None:
                self.now = max(self.now, self.frontier.find_next_time() or self.now) + PAUSE
                continue
            url = self.frontier.pop_url(queue, self.now)
            if isinstance(url, QueuedUrl):
                return queue, url
            self.frontier.drop(queue)

    def come_back(self, queue: BackQueue) -> None:
        self.now += 1 / PAGES_PER_SECOND
        self.frontier.put_back(queue, self.now + DELAY)


@contextmanager
def open_crawl(directory: Path) -> Iterator[Crawl]:
    give_large_blocks_back()
    settings = crawl_settings().stores
    disk = EmbeddedDisk(directory)
    log = EmbeddedLog(disk, segment_bytes=settings.log_bytes)
    urls = UrlStore(str(directory / "urls"), capacity=settings.expected_urls, memory=settings.store_memory)
    catalog = EmbeddedCatalog.open(directory / "crawl.db")
    catch_up(log, urls, (catalog,))
    collect_rarely()
    try:
        yield Crawl(disk, log, urls, catalog)
    finally:
        catalog.close()
        urls.close()
        log.close()
        disk.close()


def finished(queue: BackQueue, url: QueuedUrl, now: float) -> Finished:
    """How an ordinary page ends."""
    return Finished(
        key=url.key,
        url=url.href,
        key_form=url.href,
        host=queue.host,
        state=State.COMPLETED,
        cause="",
        depth=url.depth,
        source=url.source,
        discovered_at=url.discovered_at,
        priority=url.priority,
        started_at=now - 0.2,
        fetched_at=now,
        status=200,
        address="192.0.2.1:443",
        type="text/html",
        charset="utf-8",
        length=48_000,
        wire_length=9_000,
        title=f"What is to be found at {url.href[-24:]}",
        content_hash=url.key[::-1] * 2,
        http_date="Sun, 15 Jun 2025 12:00:00 GMT",
        links=80,
        new_links=12,
        warc_file="warc/00000.warc.gz",
        warc_offset=1_000,
        warc_length=9_500,
    )
