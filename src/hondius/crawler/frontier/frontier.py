"""Ready, waiting and sleeping origins, and the few URLs that were taken ahead."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice

from hondius.crawler.frontier.back_queue import READY, BackQueue
from hondius.crawler.frontier.feed import Feed
from hondius.crawler.frontier.resting import Resting, Shelved
from hondius.crawler.frontier.retries import Retries, Retry, StoredRetries
from hondius.crawler.frontier.rows import CLASSES, Numbers, Rows
from hondius.native import QueuedUrl
from hondius.ports import UrlStore
from hondius.settings import FrontierSettings

AHEAD = 8
"""URLs that are taken at once for an origin: a read of the store costs more than the URLs it returns."""
MOST_LOOKED_AT = 256
"""URLs of an origin that are taken ahead at most, to find one that shows whether its host works."""
MOST_AHEAD = 100_000
"""URLs of all origins that may be taken ahead, to bound memory. With many origins awake, each gets fewer."""
FEW_RESTING = 100
"""Up to this many resting origins are looked up in the store before a crawl waits for one of them."""
MOST_WANTED = 100_000
"""Keys of URLs that were requested to be next. Further ones come in the order of their class."""
REQUISITE = "requisite"
LOOK_AGAIN = 0.25
"""Seconds after which an origin without requisites is looked at again, when there are enough pages."""
AT_ONCE = 0.0
"""A time in the past: due at once."""
LONG_WAIT = 60.0
"""Seconds. An origin that waits longer rests: it keeps only a number and a time in memory."""


class Unread(Exception):
    """The view must be read before a URL of this origin can be popped. `list_unread` names the URLs, `learn_tries`
    takes the result."""


class Frontier:
    """`host_of`: the host of an origin. `retries`: how often URLs have failed, and when they may be retried."""

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
        """Times of awake origins. An entry whose time differs from the `due` of its origin is stale."""
        self._shelved = Shelved()
        self._retries = retries
        self._failed: dict[bytes, Retry] = {}
        """Retries of URLs that were taken out of the store and have failed, until they end or go back."""
        self._unread: set[int] = set()
        """Origins with URLs taken ahead that may have failed before: the view must be read."""
        self._renamed: set[bytes] = set()
        """Keys of URLs that are requested by a name that the store does not know, until they end."""
        self._wanted: dict[int, deque[bytes]] = {}
        """By origin: keys of URLs that come before all others of the origin. Only this run knows them."""
        self._wanted_count = 0
        self._counter = 0
        self._now = 0.0
        self.takes_only_requisites = False
        """Pages are not popped any more: there are enough, and only what they need is missing (D7)."""

    def __len__(self) -> int:
        """Origins that have, or may have, something to do."""
        return len(self._awake) + len(self._asleep) + len(self._resting)

    @property
    def shelved(self) -> Counter[str]:
        """Origins with queued URLs whose host has reached a limit, by limit."""
        return Counter(self._shelved.counts())

    def wake(self, origins: Iterable[tuple[int, int]]) -> None:
        """(number, best class) of origins that have something queued."""
        awake, fall_asleep = self._awake, self._asleep.add
        for number, row in origins:
            queue = awake.get(number)
            if queue is None:
                fall_asleep(row if row < CLASSES else CLASSES - 1, number)
            else:
                queue.is_last = False
        self._wake_sleeping()

    def want(self, origin: str, key: bytes) -> None:
        """Makes this URL the next one of its origin (R4). Call it after the frame that queues the URL was applied; it
        has no effect if nothing queues it."""
        number = self._store.number(origin)
        if number is not None and self._wanted_count < MOST_WANTED:
            self._wanted.setdefault(number, deque()).append(key)
            self._wanted_count += 1
            if (queue := self._awake.get(number)) is not None:
                queue.is_last = False

    def pop_queue(self, now: float, in_line: int = 0) -> BackQueue | None:
        """Removes and returns an origin that is due; give it back with `put_back` or `drop`. `in_line`: how many popped
        origins wait for their preparation; waking more would not fill a slot."""
        self._now = now
        heap = self._heap
        while heap and heap[0][0] <= now:
            self._serve_due(*heappop(heap))
        if self._resting.count:
            for row, number in self._resting.wake_due(now):
                self._asleep.add(row, number)
        if now >= self._feed.due:
            self._feed.tune(len(self._ready) + in_line, now)
        if self._asleep.filled and len(self._awake) < self._feed.limit:
            self._wake_sleeping()
        queue = self._ready.pop()
        if queue is not None:
            queue.due = None
        return queue

    def put_back(self, queue: BackQueue, when: float) -> None:
        """`when`: the time at which its host may be contacted next."""
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
        """Drops origins that have nothing left. Call it when nothing is under way that could find more for them: then
        they need not wait for the pause of their host."""
        waiting = [queue for queue in self._awake.values() if queue.is_waiting]
        for queue in waiting:
            if self._is_finished(queue):
                self.drop(queue)
        if len(self._resting) <= FEW_RESTING:
            for number in [number for _, number in self._resting if not self._has_queued(number)]:
                self._resting.wake(number)

    def reschedule_host(self, host: str, now: float) -> None:
        """Something changed for a host: origins that wait for it become due."""
        self._now = now
        for queue in self._awake.values():
            if queue.host == host and queue.is_waiting:
                self.put_back(queue, now)
        for number in [number for _, number in self._resting if self._belongs_to(number, host)]:
            self._asleep.add(self._resting.wake(number), number)

    def pop_url(self, queue: BackQueue, now: float, *, in_doubt: bool = False) -> QueuedUrl | float | None:
        """The origin's next URL; or the time at which its next URL may be retried; or None if there is none.

        `in_doubt`: the last answer of its host was a failure. Then a URL that never failed comes first, because only
        such a URL shows whether the host or the other URLs are broken. Otherwise a few bad URLs, retried again and
        again, would open the circuit of a healthy host and keep it open. URLs that failed stay in memory meanwhile; a
        host that always fails is asked rarely (P4), so they are few. URLs that the host itself or the operator named
        come before all others: a stranger may link to anything that fails there.

        Raises Unread before it takes anything."""
        if self.takes_only_requisites:
            return self._pop_requisite(queue, now)
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

    def has_requisite(self, queue: BackQueue) -> bool:
        """Whether a requisite is among its next URLs (D7). Requisites come before all pages but seeds."""
        if any(url.kind == REQUISITE for url in queue.list_urls()):
            return True
        before = queue.urls
        if not self._refill(queue):
            queue.urls = before
            return False
        if any(url.kind == REQUISITE for url in queue.urls):
            queue.urls = before + queue.urls
            return True
        self._store.give_back([url.key for url in queue.urls])  # or memory would fill with pages that nobody wants now
        for url in queue.urls:
            self._failed.pop(url.key, None)
        queue.urls, queue.is_last = before, False
        return False

    def pop_any_url(self, queue: BackQueue) -> QueuedUrl | None:
        """One of its URLs, due or not, to be ended without a request; None if there is none."""
        if queue.retries:
            return heappop(queue.retries)[2]
        return queue.urls.pop() if queue.urls or self._refill(queue) else None

    def hold_back(self, queue: BackQueue, url: QueuedUrl) -> None:
        """Returns a popped URL that was not handed out, or whose journey was called off. It is the next one again."""
        if url.key in self._failed or url.key in self._renamed:
            self._schedule_retry(queue, url, AT_ONCE)
        else:
            queue.urls.append(url)

    def list_unread(self, queue: BackQueue) -> list[bytes]:
        """Keys of its URLs that may have failed without memory knowing. If those URLs are gone, for example because one
        was wanted at once, nothing is left to read."""
        if queue.id not in self._unread:
            return []
        keys = [url.key for url in queue.urls if url.key not in self._failed]
        if not keys:
            self._unread.discard(queue.id)
        return keys

    def read_tries(self, keys: Sequence[bytes]) -> StoredRetries:
        """The retries of these URLs in the view. Blocks; any thread may call it."""
        return self._retries.read(keys)

    def learn_tries(self, queue: BackQueue, stored: StoredRetries) -> None:
        """`stored`: what the view has of the URLs that `list_unread` returned."""
        self._unread.discard(queue.id)
        self._failed.update(stored)

    def count_tries(self, key: bytes) -> int:
        """How often this URL, which was popped, has failed so far."""
        known = self._failed.get(key)
        return 0 if known is None else known[0]

    def retry_later(self, queue: BackQueue, url: QueuedUrl, tries: int, when: float) -> None:
        """Schedules another request for the URL, not before `when`."""
        self._retries.set(url.key, tries, when)
        self._failed[url.key] = (tries, when)
        self._schedule_retry(queue, url, when)

    def retry_as(self, queue: BackQueue, url: QueuedUrl, href: str, when: float) -> None:
        """Schedules a request for the same URL under another name, one hop further."""
        self._renamed.add(url.key)
        self._schedule_retry(queue, url.renamed(href), when)

    def cancel_retry(self, queue: BackQueue, url: QueuedUrl) -> None:
        """The URL ends, even if a retry was scheduled."""
        queue.retries = [entry for entry in queue.retries if entry[2].key != url.key]
        heapify(queue.retries)

    def forget_url(self, url: QueuedUrl) -> None:
        self._retries.forget(url.key)
        self._failed.pop(url.key, None)
        self._renamed.discard(url.key)

    def drop(self, queue: BackQueue) -> None:
        """Removes an origin that has nothing left to hand out. `wake` adds it again."""
        del self._awake[queue.id]

    def find_refusal(self, url: QueuedUrl) -> str | None:
        """Why it is no longer worth a request (F6), or None. URLs that the operator asked for are always worth it."""
        if url.is_seed or url.kind != "page" or url.via == "recrawl":
            return None
        return self._store.worth(url.href, url.key, foreign=url.foreign)

    def shelve(self, queue: BackQueue, limit: str) -> None:
        """Its host has reached a limit: the URLs stay in the store, for a run with a higher limit."""
        self._give_back(queue)
        del self._awake[queue.id]
        self._shelved.add(queue.id, limit)

    def find_next_time(self) -> float | None:
        """When the next waiting origin is due; 0 if one is ready; None if nothing waits."""
        if len(self._ready):
            return 0.0
        while self._heap and self._is_stale(*self._heap[0]):
            heappop(self._heap)
        rested = self._resting.find_next_time()
        if not self._heap or rested is None:
            return self._heap[0][0] if self._heap else rested
        return min(rested, self._heap[0][0])

    def list_next_origins(self, most: int) -> Iterator[tuple[float, str]]:
        """(when, origin) of up to `most` awake and as many resting origins that wait; those of the next second
        first."""
        awake = [entry for entry in islice(self._heap, most) if not self._is_stale(*entry)]
        for when, number in awake + self._resting.list_some(most):
            if (origin := self._store.origin(number)) is not None:
                yield when, origin

    def count_ready(self) -> int:
        return len(self._ready)

    def count_waiting(self) -> int:
        """Origins that are not due yet."""
        return len(self._heap) + len(self._resting)

    def count_asleep(self) -> int:
        """Origins with something queued for which there was no room yet."""
        return len(self._asleep)

    def count_resting(self) -> int:
        """Origins that wait longer than a minute."""
        return len(self._resting)

    def list_awake(self, most: int) -> list[tuple[int, str]]:
        """(number, host) of up to `most` awake origins."""
        return [(queue.id, queue.host) for queue in islice(self._awake.values(), most)]

    def list_resting(self, most: int) -> list[tuple[int, float]]:
        """(number, until when) of up to `most` resting origins."""
        return [(number, until) for until, number in self._resting.list_some(most)]

    def _wake_sleeping(self) -> None:
        """While there is room; the better classes more often."""
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
        """Reads the store, unless it is known to have nothing: most origins of a wide crawl have few URLs."""
        if queue.is_last:
            return False
        ahead = max(1, min(AHEAD, MOST_AHEAD // len(self._awake)))
        queue.urls = self._store.take(queue.id, ahead, max_depth=self._max_depth)
        queue.urls.reverse()
        queue.is_last = len(queue.urls) < ahead
        if self._retries.here or not self._retries.has_all:
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

    def _pop_requisite(self, queue: BackQueue, now: float) -> QueuedUrl | float:
        """The next requisite, or when to look again."""
        if self._unread and queue.id in self._unread:
            raise Unread
        for place in reversed(range(len(queue.urls))):
            url = queue.urls[place]
            if url.kind == REQUISITE:
                del queue.urls[place]
                if (waits := self._failed.get(url.key)) is None or waits[1] <= now:
                    return url
                self._schedule_retry(queue, url, waits[1])
        first = min((entry for entry in queue.retries if entry[2].kind == REQUISITE), default=None)
        if first is None or first[0] > now:
            return now + LOOK_AGAIN if first is None else first[0]
        queue.retries.remove(first)
        heapify(queue.retries)
        return first[2]

    def _pop_wanted_url(self, queue: BackQueue) -> QueuedUrl | None:
        """The next URL that is wanted at once, unless it has ended since or waits for a retry."""
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
        """Gives back the URLs taken ahead. Not possible if one is waiting under a name that the store does not know."""
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
        """An origin with nothing left is dropped only now, not sooner: until then, links of its last page find it
        awake, with its name resolved and its rules known."""
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
    """0 is the best, as in the URL store."""
    return CLASSES - 1 - min(CLASSES - 1, int(priority * CLASSES))
