"""Answers that never were on a wire (Q3)."""

import gzip

import pytest

from hondius.native import (
    Identity,
    LinkPolicy,
    Listing,
    MemoryTree,
    NativeError,
    Page,
    Reader,
    Rehearsal,
    UrlStore,
    WarcSettings,
    decode_discoveries,
    warc_block,
    warc_page,
)

HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "a"\r\n\r\n'


def rehearsal() -> Rehearsal:
    reader = Reader(Identity(), agent_token="Hondius")
    return Rehearsal(reader, user_agent="Hondius/0", content_types=["text/html"])


def request(
    href: str = "http://a.test/", kind: str = "page"
) -> tuple[int, bytes, str, str, str, list[tuple[str, bytes]]]:
    return 7, Identity().parse(href).key, href, "192.0.2.1:0", kind, []


def test_bytes_are_understood_like_an_answer_of_the_engine() -> None:
    body = b"<title>One</title><a href=/two>2</a>"
    fetched = rehearsal().play(request(), started_at=1.0, ended_at=2.0, head=HEAD, body=body)
    assert (fetched.ticket, fetched.status, fetched.etag) == (7, 200, b'"a"')
    assert (fetched.started_at, fetched.ended_at, fetched.address) == (1.0, 2.0, "192.0.2.1:80")
    assert fetched.page is not None
    assert fetched.page.title == "One"
    store = UrlStore(":memory:")
    found = store.admit_links(
        fetched, LinkPolicy(scope="any"), depth=1, priority=0.5, discovered_at=0.0, max_depth=None
    )
    assert [url.href for url in decode_discoveries(found.data)] == ["http://a.test/two"]


def test_other_types_have_no_page_and_no_body() -> None:
    head = HEAD.replace(b"text/html", b"image/png")
    fetched = rehearsal().play(request(), started_at=1.0, ended_at=2.0, head=head, body=b"\x89PNG")
    assert (fetched.content_type, fetched.page, fetched.truncated) == ("image/png", None, True)


def test_a_failure_is_one_of_the_table() -> None:
    play = rehearsal().play
    failed = play(request(), started_at=1.0, ended_at=2.0, head=b"", body=b"", failure=("connection_reset", "gone"))
    assert (failed.failure, failed.detail, failed.status) == ("connection_reset", "gone", None)
    with pytest.raises(NativeError, match="no cause"):
        play(request(), started_at=1.0, ended_at=2.0, head=b"", body=b"", failure=("bad_luck", ""))


def test_s4_a_store_is_found_again_on_its_tree_without_what_was_never_applied() -> None:
    tree = MemoryTree()
    store = UrlStore(tree)
    one, two = (_admitted(store, href) for href in ("http://a.test/1", "http://a.test/2"))
    store.apply(1, [one], [])
    store.close()
    store = UrlStore(tree)
    assert store.applied == 1
    assert store.state(Identity().parse("http://a.test/1").key) == "queued"
    assert store.state(Identity().parse("http://a.test/2").key) is None, two


def test_s4_a_loss_of_power_takes_the_newest_frames_first() -> None:
    tree = MemoryTree()
    store = UrlStore(tree)
    store.flush()
    for sequence in (1, 2, 3):
        store.apply(sequence, [_admitted(store, f"http://a.test/{sequence}")], [])
    assert tree.unsynced == 3
    tree.lose(2)
    store.close()
    assert UrlStore(tree).applied == 2


def _admitted(store: UrlStore, href: str) -> bytes:
    url = (href, Identity().parse(href).key)
    found = store.admit([url], None, depth=0, priority=0.5, discovered_at=0.0, max_depth=None, via="seed")
    return found.data


LISTED = b"<urlset>" + b"".join(b"<url><loc>/%d</loc></url>" % number for number in range(5)) + b"</urlset>"
XML = HEAD.replace(b"text/html", b"application/gzip")


@pytest.mark.parametrize(
    ("kind", "head", "body", "is_sitemap", "is_page"),
    [
        ("sitemap", XML, LISTED, True, False),
        ("sitemap", HEAD, LISTED, True, False),
        ("sitemap", HEAD, b"<!---->" * 60 + b"<html><a href=/x>", False, True),
        ("sitemap", HEAD, b"<p>an excuse", False, True),
        ("sitemap", XML, b"", True, False),
        ("seed", XML, gzip.compress(LISTED), True, False),
        ("seed", HEAD, b"<rss><channel/></rss>", True, False),
        ("seed", HEAD, b"<html><urlset>", False, True),
        ("seed", XML, gzip.compress(b"a tape archive"), False, False),
        ("page", HEAD, LISTED, False, True),
    ],
)
def test_d1_d2_content_tells_sitemaps_from_pages(
    kind: str, head: bytes, body: bytes, is_sitemap: bool, is_page: bool
) -> None:
    fetched = rehearsal().play(request(kind=kind), started_at=1.0, ended_at=2.0, head=head, body=body)
    assert (fetched.is_sitemap, fetched.page is not None) == (is_sitemap, is_page)
    assert fetched.kind == ("page" if kind == "seed" else kind)


