"""The URL store as Python sees it (U4, F1, F3-F5). What it does inside is tested in Rust."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Thread

import pytest

from hondius._native import (
    Discoveries,
    Identity,
    LinkPolicy,
    NativeError,
    QueuedUrl,
    UrlStore,
    decode_discoveries,
)
from tests.native.loopback import Client, response, serving

NOW = 1_700_000_000.25
SMALL = 8 * 1024 * 1024


def key(href: str) -> bytes:
    return sha256(href.encode()).digest()[:16]


def admit(
    store: UrlStore, *hrefs: str, policy: LinkPolicy | None = None, depth: int = 1, max_depth: int | None = None
) -> Discoveries:
    rows = [(href, key(href)) for href in hrefs]
    return store.admit(rows, policy, depth=depth, priority=0.5, discovered_at=NOW, max_depth=max_depth, via="link")


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[UrlStore]:
    directory = ":memory:" if request.param == "memory" else str(tmp_path / "made" / "urls")
    opened = UrlStore(directory, capacity=10_000, cached_keys=1000, memory=SMALL)
    yield opened
    opened.close()


def test_a_url_goes_from_pending_to_queued_to_finished(store: UrlStore) -> None:
    found = admit(store, "http://a.test/1", "http://a.test/2")
    assert (found.count, found.known, found.outside, found.refused) == (2, 0, 0, [])
    assert store.state(key("http://a.test/1")) == "pending"
    assert store.apply(1, [found.data], []) == [(0, 7)]
    assert store.applied == 1
    assert store.origins() == [(0, 7)]
    assert (store.origin(0), store.origin(1)) == ("http://a.test", None)
    assert (store.number("http://a.test"), store.number("http://b.test")) == (0, None)
    assert store.state(key("http://a.test/1")) == "queued"
    taken = store.take(0, 1)
    assert [url.href for url in taken] == ["http://a.test/1"]
    assert store.apply(2, [], [(taken[0].key, sha256(b"body").digest())]) == []
    assert store.state(taken[0].key) == "finished"
    assert store.same_content(sha256(b"body").digest(), key("http://a.test/2")) == taken[0].key
    assert store.same_content(sha256(b"body").digest(), taken[0].key) is None
    assert store.queued(0) == 1
    counts = store.counts()
    assert [counts[name] for name in ("seen", "queued", "parked", "finished", "origins")] == [2, 1, 0, 1, 1]


def test_f1_only_an_origin_without_more_gives_fewer_than_were_asked_for(store: UrlStore) -> None:
    """The frontier does not ask again after that, until `apply` names the origin."""
    for frame, depth in enumerate((1, 9, 1, 5), start=1):
        found = admit(store, *(f"http://a.test/{frame}/{n}" for n in range(50)), depth=depth, max_depth=4)
        store.apply(frame, [found.data], [(url.key, None) for url in store.take(0, 7)])
    answers: list[list[QueuedUrl]] = []
    while not answers or len(answers[-1]) == 8:
        answers.append(store.take(0, 8, max_depth=5))
    assert store.take(0, 8, max_depth=5) == []
    assert store.apply(5, [admit(store, "http://a.test/more").data], []) == [(0, 7)]
    assert [url.href for url in store.take(0, 8, max_depth=5)] == ["http://a.test/more"]


def test_what_is_decoded_and_handed_out_tells_all_that_was_admitted(store: UrlStore) -> None:
    source = key("http://a.test/")
    found = store.admit(
        [("http://a.test/map.xml", key("map"))],
        None,
        depth=3,
        priority=0.1,
        discovered_at=NOW,
        max_depth=None,
        via="redirect",
        kind="sitemap",
        hops=2,
        source=source,
        is_seed=True,
    )
    store.apply(1, [found.data], [])
    (decoded,) = decode_discoveries(found.data)
    (queued,) = store.take(0, 5)
    for url in (decoded, queued):
        assert (url.href, url.key, url.priority, url.depth) == ("http://a.test/map.xml", key("map"), 0.1, 3)
        assert (url.via, url.kind, url.hops, url.source, url.discovered_at) == ("redirect", "sitemap", 2, source, NOW)
    assert queued.is_seed
    renamed = queued.renamed("https://a.test/map.xml")
    assert (renamed.href, renamed.key, renamed.hops, renamed.is_seed) == ("https://a.test/map.xml", key("map"), 3, True)


def test_the_policy_decides_natively_and_refusals_are_told(store: UrlStore) -> None:
    policy = LinkPolicy(scope="host", skip_extensions=["zip"])
    policy.extend("http://a.test/")
    found = admit(store, "http://a.test/1", "http://a.test/big.zip", "http://b.test/", policy=policy)
    assert (found.count, found.outside, found.out_of_scope) == (1, 1, 1)
    assert found.refused == [("http://a.test/big.zip", key("http://a.test/big.zip"), "extension")]
    again = admit(store, "http://a.test/1", "http://a.test/big.zip", "http://b.test/", policy=policy)
    assert (again.count, again.known, again.outside, again.data) == (0, 2, 1, b"")
    store.apply(1, [found.data], [(key("http://a.test/big.zip"), None)])
    assert store.state(key("http://a.test/big.zip")) == "finished"


def test_d1_what_is_excluded_is_outside_of_every_scope(store: UrlStore) -> None:
    policy = LinkPolicy(scope="host", exclude=["never"])
    policy.extend("http://a.test/")
    found = admit(store, "http://a.test/never", "http://b.test/1", "http://b.test/never", policy=policy)
    assert (found.count, found.outside, found.out_of_scope) == (0, 3, 2)


async def test_the_links_of_a_fetched_page_are_admitted_without_leaving_native_memory_d4(store: UrlStore) -> None:
    body = (
        b"<a href=/1>one</a> <a href=/1#again>one</a> <a rel=nofollow href=/2>two</a> <a href=http://far.test/>far</a>"
    )
    async with serving(response(body, "Content-Type: text/html")) as server:
        with Client() as client:
            fetched = await client.ask(server, "/")
    policy = LinkPolicy(scope="host")
    policy.extend(fetched.href)

    def admitted(follow_nofollow: bool) -> Discoveries:
        return store.admit_links(
            fetched,
            policy,
            depth=1,
            priority=0.5,
            discovered_at=NOW,
            max_depth=None,
            follow_nofollow=follow_nofollow,
        )

    found = admitted(False)
    assert (found.count, found.outside) == (1, 1)
    (url,) = decode_discoveries(found.data)
    assert (url.href, url.via, url.source) == (f"{fetched.href}1", "link", fetched.key)
    assert [url.href for url in decode_discoveries(admitted(True).data)] == [f"{fetched.href}2"]


def test_parked_urls_wait_for_a_limit_that_permits_them(store: UrlStore) -> None:
    found = admit(store, "http://a.test/deep", depth=5, max_depth=3)
    assert store.apply(1, [found.data], []) == []
    assert store.state(key("http://a.test/deep")) == "parked"
    assert store.origins(3) == []
    assert store.take(0, 1, max_depth=4) == []
    assert [number for number, _ in store.origins(5)] == [0]
    assert len(store.take(0, 1, max_depth=5)) == 1


def test_a_forgotten_frame_and_a_returned_url_are_as_if_they_had_never_been(store: UrlStore) -> None:
    found = admit(store, "http://a.test/1")
    store.forget_pending([found.data])
    assert store.state(key("http://a.test/1")) is None
    store.apply(1, [admit(store, "http://a.test/1").data], [])
    (url,) = store.take(0, 9)
    assert store.take(0, 9) == []
    store.give_back([url.key])
    assert [again.href for again in store.take(0, 9)] == ["http://a.test/1"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda store: store.state(b"short"),
        lambda store: store.same_content(b"short", key("a")),
        lambda store: store.apply(1, [b"\x01\x02"], []),
        lambda store: store.apply(1, [b"\x63"], []),
        lambda store: store.admit(
            [("mailto:a@b.test", key("a"))], None, depth=0, priority=0, discovered_at=0, max_depth=None, via="seed"
        ),
        lambda store: store.admit([], None, depth=0, priority=0, discovered_at=0, max_depth=None, via="magic"),
        lambda store: store.admit(
            [], None, depth=0, priority=0, discovered_at=0, max_depth=None, via="seed", kind="robots"
        ),
    ],
)
def test_what_cannot_be_used_raises_and_changes_nothing(store: UrlStore, wrong) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NativeError) as error:
        wrong(store)
    assert error.value.kind in {"invalid", "corrupt"}
    assert store.applied == 0


def test_closing_twice_is_closing_once_and_a_closed_store_says_so(store: UrlStore) -> None:
    store.flush()
    store.close()
    store.close()
    with pytest.raises(NativeError, match="closed") as error:
        store.counts()
    assert error.value.kind == "invalid"


def test_a_closed_store_opens_again_where_it_was(tmp_path: Path) -> None:
    store = UrlStore(str(tmp_path), capacity=1000, memory=SMALL)
    store.apply(7, [admit(store, "http://a.test/1").data], [])
    with pytest.raises(NativeError, match="another process"):
        UrlStore(str(tmp_path), memory=SMALL)
    store.close()
    store = UrlStore(str(tmp_path), capacity=1000, memory=SMALL)
    assert store.applied == 7
    assert [url.href for url in store.take(0, 9)] == ["http://a.test/1"]


def test_frames_are_applied_on_one_thread_while_another_admits_and_takes(store: UrlStore) -> None:
    """Nothing is lost or served twice, whatever the interleaving."""
    log: list[bytes] = []
    identity = Identity()
    served: list[bytes] = []

    def apply() -> None:
        for sequence in range(1, 101):
            while len(log) < sequence:
                pass
            store.apply(sequence, [log[sequence - 1]], [(done, None) for done in served[sequence - 10 : sequence]])

    worker = Thread(target=apply)
    worker.start()
    for frame in range(100):
        urls = [identity.parse(f"http://h{number % 7}.test/{frame}/{number}") for number in range(50)]
        rows = [(url.href, url.key) for url in urls]
        found = store.admit(rows * 2, None, depth=1, priority=0.5, discovered_at=NOW, max_depth=None, via="link")
        assert (found.count, found.known) == (50, 50)
        log.append(found.data)
        served += [url.key for origin in range(7) for url in store.take(origin, 3)]
    worker.join()
    for origin in range(7):
        served += [url.key for url in store.take(origin, 5000)]
    assert len(served) == len(set(served)) == 5000
