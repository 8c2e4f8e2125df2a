"""Priorities of single links, and of URLs that wait (F2). What the store does inside is tested in Rust."""

from collections.abc import Iterator
from hashlib import sha256

import pytest

from hondius._native import NativeError, UrlStore

NOW = 1_700_000_000.25
A, B, C = (f"http://a.test/{name}" for name in "abc")


def key(href: str) -> bytes:
    return sha256(href.encode()).digest()[:16]


def add(store: UrlStore, *hrefs: str, priorities: bytes | list[float] | None = None) -> None:
    found = store.admit(
        [(href, key(href)) for href in hrefs],
        None,
        depth=1,
        priority=0.5,
        discovered_at=NOW,
        max_depth=None,
        via="link",
        priorities=priorities,
    )
    store.apply(store.applied + 1, [found.data], [])


@pytest.fixture
def store() -> Iterator[UrlStore]:
    opened = UrlStore(":memory:", capacity=10_000)
    yield opened
    opened.close()


@pytest.mark.parametrize("priorities", [bytes([26, 230, 128]), [0.1, 0.9, 0.5]], ids=["bytes", "numbers"])
def test_f2_each_link_of_a_batch_may_have_its_own_priority(store: UrlStore, priorities: bytes | list[float]) -> None:
    add(store, A, B, C, priorities=priorities)
    taken = store.take(0, 9)
    assert [url.href for url in taken] == [B, C, A]
    assert [round(url.priority, 1) for url in taken] == [0.9, 0.5, 0.1]


def test_f2_links_without_a_priority_of_their_own_have_that_of_the_batch(store: UrlStore) -> None:
    add(store, A, B)
    assert [(url.href, url.priority) for url in store.take(0, 9)] == [(A, 0.5), (B, 0.5)]


def test_f2_priorities_of_another_number_of_links_are_refused(store: UrlStore) -> None:
    with pytest.raises(NativeError, match="1 priorities were given for 2 links"):
        add(store, A, B, priorities=b"\0")
    assert store.state(key(A)) is None


def test_f2_a_url_that_waits_gets_another_place_by_a_frame(store: UrlStore) -> None:
    add(store, A, B, C)
    data, count = store.reprioritise([(key(C), 0.9), (key(A), 0.5), (key("http://a.test/unknown"), 0.9)])
    assert count == 1
    assert [url.href for url in store.take(0, 1)] == [A]
    store.apply(store.applied + 1, [], [], reprioritised=[data])
    taken = store.take(0, 9)
    assert [(url.href, url.priority, url.depth) for url in taken] == [(C, 0.9, 1), (B, 0.5, 1)]


def test_f2_an_order_that_cannot_be_read_is_refused(store: UrlStore) -> None:
    add(store, A)
    for data in (b"\x01short", b"\x09"):
        with pytest.raises(NativeError):
            store.apply(store.applied + 1, [], [], reprioritised=[data])
    with pytest.raises(NativeError, match="a key has 16 bytes"):
        store.reprioritise([(b"short", 0.5)])


def test_reading_ahead_changes_nothing_and_never_fails(store: UrlStore) -> None:
    add(store, A)
    store.read_ahead([(A, key(A)), (B, key(B))], "a.test")
    store.expect(0)
    store.expect(99, max_depth=3)
    assert store.state(key(B)) is None
    store.close()
    store.read_ahead([(A, key(A))])
    store.expect(0)
