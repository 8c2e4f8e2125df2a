"""F1, F3, F8: origins that are ready, wait, sleep and rest, over the real URL store."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from hondius.crawler.frontier import BackQueue, Frontier, Retries, Unread
from hondius.crawler.frontier.feed import EVERY, Feed
from hondius.native import Identity, QueuedUrl, UrlStore
from hondius.settings import FrontierSettings

NOW = 1_000_000.0
IDENTITY = Identity()


@pytest.fixture
def store() -> Iterator[UrlStore]:
    made = UrlStore(":memory:", capacity=10_000)
    yield made
    made.close()


def frontier_of(store: UrlStore, retries: Retries | None = None, **settings: int) -> Frontier:
    def host_of(origin: str) -> str:
        return urlsplit(origin).hostname or ""

    known = Retries({}) if retries is None else retries
    return Frontier(store, None, known, host_of=host_of, settings=FrontierSettings(**settings))


def add(store: UrlStore, *hrefs: str, priority: float = 0.5, found_on: str | None = None) -> list[tuple[int, int]]:
    urls = [(url.href, url.key) for url in map(IDENTITY.parse, hrefs)]
    found = store.admit(
        urls, None, depth=0, priority=priority, discovered_at=NOW, max_depth=None, via="seed", found_on=found_on
    )
    return store.apply(store.applied + 1, [found.data], [])


def served(frontier: Frontier, now: float) -> list[str]:
    """Hands out whatever is ready, one URL an origin; an origin without URLs leaves."""
    hrefs = []
    while (queue := frontier.pop_queue(now)) is not None:
        url = frontier.pop_url(queue, now)
        if isinstance(url, QueuedUrl):
            hrefs.append(url.href)
            frontier.put_back(queue, now + 1)
        else:
            frontier.drop(queue)
    return hrefs


def handed_out(frontier: Frontier, now: float) -> tuple[BackQueue, QueuedUrl]:
    queue = frontier.pop_queue(now)
    assert queue is not None
    url = frontier.pop_url(queue, now)
    assert isinstance(url, QueuedUrl)
    return queue, url


def test_f3_only_so_many_origins_are_awake_and_the_others_get_their_turn(store: UrlStore) -> None:
    frontier = frontier_of(store, least_awake=2, most_awake=2)
    frontier.wake(add(store, *(f"http://h{n}.test/" for n in range(6))))
    assert (len(frontier), frontier.count_asleep()) == (6, 4)
    hrefs: list[str] = []
    for second in range(12):
        hrefs += served(frontier, NOW + second)
    assert sorted(hrefs) == sorted(f"http://h{n}.test/" for n in range(6))
    assert len(frontier) == 0


def test_f3_an_origin_that_waits_long_makes_room_and_forgets_nothing(store: UrlStore) -> None:
    frontier = frontier_of(store, least_awake=1, most_awake=1)
    frontier.wake(add(store, "http://a.test/1", "http://a.test/2"))
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    url = frontier.pop_url(queue, NOW)
    assert isinstance(url, QueuedUrl)
    frontier.retry_later(queue, url, 1, NOW + 500)
    frontier.put_back(queue, NOW + 1_000)
    frontier.wake(add(store, "http://b.test/"))
    assert served(frontier, NOW + 1) == ["http://b.test/"]
    assert served(frontier, NOW + 3) == []
    assert frontier.find_next_time() == NOW + 1_000
    hrefs = served(frontier, NOW + 1_000) + served(frontier, NOW + 1_001) + served(frontier, NOW + 1_002)
    assert sorted(hrefs) == ["http://a.test/1", "http://a.test/2"]
    assert frontier.count_tries(url.key) == 1


def test_f3_a_resting_origin_comes_at_once_when_its_host_is_asked_for(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/"))
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    frontier.put_back(queue, NOW + 10_000)
    assert served(frontier, NOW + 1) == []
    frontier.reschedule_host("a.test", NOW + 1)
    assert served(frontier, NOW + 1) == ["http://a.test/"]


@pytest.mark.parametrize("failures", [0, 1])
def test_h3_a_url_keeps_the_name_that_a_redirect_gave_it_however_long_its_host_waits(
    store: UrlStore, failures: int
) -> None:
    """By its old name it would be redirected again, without end."""
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/?sid=0123456789abcdef0123456789abcdef"))
    now = NOW
    for _ in range(failures):
        queue, url = handed_out(frontier, now)
        frontier.retry_later(queue, url, 1, now + 2)
        frontier.put_back(queue, now + 90)
        now += 90
    queue, url = handed_out(frontier, now)
    frontier.retry_as(queue, url, "http://a.test/", now)
    frontier.put_back(queue, now + 90)
    _, url = handed_out(frontier, now + 90)
    assert (url.href, url.hops) == ("http://a.test/", 1)


def test_f3_asking_again_after_a_minute_without_a_hand_out_lays_nobody_to_rest(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/1", "http://a.test/2"))
    assert served(frontier, NOW) == ["http://a.test/1"]
    frontier.reschedule_host("a.test", NOW + 100)
    assert served(frontier, NOW + 100) == ["http://a.test/2"]


def test_f1_an_origin_without_urls_gets_no_turn_and_comes_back_with_the_next(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/1"))
    assert served(frontier, NOW) == ["http://a.test/1"]
    assert frontier.pop_queue(NOW + 1) is None
    assert (len(frontier), frontier.find_next_time()) == (0, None)
    frontier.wake(add(store, "http://a.test/2"))
    assert served(frontier, NOW + 1) == ["http://a.test/2"]


def test_f1_what_the_last_page_of_an_origin_links_to_finds_it_awake(store: UrlStore) -> None:
    frontier = frontier_of(store, least_awake=1, most_awake=1)
    frontier.wake(add(store, "http://a.test/1"))
    frontier.wake(add(store, "http://b.test/"))
    assert served(frontier, NOW) == ["http://a.test/1"]
    frontier.wake(add(store, "http://a.test/2"))
    assert served(frontier, NOW + 1) == ["http://a.test/2"]
    assert served(frontier, NOW + 2) == ["http://b.test/"]


def test_f1_what_is_found_while_the_last_url_is_under_way_is_handed_out_too(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/1"))
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    assert isinstance(frontier.pop_url(queue, NOW), QueuedUrl)
    frontier.wake(add(store, "http://a.test/2"))
    frontier.put_back(queue, NOW + 1)
    assert served(frontier, NOW + 1) == ["http://a.test/2"]
    assert served(frontier, NOW + 2) == []
    assert len(frontier) == 0


def test_f1_an_origin_stays_while_its_last_url_waits_for_another_try(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/1"))
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    url = frontier.pop_url(queue, NOW)
    assert isinstance(url, QueuedUrl)
    frontier.retry_later(queue, url, 1, NOW + 5)
    frontier.put_back(queue, NOW + 5)
    assert served(frontier, NOW + 4) == []
    assert served(frontier, NOW + 5) == ["http://a.test/1"]
    assert served(frontier, NOW + 6) == []
    assert len(frontier) == 0


def test_f1_a_waiting_origin_that_is_asked_for_is_served_once(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/1", "http://a.test/2"))
    assert served(frontier, NOW) == ["http://a.test/1"]
    frontier.reschedule_host("a.test", NOW)
    assert served(frontier, NOW) == ["http://a.test/2"]
    assert served(frontier, NOW + 1) == []
    assert len(frontier) == 0


def test_f1_sleeping_origins_are_woken_by_the_class_of_their_best_url(store: UrlStore) -> None:
    frontier = frontier_of(store, least_awake=1, most_awake=1)
    frontier.wake(add(store, "http://first.test/"))
    frontier.wake(add(store, *(f"http://low{n}.test/" for n in range(8)), priority=0.1))
    frontier.wake(add(store, *(f"http://high{n}.test/" for n in range(8)), priority=0.9))
    hrefs: list[str] = []
    for second in range(40):
        hrefs += served(frontier, NOW + second)
    assert len(hrefs) == 17
    places = {word: [at for at, href in enumerate(hrefs) if word in href] for word in ("low", "high")}
    assert sum(places["high"]) < sum(places["low"])
    assert min(places["low"]) < max(places["high"])


def test_f1_p4_a_host_in_doubt_is_asked_for_a_url_that_never_failed(store: UrlStore) -> None:
    """Else bad URLs that are due again would probe a healthy host for ever, and the others wait behind its circuit."""
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/bad", "http://a.test/worse", "http://a.test/good"))
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    for _ in ("bad", "worse"):
        url = frontier.pop_url(queue, NOW)
        assert isinstance(url, QueuedUrl)
        frontier.retry_later(queue, url, 1, NOW + 2)
    later = NOW + 60
    probe = frontier.pop_url(queue, later, in_doubt=True)
    assert isinstance(probe, QueuedUrl)
    assert probe.href == "http://a.test/good"
    last = [frontier.pop_url(queue, later, in_doubt=True) for _ in range(2)]
    assert {url.href for url in last if isinstance(url, QueuedUrl)} == {"http://a.test/bad", "http://a.test/worse"}
    assert frontier.pop_url(queue, later, in_doubt=True) is None


def test_f1_p4_a_host_in_doubt_is_asked_for_a_url_of_its_own_first(store: UrlStore) -> None:
    """Whoever links to a hundred URLs that fail there would keep the host waiting behind its circuit."""
    woken = add(store, *(f"http://a.test/cgi?x={n}" for n in range(100)), priority=0.9, found_on="evil.test")
    woken += add(store, "http://a.test/own", priority=0.1)
    frontier = frontier_of(store)
    frontier.wake(woken)
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    taken = [frontier.pop_url(queue, NOW, in_doubt=True) for _ in range(101)]
    hrefs = [url.href for url in taken if isinstance(url, QueuedUrl)]
    assert hrefs[0] == "http://a.test/own"
    assert len(set(hrefs)) == 101


def test_f1_p4_what_failed_in_an_earlier_run_is_no_probe_either(store: UrlStore) -> None:
    woken = add(store, "http://a.test/bad", priority=0.9) + add(store, "http://a.test/good", priority=0.1)
    frontier = frontier_of(store, Retries({IDENTITY.parse("http://a.test/bad").key: (1, NOW - 5)}))
    frontier.wake(woken)
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    taken = [frontier.pop_url(queue, NOW, in_doubt=True), frontier.pop_url(queue, NOW)]
    assert [url.href for url in taken if isinstance(url, QueuedUrl)] == ["http://a.test/good", "http://a.test/bad"]


def test_f8_the_feed_grows_by_a_tenth_while_few_are_ready_and_shrinks_while_many_are() -> None:
    feed = Feed(FrontierSettings(least_awake=1_000, most_awake=20_000))
    limits = [feed.limit]
    for at, ready in enumerate((50, 50, 50, 2_000, 6_000), start=1):
        feed.tune(ready, NOW + at * EVERY)
        feed.tune(ready, NOW + at * EVERY + 1)
        limits.append(feed.limit)
    assert limits == [2_000, 2_000, 2_200, 2_420, 2_420, 2_178]


def test_f8_the_feed_stays_within_its_settings() -> None:
    feed = Feed(FrontierSettings(least_awake=1_000, most_awake=1_500))
    for at in range(100):
        feed.tune(0, NOW + at * EVERY)
    assert feed.limit == 1_500
    for at in range(100, 200):
        feed.tune(10_000, NOW + at * EVERY)
    assert feed.limit == 1_000


def wanted_again(store: UrlStore, href: str) -> None:
    """As an order that names it does: it is queued anew, in the best class."""
    url = IDENTITY.parse(href)
    found = store.admit(
        [(url.href, url.key)],
        None,
        depth=0,
        priority=1.0,
        discovered_at=NOW,
        max_depth=None,
        via="recrawl",
    )
    store.apply(store.applied + 1, [found.data], [])


def test_r4_what_somebody_wants_at_once_is_the_next_url_of_its_host(store: UrlStore) -> None:
    """Before those that were taken ahead, before others of its class, and before what comes from the lowest class."""
    pages = [f"http://a.test/{number}" for number in range(40)]
    frontier = frontier_of(store)
    frontier.wake(add(store, *pages, priority=1.0))
    queue, first = handed_out(frontier, NOW)
    store.apply(store.applied + 1, [], [(first.key, None)])
    wanted_again(store, first.href)
    frontier.want("http://a.test", first.key)
    late = IDENTITY.parse(pages[-1])
    ahead = queue.urls[0]
    for key in (late.key, ahead.key, b"n" * 16):
        frontier.want("http://a.test", key)
    frontier.want("http://unknown.test", late.key)
    for number, expected in enumerate([first.href, late.href, ahead.href, pages[1]]):
        frontier.put_back(queue, NOW + number)
        queue, url = handed_out(frontier, NOW + number)
        assert url.href == expected
    served_later = []
    for number in range(10, 60):
        frontier.put_back(queue, NOW + number)
        popped = frontier.pop_queue(NOW + number)
        later = None if popped is None else frontier.pop_url(popped, NOW + number)
        if not isinstance(later, QueuedUrl):
            break
        served_later.append(later.href)
    assert sorted(served_later) == sorted(set(pages) - {first.href, late.href, ahead.href, pages[1]})


def test_r4_an_origin_that_had_nothing_left_serves_what_somebody_wants(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/1"))
    queue, url = handed_out(frontier, NOW)
    store.apply(store.applied + 1, [], [(url.key, None)])
    frontier.put_back(queue, NOW + 1)
    wanted_again(store, url.href)
    frontier.want("http://a.test", url.key)
    _, again = handed_out(frontier, NOW + 2)
    assert again.href == url.href


def known_to_the_view(frontier: Frontier, queue: BackQueue) -> None:
    """As the run does: reads what the view has, then tells."""
    frontier.learn_tries(queue, frontier.read_tries(frontier.list_unread(queue)))


def test_f3_p5_where_memory_does_not_have_all_failures_nothing_is_handed_out_before_the_view_is_read(
    store: UrlStore,
) -> None:
    bad, good = (IDENTITY.parse(f"http://a.test/{name}") for name in ("bad", "good"))
    woken = add(store, bad.href, priority=0.9) + add(store, good.href, priority=0.1)
    frontier = frontier_of(store, Retries(None, load={bad.key: (2, NOW + 50)}.get))
    frontier.wake(woken)
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    for _ in range(2):
        with pytest.raises(Unread):
            frontier.pop_url(queue, NOW)
    assert sorted(frontier.list_unread(queue)) == sorted([bad.key, good.key])
    known_to_the_view(frontier, queue)
    url = frontier.pop_url(queue, NOW)
    assert isinstance(url, QueuedUrl)
    assert url.href == good.href
    assert frontier.pop_url(queue, NOW) == NOW + 50
    again = frontier.pop_url(queue, NOW + 50)
    assert isinstance(again, QueuedUrl)
    assert frontier.count_tries(again.key) == 2


@pytest.mark.parametrize("is_ahead", [True, False])
def test_r4_p5_a_wanted_url_waits_until_it_is_known_whether_it_has_failed(store: UrlStore, is_ahead: bool) -> None:
    pages = [f"http://a.test/{number}" for number in range(40)]
    wanted = IDENTITY.parse(pages[3 if is_ahead else -1])
    frontier = frontier_of(store, Retries(None, load={wanted.key: (2, NOW)}.get))
    frontier.wake(add(store, *pages))
    queue = frontier.pop_queue(NOW)
    assert queue is not None
    if is_ahead:
        with pytest.raises(Unread):
            frontier.pop_url(queue, NOW)
    frontier.want("http://a.test", wanted.key)
    with pytest.raises(Unread):
        frontier.pop_url(queue, NOW)
    known_to_the_view(frontier, queue)
    url = frontier.pop_url(queue, NOW)
    assert isinstance(url, QueuedUrl)
    assert (url.href, frontier.count_tries(url.key)) == (wanted.href, 2)


def test_f4_a_url_that_is_called_off_is_the_next_one_of_its_origin_by_the_name_that_it_has(store: UrlStore) -> None:
    frontier = frontier_of(store)
    frontier.wake(add(store, "http://a.test/?sid=0123456789abcdef0123456789abcdef", "http://a.test/2"))
    queue, url = handed_out(frontier, NOW)
    frontier.hold_back(queue, url)
    assert frontier.pop_url(queue, NOW) == url
    frontier.retry_as(queue, url, "http://a.test/", NOW)
    renamed = frontier.pop_url(queue, NOW)
    assert isinstance(renamed, QueuedUrl)
    frontier.hold_back(queue, renamed)
    frontier.put_back(queue, NOW + 90)
    _, again = handed_out(frontier, NOW + 90)
    assert (again.href, again.hops) == ("http://a.test/", 1)
