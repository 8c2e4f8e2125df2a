"""Ready origins, waiting origins, and the few URLs that were taken ahead."""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

from hondius.crawler.frontier.rows import CLASSES, Rows
from hondius.native import QueuedUrl, UrlStore

FEW_ORIGINS = 10_000
"""Up to so many origins a few URLs are taken ahead for each; above, one at a time, to bound memory."""
AHEAD = 8


class BackQueue:
    """An origin in the frontier. `urls` were taken ahead; `again` wait for another try, by time."""

    __slots__ = ("again", "held", "host", "id", "origin", "row", "scheduled", "urls")

    def __init__(self, number: int, origin: str, host: str, row: int) -> None:
        self.id = number
        self.origin = origin
        self.host = host
        self.row = row
        self.urls: list[QueuedUrl] = []
        """The next one last."""
        self.again: list[tuple[float, int, QueuedUrl]] = []
        self.scheduled = False
        """It stands in a row or in the heap."""
        self.held = False
        """It was popped: whoever holds it gives it back."""


class Frontier:
    def __init__(self, store: UrlStore, max_depth: int | None, tries: Mapping[bytes, tuple[int, float]]) -> None:
        self._store = store
        self._max_depth = max_depth
        self._queues: dict[int, BackQueue] = {}
        self._rows = Rows()
        self._heap: list[tuple[float, int]] = []
        self._tries = dict(tries)
        self._counter = 0
        self.shelved: Counter[str] = Counter()
        """Origins that have something queued but whose host has had its share, by the limit."""

    def __len__(self) -> int:
        """Origins that have, or may have, something to do."""
        return len(self._queues)

    def wake(self, origins: Iterable[tuple[int, str, str, int]]) -> None:
        """(id, origin, host, best class) of origins that have something queued."""
        for number, origin, host, row in origins:
            queue = self._queues.get(number)
            if queue is None:
                queue = self._queues[number] = BackQueue(number, origin, host, min(row, CLASSES - 1))
                self._ready(queue)
            elif not queue.scheduled and not queue.held:
                self._ready(queue)

    def pop(self, now: float) -> BackQueue | None:
        """An origin whose time has come, taken out: give it back with `put_back` or `drop`."""
        while self._heap and self._heap[0][0] <= now:
            self._ready(self._queues[heapq.heappop(self._heap)[1]], already=True)
        number = self._rows.pop()
        if number is None:
            return None
        queue = self._queues[number]
        queue.scheduled = False
        queue.held = True
        return queue

    def put_back(self, queue: BackQueue, when: float) -> None:
        """Its host may next be contacted at `when`."""
        if queue.urls:
            queue.row = class_of(queue.urls[-1].priority)
        queue.held = False
        queue.scheduled = True
        heapq.heappush(self._heap, (when, queue.id))

    def take(self, queue: BackQueue, now: float) -> QueuedUrl | float | None:
        """The origin's next URL; or when its next one may be tried again; or None: there is nothing."""
        if queue.again and queue.again[0][0] <= now:
            return heapq.heappop(queue.again)[2]
        while True:
            if not queue.urls:
                ahead = AHEAD if len(self._queues) <= FEW_ORIGINS else 1
                queue.urls = self._store.take(queue.id, ahead, max_depth=self._max_depth)[::-1]
                if not queue.urls:
                    return queue.again[0][0] if queue.again else None
            url = queue.urls.pop()
            waits = self._tries.get(url.key) if self._tries else None
            if waits is None or waits[1] <= now:
                return url
            self._wait(queue, url, waits[1])

    def tries(self, key: bytes) -> int:
        """How often this URL has failed so far."""
        return self._tries[key][0] if key in self._tries else 0

    def again(self, queue: BackQueue, url: QueuedUrl, tries: int, when: float) -> None:
        """The URL is to be requested once more, not before `when`."""
        self._tries[url.key] = (tries, when)
        self._wait(queue, url, when)

    def again_as(self, queue: BackQueue, url: QueuedUrl, href: str, when: float) -> None:
        """The same URL is to be requested under another name: one hop further."""
        self._wait(queue, url.renamed(href), when)

    def finished(self, url: QueuedUrl) -> None:
        self._tries.pop(url.key, None)

    def drop(self, queue: BackQueue) -> None:
        """`take` had nothing for this origin; `wake` brings it back when there is."""
        del self._queues[queue.id]

    def worth(self, url: QueuedUrl) -> str | None:
        """Why it is not worth its request any more (F6); None: it is. What the operator asked for always is."""
        if url.is_seed or url.kind != "page" or url.via == "recrawl":
            return None
        return self._store.worth(url.href, url.key)

    def shelve(self, queue: BackQueue, limit: str) -> None:
        """Its host has had its share: the URLs stay in the store, for a run with a higher limit."""
        self._store.give_back([url.key for url in queue.urls] + [url.key for _, _, url in queue.again])
        queue.urls, queue.again = [], []
        self.shelved[limit] += 1

    def next_time(self) -> float | None:
        """When the next waiting origin's time comes; 0 where one is ready. None: nothing waits."""
        if len(self._rows):
            return 0.0
        return self._heap[0][0] if self._heap else None

    def ready(self) -> int:
        return len(self._rows)

    def waiting(self) -> int:
        return len(self._heap)

    def _wait(self, queue: BackQueue, url: QueuedUrl, when: float) -> None:
        self._counter += 1
        heapq.heappush(queue.again, (when, self._counter, url))

    def _ready(self, queue: BackQueue, already: bool = False) -> None:
        if already or not queue.scheduled:
            queue.scheduled = True
            self._rows.add(queue.row, queue.id)


def class_of(priority: float) -> int:
    """0 for the best, as the URL store counts them."""
    return CLASSES - 1 - min(CLASSES - 1, int(priority * CLASSES))
