"""X1: which page is a copy of which."""

import pytest

from hondius.crawler.dedup import ExactCopies
from hondius.native import Fetched, Identity, QueuedUrl, UrlStore
from tests.native.exchanges import fetch_all
from tests.native.loopback import response

PAGE = response(b"<p>the same words", "Content-Type: text/html")


@pytest.fixture
def fetched() -> dict[str, Fetched]:
    return fetch_all({"/first": PAGE, "/second": PAGE})


def queued(store: UrlStore, fetched: dict[str, Fetched]) -> dict[str, QueuedUrl]:
    rows = [(fetch.href, Identity().parse(fetch.href).key) for fetch in fetched.values()]
    found = store.admit(rows, None, depth=0, priority=0.5, discovered_at=1.0, max_depth=None, via="seed")
    ((origin, _),) = store.apply(1, [found.data], [])
    return dict(zip(fetched, store.take(origin, 9), strict=True))


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_body_that_came_before_is_a_copy_unless_the_first_was_lost(
    fetched: dict[str, Fetched], is_lost: bool
) -> None:
    """A damaged store keeps a page from being written down: no record may refer to it."""
    store = UrlStore(":memory:")
    urls, copies = queued(store, fetched), ExactCopies(store, lambda key: None, lambda key: [])
    assert copies.recognise(urls["/first"], fetched["/first"]) is None
    if is_lost:
        copies.forget(urls["/first"], fetched["/first"])
    copy = copies.recognise(urls["/second"], fetched["/second"])
    assert (copy.of if copy else None) == (None if is_lost else fetched["/first"].href)


@pytest.mark.parametrize(("kind", "is_copy"), [("page", True), ("sitemap", False)])
def test_x1_a_page_is_no_copy_of_a_sitemap_that_the_store_remembers(
    fetched: dict[str, Fetched], kind: str, is_copy: bool
) -> None:
    """Stores of earlier versions remember the bodies of sitemaps, too."""
    store = UrlStore(":memory:")
    urls = queued(store, fetched)
    store.remember_content(fetched["/first"].content_hash or b"", urls["/first"].key)
    row = {"url": urls["/first"].href, "kind": kind, "started_at": 1.0}
    copy = ExactCopies(store, {urls["/first"].key: row}.get, lambda key: []).recognise(
        urls["/second"], fetched["/second"]
    )
    assert (copy is not None) == is_copy