def test_d2_what_a_sitemap_lists_is_admitted_in_pieces() -> None:
    fetched = rehearsal().play(request(kind="sitemap"), started_at=1.0, ended_at=2.0, head=XML, body=LISTED)
    store, policy = UrlStore(":memory:"), LinkPolicy(scope="any")
    found = []
    for skip in (0, 2, 4, 6):
        some = store.admit_listed(
            fetched,
            "pages",
            policy,
            depth=1,
            priority=0.5,
            discovered_at=0.0,
            max_depth=None,
            via="sitemap",
            skip=skip,
            most=2,
        )
        found.append([url.href for url in decode_discoveries(some.data)] if some is not None else None)
    assert found == [[f"http://a.test/{n}" for n in piece] for piece in ((0, 1), (2, 3), (4,))] + [None]


@pytest.mark.parametrize(
    ("head", "body", "lists"),
    [
        (XML, LISTED, True),
        (XML, gzip.compress(LISTED), True),
        (HEAD, LISTED, True),
        (HEAD, b"<!doctype html><p>an excuse", False),
        (HEAD, b"<p>an excuse", False),
    ],
)
def test_d1_a_sitemap_is_read_again_from_the_archive_as_it_was_read_first(
    head: bytes, body: bytes, lists: bool
) -> None:
    fetched = rehearsal().play(request(kind="sitemap"), started_at=1.0, ended_at=2.0, head=head, body=body)
    assert fetched.is_sitemap is lists
    block = warc_block(WarcSettings(software="test"), [(fetched, None, None, None, "", True)], 0, "x.warc.gz")
    ((offset, length),) = block.positions
    reader = Reader(Identity(), agent_token="Hondius")
    record = block.data[offset : offset + length]
    again, elsewhere = warc_page(reader, fetched.href, record, cap=9_999, listed_as=fetched.content_type)
    assert elsewhere is None
    assert isinstance(again, Listing if lists else Page)
    if not isinstance(again, Listing):
        return
    store, policy, found = UrlStore(":memory:"), LinkPolicy(scope="any"), []
    for skip in (0, 3, 6):
        some = store.admit_archived_listing(
            again,
            fetched.key,
            "pages",
            policy,
            priority=0.5,
            discovered_at=0.0,
            max_depth=None,
            found_on="a.test",
            skip=skip,
            most=3,
        )
        found.append(decode_discoveries(some.data) if some is not None else [])
    assert [[url.href for url in piece] for piece in found] == [
        [f"http://a.test/{number}" for number in piece] for piece in ((0, 1, 2), (3, 4), ())
    ]
    assert {(url.depth, url.via, url.kind, url.source) for url in found[0]} == {(1, "sitemap", "page", fetched.key)}


LINK = b"Hello <a href=/two>2</a>"


@pytest.mark.parametrize(
    ("types", "body"),
    [
        ([], LINK),
        ([], b"<?xml version='1.0'?><html><body><script>1 < 2</script><a href='/two'/></body></html>"),
        ([], b"<!doctype html>" + LINK),
        (["nonsense"], LINK),
        (["text/plain"], LINK),
        (["text/html", "text/plain"], LINK),
        (["text/plain", "text/html; charset=utf-8"], LINK),
    ],
)
def test_d3_a_page_is_read_again_from_the_archive_by_the_type_that_it_was_read_by_first(
    types: list[str], body: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + b"".join(b"Content-Type: %b\r\n" % line.encode() for line in types) + b"\r\n"
    reader = Reader(Identity(), agent_token="Hondius", want_text=True)
    actors = Rehearsal(reader, user_agent="Hondius/0", content_types=["text/html", "text/plain", "application/xml"])
    fetched = actors.play(request(), started_at=1.0, ended_at=2.0, head=head, body=body)
    assert fetched.page is not None
    block = warc_block(WarcSettings(software="test"), [(fetched, None, None, None, "", True)], 0, "x.warc.gz")
    ((offset, length),) = block.positions
    again, _ = warc_page(reader, fetched.href, block.data[offset : offset + length], cap=9_999)
    exported = reader.read_archived(head, body, url=fetched.href)
    assert isinstance(again, Page)
    for page in (again, exported):
        assert [link.href for link in page.links] == [link.href for link in fetched.page.links]
        assert page.text == fetched.page.text


def test_a_head_that_the_engine_refuses_is_a_failure_here_too() -> None:
    for head in (b"no HTTP\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"):
        fetched = rehearsal().play(request(), started_at=1.0, ended_at=2.0, head=head, body=b"")
        assert (fetched.failure, fetched.status) == ("http_malformed", None)
