"""Ready origins, waiting origins, sleeping origins, and the few URLs that were taken ahead."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice

from hondius.crawler.frontier.back_queue import READY, BackQueue
from hondius.crawler.frontier.feed import Feed
from hondius.crawler.frontier.resting import Resting, Shelved
from hondius.crawler.frontier.retries import Retries, Retry, Written
from hondius.crawler.frontier.rows import CLASSES, Numbers, Rows
from hondius.native import QueuedUrl
from hondius.ports import UrlStore
from hondius.settings import FrontierSettings

AHEAD = 8
"""URLs that are taken at once for an origin: a look into the store costs more than what it brings."""
MOST_LOOKED_AT = 256
"""URLs of an origin that are taken ahead to find one that tells whether its host is well."""
MOST_AHEAD = 100_000
"""URLs of all origins that may be taken ahead, to bound memory: with many awake, fewer for each."""
FEW_RESTING = 100
"""So many resting origins are looked for in the store before a crawl waits for one of them."""
MOST_WANTED = 100_000
"""Keys of URLs that somebody wants at once; those above come in the order of their class."""
AT_ONCE = 0.0
"""A time that has come."""
LONG_WAIT = 60.0
"""An origin that waits longer than this goes to rest: it keeps a number and a time in memory, nothing else."""


class Unread(Exception):
    """The view must be read before a URL of this origin can be taken: `list_unread` says for which, `learn_tries`
    tells."""


class Frontier:
    """`host_of`: the host of an origin. `retries`: how often URLs have failed, and when they may be tried again."""

    def __init__(
        self,
        store: UrlStore,
        max_depth: int | None,
        retries: Retries,
        *,
        host_of: Callable[[str], str],
        settings: FrontierSettings,
    ) -> None:
        self._store = store
        self._max_depth = max_depth
        self._host_of = host_of
        self._feed = Feed(settings)
        self._awake: dict[int, BackQueue] = {}
        self._ready: Rows[BackQueue] = Rows()
        self._asleep: Rows[int] = Rows(Numbers)
        self._resting = Resting()
        self._heap: list[tuple[float, int]] = []
        """Times of awake origins; an entry that is not what they say themselves is stale."""
        self._shelved = Shelved()
        self._retries = retries
        self._failed: dict[bytes, Retry] = {}
        """The same of URLs that were taken out of the store and have failed, until they end or go back."""
        self._unread: set[int] = set()
        """Origins of whose URLs, taken ahead, nobody knows whether they have failed: the view must be read."""
        self._renamed: set[bytes] = set()
        """Keys of URLs that are requested by a name that the store does not know, until they end."""
        self._wanted: dict[int, deque[bytes]] = {}
        """By origin: keys of URLs that come before all others there. Only this run knows of them."""
        self._wanted_count = 0
        self._counter = 0
        self._now = 0.0

    def __len__(self) -> int:
        """Origins that have, or may have, something to do."""
        return len(self._awake) + len(self._asleep) + len(self._resting)

    @property
    def shelved(self) -> Counter[str]:
        """Origins that have something queued but whose host has had its share, by the limit."""
        return Counter(self._shelved.counts())

    def wake(self, origins: Iterable[tuple[int, int]]) -> None:
        """(number, best class) of origins that have something queued."""
        for number, row in origins:
            queue = self._awake.get(number)
            if queue is None:
                self._asleep.add(min(row, CLASSES - 1), number)
            else:
                queue.is_last = False
        self._wake_sleeping()

    def want(self, origin: str, key: bytes) -> None:
        """Somebody wants this URL at once (R4): it is the next one of its origin. The frame that queues it is applied;
        if nothing queues it, nothing happens."""
        number = self._store.number(origin)
        if number is not None and self._wanted_count < MOST_WANTED:
            self._wanted.setdefault(number, deque()).append(key)
            self._wanted_count += 1
            if (queue := self._awake.get(number)) is not None:
                queue.is_last = False

    def pop_queue(self, now: float, in_line: int = 0) -> BackQueue | None:
        """An origin whose time has come, taken out: give it back with `put_back` or `drop`. `in_line`: so many were
        popped and wait for their preparation; to wake more would not fill a slot."""
        self._now = now
        heap = self._heap
        while heap and heap[0][0] <= now:
            self._serve_due(*heappop(heap))
        if self._resting:
            for row, number in self._resting.wake_due(now):
                self._asleep.add(row, number)
        if now >= self._feed.due:
            self._feed.tune(len(self._ready) + in_line, now)
        if self._asleep and len(self._awake) < self._feed.limit:
            self._wake_sleeping()
        queue = self._ready.pop()
        if queue is not None:
            queue.due = None
        return queue

    def put_back(self, queue: BackQueue, when: float) -> None:
        """Its host may next be contacted at `when`."""
        if queue.urls:
            queue.row = compute_class(queue.urls[-1].priority)
        if when > self._now + LONG_WAIT and queue.is_last and not queue.urls and not queue.retries:
            return self.drop(queue)
        if when > self._now + LONG_WAIT and self._try_to_rest(queue):
            return self._resting.add(queue.id, when, queue.row)
        heappush(self._heap, (when, queue.id))
        queue.due = when
        return None

    def drop_finished(self) -> None:
        """Nothing is under way that could bring them more: origins that have nothing left need not wait for their
        host's pause to pass."""
        waiting = [queue for queue in self._awake.values() if queue.is_waiting]
        for queue in waiting:
            if self._is_finished(queue):
                self.drop(queue)
        if len(self._resting) <= FEW_RESTING:
            for number in [number for _, number in self._resting if not self._has_queued(number)]:
                self._resting.wake(number)

    def reschedule_host(self, host: str, now: float) -> None:
        """Something changed for a host: what waits for it need not wait for the time that was set."""
        self._now = now
        for queue in self._awake.values():
            if queue.host == host and queue.is_waiting:
                self.put_back(queue, now)
        for number in [number for _, number in self._resting if self._belongs_to(number, host)]:
            self._asleep.add(self._resting.wake(number), number)

    def pop_url(self, queue: BackQueue, now: float, *, in_doubt: bool = False) -> QueuedUrl | float | None:
        """The origin's next URL; or when its next one may be tried again; or None: there is nothing.

        `in_doubt`: the last answer of its host was a failure. A URL that never failed goes first then, as only it can
        tell whether the host has a trouble or the others have: a few bad URLs, tried again and again, would open a
        healthy host's circuit and then keep it open, being all that probes it. Those that failed stay in memory
        meanwhile: a host that fails all the time is asked rarely (P4), so they are few. Before all others come URLs
        that the host itself or the operator named: a stranger may link to whatever fails there.

        Raises Unread, and has taken nothing then.
        """
        if self._wanted and (url := self._pop_wanted_url(queue)) is not None:
            return url
        if in_doubt and (url := self._pop_own_url(queue)) is not None:
            return url
        if queue.retries and not in_doubt and (url := _pop_due_retry(queue, now)) is not None:
            return url
        while True:
            if not queue.urls and not self._refill(queue):
                break
            if self._unread and queue.id in self._unread:
                raise Unread
            url = queue.urls.pop()
            waits = self._failed.get(url.key) if self._failed else None
            if waits is None or (waits[1] <= now and not in_doubt):
                return url
            self._schedule_retry(queue, url, waits[1])
        if (url := _pop_due_retry(queue, now)) is not None:
            return url
        return queue.retries[0][0] if queue.retries else None

    def pop_any_url(self, queue: BackQueue) -> QueuedUrl | None:
        """One of its URLs, whatever its time, to be ended without a request; None: there is nothing."""
        if queue.retries:
            return heappop(queue.retries)[2]
        return queue.urls.pop() if queue.urls or self._refill(queue) else None

    def hold_back(self, queue: BackQueue, url: QueuedUrl) -> None:
        """A URL that was taken is not handed out yet, or was called off: it is the next one."""
        if url.key in self._failed or url.key in self._renamed:
            self._schedule_retry(queue, url, AT_ONCE)
        else:
            queue.urls.append(url)

    def list_unread(self, queue: BackQueue) -> list[bytes]:
        """Keys of its URLs of which memory does not know whether they have failed. If those that were not known are
        gone, as one that was wanted at once is, nothing is left to read."""
        if queue.id not in self._unread:
            return []
        keys = [url.key for url in queue.urls if url.key not in self._failed]
        if not keys:
            self._unread.discard(queue.id)
        return keys

    def read_tries(self, keys: Sequence[bytes]) -> Written:
        """What the view has of them. Blocks; any thread may call it."""
        return self._retries.read(keys)

    def learn_tries(self, queue: BackQueue, written: Written) -> None:
        """`written`: what the view has of those that `list_unread` named."""
        self._unread.discard(queue.id)
        self._failed.update(written)

    def count_tries(self, key: bytes) -> int:
        """How often this URL, which was taken, has failed so far."""
        known = self._failed.get(key)
        return 0 if known is None else known[0]

    def retry_later(self, queue: BackQueue, url: QueuedUrl, tries: int, when: float) -> None:
        """The URL is to be requested once more, not before `when`."""
        self._retries.set(url.key, tries, when)
        self._failed[url.key] = (tries, when)
        self._schedule_retry(queue, url, when)

    def retry_as(self, queue: BackQueue, url: QueuedUrl, href: str, when: float) -> None:
        """The same URL is to be requested under another name: one hop further."""
        self._renamed.add(url.key)
        self._schedule_retry(queue, url.renamed(href), when)

    def cancel_retry(self, queue: BackQueue, url: QueuedUrl) -> None:
        """The URL ends, though it may have been meant to be requested once more."""
        queue.retries = [entry for entry in queue.retries if entry[2].key != url.key]
        heapify(queue.retries)

    def forget_url(self, url: QueuedUrl) -> None:
        self._retries.forget(url.key)
        self._failed.pop(url.key, None)
        self._renamed.discard(url.key)

    def drop(self, queue: BackQueue) -> None:
        """`pop_url` had nothing for this origin; `wake` brings it back when there is."""
        del self._awake[queue.id]

    def find_refusal(self, url: QueuedUrl) -> str | None:
        """Why it is not worth its request any more (F6); None: it is. What the operator asked for always is."""
        if url.is_seed or url.kind != "page" or url.via == "recrawl":
            return None
        return self._store.worth(url.href, url.key, foreign=url.foreign)

    def shelve(self, queue: BackQueue, limit: str) -> None:
        """Its host has had its share: the URLs stay in the store, for a run with a higher limit."""
        self._give_back(queue)
        del self._awake[queue.id]
        self._shelved.add(queue.id, limit)

    def next_time(self) -> float | None:
        """When the next waiting origin's time comes; 0 where one is ready. None: nothing waits."""
        if len(self._ready):
            return 0.0
        while self._heap and self._is_stale(*self._heap[0]):
            heappop(self._heap)
        rested = self._resting.next_time()
        if not self._heap or rested is None:
            return self._heap[0][0] if self._heap else rested
        return min(rested, self._heap[0][0])

    def next_origins(self, most: int) -> Iterator[tuple[float, str]]:
        """(when, origin) of those that wait, of up to `most` awake and as many resting; those of the next second
        first."""
        awake = [entry for entry in islice(self._heap, most) if not self._is_stale(*entry)]
        for when, number in awake + self._resting.list_some(most):
            if (origin := self._store.origin(number)) is not None:
                yield when, origin

    def count_ready(self) -> int:
        return len(self._ready)

    def count_waiting(self) -> int:
        """Origins that wait for their time."""
        return len(self._heap) + len(self._resting)

    def count_asleep(self) -> int:
        """Origins that nobody has looked at since they had nothing, for want of room."""
        return len(self._asleep)

    def count_resting(self) -> int:
        """Origins that wait for longer than a minute."""
        return len(self._resting)

    def list_awake(self, most: int) -> list[tuple[int, str]]:
        """(number, host) of origins that have their turns, and up to `most` of them."""
        return [(queue.id, queue.host) for queue in islice(self._awake.values(), most)]

    def list_resting(self, most: int) -> list[tuple[int, float]]:
        """(number, until when) of origins that rest, and up to `most` of them."""
        return [(number, until) for until, number in self._resting.list_some(most)]

    def _wake_sleeping(self) -> None:
        """Wakes sleeping origins while there is room, the better classes more often."""
        while len(self._awake) < self._feed.limit:
            number = self._asleep.pop()
            if number is None:
                return
            if number in self._awake or number in self._resting:
                continue
            origin = self._store.origin(number)
            if origin is not None:
                self._store.expect(number, max_depth=self._max_depth)
                queue = BackQueue(number, origin, self._host_of(origin), self._asleep.last)
                self._awake[number] = queue
                self._make_ready(queue)

    def _refill(self, queue: BackQueue) -> bool:
        """Looks into the store, unless there is known to be nothing: most origins of a wide crawl have few URLs."""
        if queue.is_last:
            return False
        ahead = max(1, min(AHEAD, MOST_AHEAD // len(self._awake)))
        queue.urls = self._store.take(queue.id, ahead, max_depth=self._max_depth)
        queue.urls.reverse()
        queue.is_last = len(queue.urls) < ahead
        if self._retries or not self._retries.has_all:
            self._look_up_tries(queue)
        return bool(queue.urls)

    def _look_up_tries(self, queue: BackQueue) -> None:
        for url in queue.urls:
            if (known := self._retries.get(url.key)) is not None:
                self._failed[url.key] = known
        if not self._retries.has_all and any(url.key not in self._failed for url in queue.urls):
            self._unread.add(queue.id)

    def _pop_own_url(self, queue: BackQueue) -> QueuedUrl | None:
        """The next URL that never failed and was not first found on another host."""
        while True:
            if self._unread and queue.id in self._unread:
                raise Unread
            for place in reversed(range(len(queue.urls))):
                url = queue.urls[place]
                if not url.foreign and url.key not in self._failed:
                    return queue.urls.pop(place)
            before = queue.urls
            if len(before) >= MOST_LOOKED_AT or not self._refill(queue):
                queue.urls = before
                return None
            queue.urls = queue.urls + before

    def _pop_wanted_url(self, queue: BackQueue) -> QueuedUrl | None:
        """The next URL that somebody wants at once, unless it has ended since or waits for another try."""
        keys = self._wanted.get(queue.id)
        while keys:
            if queue.id in self._unread:
                raise Unread
            place = next((place for place, url in enumerate(queue.urls) if url.key == keys[0]), None)
            if place is None and (taken := self._store.take_url(keys[0])) is not None:
                queue.urls.append(taken)
                self._look_up_tries(queue)
                continue
            keys.popleft()
            self._wanted_count -= 1
            if not keys:
                del self._wanted[queue.id]
            if place is not None:
                return queue.urls.pop(place)
        return None

    def _is_finished(self, queue: BackQueue) -> bool:
        return not queue.urls and not queue.retries and not self._refill(queue)

    def _belongs_to(self, number: int, host: str) -> bool:
        return self._host_of(self._store.origin(number) or "") == host

    def _has_queued(self, number: int) -> bool:
        found = self._store.take(number, 1, max_depth=self._max_depth)
        self._store.give_back([url.key for url in found])
        return bool(found)

    def _try_to_rest(self, queue: BackQueue) -> bool:
        """Gives back what was taken ahead. Not where the store does not know it by the name it waits under."""
        if any(url.key in self._renamed or url.key not in self._failed for _, _, url in queue.retries):
            return False
        self._give_back(queue)
        del self._awake[queue.id]
        return True

    def _give_back(self, queue: BackQueue) -> None:
        keys = [url.key for url in queue.list_urls()]
        self._store.give_back(keys)
        self._unread.discard(queue.id)
        for key in keys:
            self._failed.pop(key, None)

    def _serve_due(self, when: float, number: int) -> None:
        """One that nothing is left for leaves now and no sooner: what its last page links to finds it awake, its host's
        name resolved and its rules known."""
        queue = self._awake.get(number)
        if queue is not None:
            if queue.due != when:
                return
            if queue.is_last and not queue.urls and not queue.retries:
                self.drop(queue)
            else:
                self._make_ready(queue)

    def _is_stale(self, when: float, number: int) -> bool:
        queue = self._awake.get(number)
        return queue is None or queue.due != when

    def _schedule_retry(self, queue: BackQueue, url: QueuedUrl, when: float) -> None:
        self._counter += 1
        heappush(queue.retries, (when, self._counter, url))

    def _make_ready(self, queue: BackQueue) -> None:
        queue.due = READY
        self._ready.add(queue.row, queue)


def _pop_due_retry(queue: BackQueue, now: float) -> QueuedUrl | None:
    return heappop(queue.retries)[2] if queue.retries and queue.retries[0][0] <= now else None


def compute_class(priority: float) -> int:
    """0 for the best, as the URL store counts them."""
    return CLASSES - 1 - min(CLASSES - 1, int(priority * CLASSES))
