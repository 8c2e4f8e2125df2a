"""X1: which page is a copy of which."""

from pathlib import Path

import pytest

from hondius.crawler.dedup import ORIGINAL_UNKNOWN, Copy, ExactCopies, format_warc_date
from hondius.model import Finished, Frame, State
from hondius.native import Fetched, Identity, QueuedUrl, UrlStore
from hondius.stores.catalog.embedded import EmbeddedCatalog
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


def end_of(url: QueuedUrl, fetched: Fetched) -> Finished:
    """As it is left to the commit, before that has named its original."""
    named = (url.key, url.href, url.href, "127.0.0.1")
    return Finished(
        *named, State.DUPLICATE, "copy", started_at=fetched.started_at, content_hash=fetched.content_hash, copy_of=""
    )


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
    assert (copy.original_url if copy else None) == (None if is_lost else fetched["/first"].href)


@pytest.mark.parametrize(("kind", "is_copy"), [("page", True), ("sitemap", False)])
def test_x1_a_page_is_no_copy_of_a_sitemap_that_the_store_remembers(
    fetched: dict[str, Fetched], kind: str, is_copy: bool
) -> None:
    """Stores of earlier versions remember the bodies of sitemaps, too."""
    store = UrlStore(":memory:")
    urls = queued(store, fetched)
    store.remember_content(fetched["/first"].content_hash or b"", urls["/first"].key)
    row = {"url": urls["/first"].href, "kind": kind, "started_at": 1.0, "status": 200, "body_removed_at": None}
    row["content_hash"] = fetched["/first"].content_hash
    copies = ExactCopies(store, {urls["/first"].key: row}.get, lambda key: [])
    assert copies.recognise(urls["/second"], fetched["/second"]) is ORIGINAL_UNKNOWN
    assert (copies.find_original(end_of(urls["/second"], fetched["/second"])) is not None) == is_copy


@pytest.mark.parametrize("has_same_body", [True, False])
def test_x1_x3_an_original_whose_recrawl_brought_no_answer_keeps_its_copies(
    fetched: dict[str, Fetched], tmp_path: Path, has_same_body: bool
) -> None:
    """The page's row shows its newest end, which names no request; the history of fetches tells when the body came."""
    store = UrlStore(":memory:")
    urls = queued(store, fetched)
    original, body = urls["/first"], fetched["/first"].content_hash or b""
    store.remember_content(body, original.key)
    named = (original.key, original.href, original.href, "127.0.0.1")
    earlier_body = body if has_same_body else bytes(32)
    completed = Finished(*named, State.COMPLETED, "", started_at=5.0, fetched_at=6.0, content_hash=earlier_body)
    refused = Finished(*named, State.BLOCKED, "robots")
    catalog = EmbeddedCatalog.open(tmp_path / "crawl.db")
    catalog.apply([Frame(1, 6.0, (completed,)), Frame(2, 9.0, (refused,))])

    copies = ExactCopies(store, catalog.page, catalog.fetches)
    assert copies.recognise(urls["/second"], fetched["/second"]) is ORIGINAL_UNKNOWN
    copy = copies.find_original(end_of(urls["/second"], fetched["/second"]))

    catalog.close()
    assert copy == (Copy(original.href, format_warc_date(5.0)) if has_same_body else None)


@pytest.mark.parametrize("fact", [{"content_hash": bytes(32)}, {"status": 304}, {"body_removed_at": 9.0}])
def test_x3_s9_an_original_without_the_body_is_none_and_an_earlier_fetch_may_have_it(
    fetched: dict[str, Fetched], fact: dict[str, object]
) -> None:
    """It has changed since, it was answered by a 304, or retention removed the body."""
    store = UrlStore(":memory:")
    urls = queued(store, fetched)
    original, body = urls["/first"], fetched["/first"].content_hash or b""
    sound = {"started_at": 5.0, "status": 200, "content_hash": body, "body_removed_at": None}
    row = {"url": original.href, "kind": "page", **sound, "started_at": 8.0, **fact}
    for earlier, expected in [([sound], Copy(original.href, format_warc_date(5.0))), ([], None)]:
        store.remember_content(body, original.key)
        fetches = {original.key: [*earlier, row]}
        copies = ExactCopies(store, {original.key: row}.get, fetches.__getitem__)
        assert copies.recognise(urls["/second"], fetched["/second"]) is ORIGINAL_UNKNOWN
        assert copies.find_original(end_of(urls["/second"], fetched["/second"])) == expected
