"""The contract of `UrlStore`, for every adapter and number of partitions."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from hondius import native
from hondius.crawler.commit import Outcome, append_outcome, apply_to_urls
from hondius.model import AnyEvent, Finished, Frame, Reread, State
from hondius.native import Discoveries, Identity, LinkPolicy, MemoryTree, NativeError
from hondius.ports import Log, UrlStore, find_position
from hondius.stores.log.memory import MemoryLog
from hondius.stores.log.partitioned import PartitionedLog
from hondius.stores.urls.partitioned import PartitionedUrlStore

HOSTS = [f"h{number}.s{number}.test" for number in range(12)]
"""Hosts in several partitions."""
WITH: dict[str, Any] = {"depth": 1, "priority": 0.5, "discovered_at": 1.0, "max_depth": None, "via": "link"}


class Opened:
    """A store and its log."""

    def __init__(self, partitions: int) -> None:
        self._trees = [MemoryTree() for _ in range(partitions)]
        kept: list[list[Frame]] = [[] for _ in range(partitions)]
        logs = [MemoryLog(frames) for frames in kept]
        self.log: Log = logs[0] if partitions == 1 else PartitionedLog(logs)
        self.store = self.open()

    def open(self) -> UrlStore:
        """Opens the applied state again, like another process."""
        count = len(self._trees)
        if count == 1:
            return native.UrlStore(self._trees[0], capacity=1_000)
        stores = [native.UrlStore(tree, capacity=1_000, share=(part, count)) for part, tree in enumerate(self._trees)]
        return PartitionedUrlStore(stores)

    def write(self, found: Sequence[Discoveries] = (), *events: AnyEvent) -> list[tuple[int, int]]:
        frames = append_outcome(self.log, self.store, Outcome(events, discoveries=found), 1.0)
        return [woken for frame in frames for woken in apply_to_urls(self.store, frame)]


@pytest.fixture(params=[1, 2, 5], ids=lambda count: f"{count} partitions")
def opened(request: pytest.FixtureRequest) -> Opened:
    return Opened(request.param)


def rows(*hrefs: str) -> list[tuple[str, bytes]]:
    return [(url.href, url.key) for url in map(Identity().parse, hrefs)]


def key_of(href: str) -> bytes:
    return Identity().parse(href).key


def pages(*paths: str) -> list[str]:
    return [f"http://{host}/{path}" for host in HOSTS for path in paths]


def finished(href: str, **more: Any) -> Finished:
    url = Identity().parse(href)
    return Finished(url.key, href, href, url.host, State.COMPLETED, "", depth=1, **more)


def test_u4_a_url_is_new_once_whichever_partition_it_is_of(opened: Opened) -> None:
    store, hrefs = opened.store, pages("a", "b")
    found = store.admit(rows(*hrefs), None, **WITH)
    assert (found.count, found.known) == (len(hrefs), 0)
    assert {store.state(key_of(href)) for href in hrefs} == {"pending"}
    again = store.admit(rows(*hrefs), None, **WITH)
    assert (again.count, again.known) == (0, len(hrefs))
    opened.write([found])
    assert {store.state(key_of(href)) for href in hrefs} == {"queued"}
    assert find_position(store) == opened.log.end
    assert store.counts()["queued"] == store.counts()["seen"] == len(hrefs)


def test_u4_what_is_taken_back_is_new_again(opened: Opened) -> None:
    store, hrefs = opened.store, pages("a")
    found = store.admit(rows(*hrefs), None, **WITH)
    store.forget_pending(found.blobs, found.refused)
    assert {store.state(key_of(href)) for href in hrefs} == {None}
    assert store.admit(rows(*hrefs), None, **WITH).count == len(hrefs)


def test_f6_refusals_are_told_once_and_may_be_taken_back(opened: Opened) -> None:
    store, hrefs = opened.store, pages("a.zip", "b")
    policy = LinkPolicy(scope="any", skip_extensions=[".zip"])
    found = store.admit(rows(*hrefs), policy, **WITH)
    assert sorted(href for href, _, _ in found.refused) == sorted(pages("a.zip"))
    assert found.count == len(HOSTS)
    assert store.admit(rows(*hrefs), policy, **WITH).refused == []
    store.forget_pending([], found.refused)
    assert len(store.admit(rows(*hrefs), policy, **WITH).refused) == len(HOSTS)


def test_f1_origins_wake_with_their_urls_and_each_has_a_number_of_its_own(opened: Opened) -> None:
    store = opened.store
    woken = opened.write([store.admit(rows(*pages("a", "b")), None, **WITH)])
    numbers = [number for number, _ in woken]
    assert len(set(numbers)) == len(HOSTS)
    assert sorted(store.origins()) == sorted(woken)
    for number in numbers:
        origin = store.origin(number)
        assert origin is not None
        assert store.number(origin) == number
        assert store.queued(number) == 2
        assert {url.href for url in store.take(number, 9)} == {f"{origin}/a", f"{origin}/b"}
        assert store.take(number, 9) == []
    assert max(numbers) < 1 << 32
    assert store.number("http://unknown.test") is None


def test_f4_what_is_given_back_is_handed_out_again_and_what_ended_is_not(opened: Opened) -> None:
    store = opened.store
    woken = opened.write([store.admit(rows(*pages("a")), None, **WITH)])
    taken = [url for number, _ in woken for url in store.take(number, 9)]
    assert len(taken) == len(HOSTS)
    ended, given_back = taken[::2], taken[1::2]
    store.give_back([url.key for url in given_back])
    opened.write([], *(finished(url.href) for url in ended))
    again = [url.href for number, _ in woken for url in store.take(number, 9)]
    assert sorted(again) == sorted(url.href for url in given_back)
    assert {store.state(url.key) for url in ended} == {"finished"}


def test_f5_another_process_finds_what_was_applied(opened: Opened) -> None:
    hrefs = pages("a", "b")
    opened.write([opened.store.admit(rows(*hrefs), None, **WITH)])
    opened.write([], *(finished(href) for href in pages("a")))
    opened.store.close()
    again = opened.open()
    assert find_position(again) == opened.log.end
    assert (again.applied, again.saved()) == (opened.log.end.frames, opened.log.end.frames)
    assert {again.state(key_of(href)) for href in pages("a")} == {"finished"}
    assert {again.state(key_of(href)) for href in pages("b")} == {"queued"}
    assert {again.find(key_of(href)) is None for href in hrefs} == {False}
    assert again.find(b"?" * 16) is None


def test_d5_a_shorter_path_is_found_and_its_pages_are_listed_to_be_read_again(opened: Opened) -> None:
    store, hrefs = opened.store, pages("a")
    deep = WITH | {"depth": 5}
    woken = opened.write([store.admit(rows(*hrefs), None, **deep)])
    out = [url for number, _ in woken for url in store.take(number, 9)]
    opened.write([], *(finished(href) for href in hrefs[:6]))
    closer = store.admit(rows(*hrefs), None, **(WITH | {"depth": 0}))
    assert (closer.count, closer.closer_count) == (0, len(hrefs))
    assert {store.closest(url).depth for url in out if url.href in hrefs[6:]} == {0}
    opened.write([closer])
    due = store.rereads(9, 100)
    assert sorted(key for _, key in due) == sorted(key_of(href) for href in hrefs[:6])
    assert [depth for depth, _ in due] == sorted(depth for depth, _ in due)
    assert store.rereads(9, 2) == due[:2]
    opened.write([], *(Reread(key, depth) for depth, key in due))
    assert store.rereads(9, 100) == []


def test_d5_the_store_has_the_lowest_depth_of_each_url_queued_ended_or_pending(opened: Opened) -> None:
    store, hrefs = opened.store, pages("a", "b")
    keys, half = [key_of(href) for href in hrefs], len(hrefs) // 2
    assert store.depths(keys) == [None] * len(keys)
    found = store.admit(rows(*hrefs), None, **(WITH | {"depth": 300}))
    assert store.depths(keys) == [300] * len(keys)
    opened.write([found])
    opened.write([], *(finished(href) for href in hrefs[::2]))
    closer = store.admit(rows(*hrefs[:half]), None, **(WITH | {"depth": 2}))
    assert store.depths(keys) == [2] * half + [300] * half, "while the frame is pending"
    opened.write([closer])
    assert opened.open().depths([*keys, key_of("http://new.test/")]) == [2] * half + [300] * half + [None]


def test_x1_the_first_with_a_body_is_known_to_pages_of_all_partitions(opened: Opened) -> None:
    store, hrefs = opened.store, pages("a")
    woken = opened.write([store.admit(rows(*hrefs), None, **WITH)])
    for number, _ in woken:
        store.take(number, 9)
    for number, href in enumerate(hrefs[:6]):
        store.remember_content(bytes([number]) * 32, key_of(href))
    for number, href in enumerate(hrefs[:6]):
        assert {store.same_content(bytes([number]) * 32, key_of(other)) for other in hrefs[6:]} == {key_of(href)}
        assert store.same_content(bytes([number]) * 32, key_of(href)) is None
    store.forget_content(bytes(32), key_of(hrefs[0]))
    assert store.same_content(bytes(32), key_of(hrefs[1])) is None
    opened.write([], *(finished(href, content_hash=bytes([number]) * 32) for number, href in enumerate(hrefs[:6])))
    opened.store.close()
    again = opened.open()
    for number, href in enumerate(hrefs[:6]):
        assert again.same_content(bytes([number]) * 32, b"?" * 16) == key_of(href)


def test_c1_a_frame_that_was_applied_changes_nothing_when_it_comes_again(opened: Opened) -> None:
    store = opened.store
    found = store.admit(rows(*pages("a")), None, **WITH)
    frames = append_outcome(opened.log, store, Outcome(discoveries=[found]), 1.0)
    for frame in (*frames, *frames):
        apply_to_urls(store, frame)
    assert store.counts()["queued"] == len(HOSTS)
    assert find_position(store) == opened.log.end


def test_s10_a_store_of_another_crawl_says_so(opened: Opened) -> None:
    opened.write([opened.store.admit(rows(*pages("a")), None, **WITH)])
    opened.store.belong_to(opened.log.identity)
    with pytest.raises(NativeError, match="another crawl"):
        opened.store.belong_to(opened.log.identity + 1)


def test_c1_a_native_store_refuses_frames_and_passes_over_urls_of_other_partitions() -> None:
    store = native.UrlStore(MemoryTree(), capacity=1_000, share=(1, 3))
    hrefs = pages("a")
    own = {href for href in hrefs if native.partition_of_url(href, 3) == 1}
    found = store.admit(rows(*hrefs), None, **WITH)
    assert {url.href for url in native.decode_discoveries(found.data)} == own
    assert 0 < len(own) < len(hrefs)
    with pytest.raises(NativeError, match="partition"):
        store.apply(1, [found.data], [])
    store.apply(1, [found.data], [], partition=1)
    assert (store.applied, store.sequences) == (1, (0, 1))


def test_c1_if_one_store_fails_what_the_others_admitted_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Opened(3)
    assert isinstance(opened.store, PartitionedUrlStore)
    stores: list[Any] = list(opened.store._stores)
    stores[2] = Failing(stores[2])
    monkeypatch.setattr(opened.store, "_stores", stores)
    with pytest.raises(ValueError, match="planted"):
        opened.store.admit(rows(*pages("a")), None, **WITH)
    assert {opened.store.state(key_of(href)) for href in pages("a")} == {None}


class Failing:
    def __init__(self, store: UrlStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._store, name)
        return method

    def admit(self, *arguments: object, **named: object) -> Discoveries:
        raise ValueError("planted")
