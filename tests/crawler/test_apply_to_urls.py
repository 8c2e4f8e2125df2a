"""F5, F7: a durable frame is taken by the URL store, whatever a bug put into it."""

import msgspec
import pytest

from hondius.crawler.commit import apply_to_urls
from hondius.model import AnyEvent, Discovered, Finished, Frame, Reprioritised, Reread, State
from hondius.native import Identity, UrlStore

NOW = 1_000_000.0


def discovered(store: UrlStore, *hrefs: str) -> Discovered:
    urls = [(url.href, url.key) for url in map(Identity().parse, hrefs)]
    found = store.admit(urls, None, depth=0, priority=0.5, discovered_at=NOW, max_depth=None, via="seed")
    return Discovered(found.data, found.count)


def ended(href: str) -> Finished:
    url = Identity().parse(href)
    body = b"h" * 32
    return Finished(url.key, href, url.key_form, url.host, State.COMPLETED, "", content_hash=body, fetched_at=NOW)


GOOD = ended("http://a.test/1")


@pytest.mark.parametrize(
    "bad",
    [
        msgspec.structs.replace(GOOD, key=b"short"),
        msgspec.structs.replace(GOOD, content_hash=b"short"),
        msgspec.structs.replace(GOOD, depth=1 << 40),
        msgspec.structs.replace(GOOD, depth=-1),
        Discovered(b"\xff\xff\xff", 3),
        Reread(b"short", 1),
        Reprioritised(b"\x01short", 1),
        Reprioritised(b"\x09" + bytes(24), 1),
    ],
    ids=["key", "hash", "depth", "negative depth", "discoveries", "key to read again", "priorities", "their version"],
)
def test_f5_an_event_that_the_store_cannot_take_is_left_out_and_the_others_are_taken(bad: AnyEvent) -> None:
    store = UrlStore(":memory:")
    found = discovered(store, "http://a.test/1", "http://a.test/2", "http://b.test/")
    woken = apply_to_urls(store, Frame(1, NOW, (found, bad, ended("http://a.test/2")), 7))
    assert store.applied == 1
    assert len(woken) == 2
    states = [store.state(Identity().parse(f"http://a.test/{number}").key) for number in (1, 2)]
    assert states == ["queued", "finished"]
    store.close()


def test_f2_a_frame_gives_urls_that_wait_another_priority() -> None:
    store = UrlStore(":memory:")
    apply_to_urls(store, Frame(1, NOW, (discovered(store, "http://a.test/1", "http://a.test/2"),), 7))
    data, count = store.reprioritise([(Identity().parse("http://a.test/2").key, 0.9)])
    apply_to_urls(store, Frame(2, NOW, (Reprioritised(data, count), Reprioritised(b"", 0)), 7))
    assert [url.href for url in store.take(0, 9)] == ["http://a.test/2", "http://a.test/1"]
    store.close()
