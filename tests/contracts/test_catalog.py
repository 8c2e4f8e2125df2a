"""The contract of `Catalog`, for every adapter."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hondius.errors import BadSetting, BrokenView
from hondius.model import (
    AnyEvent,
    Archived,
    Blacklisted,
    Discovered,
    Failed,
    Finished,
    FoundCloser,
    Frame,
    HostState,
    JudgedAgain,
    LeftOut,
    PageFilter,
    PageOrder,
    RefusedMore,
    RobotsCopy,
    RunEnded,
    RunStarted,
    ScopeExtended,
    SeedsTaken,
    State,
)
from hondius.native import Identity, UrlStore
from hondius.ports import Catalog
from hondius.position import Position
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.catalog.memory import Database, MemoryCatalog
from hondius.use.row_filter import RowFilter

ADAPTERS: dict[str, Callable[[Path], Catalog]] = {
    "embedded": lambda root: EmbeddedCatalog.open(root / "crawl.db"),
    "in memory": lambda root: MemoryCatalog(Database()),
}


@pytest.fixture(params=ADAPTERS)
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    catalog = ADAPTERS[request.param](tmp_path)
    yield catalog
    catalog.close()


def frame(sequence: int, *events: AnyEvent) -> Frame:
    return Frame(sequence, float(sequence), events)


def finished(number: int, state: State = State.COMPLETED, cause: str = "", **fields: Any) -> Finished:
    url = f"http://a.test/{number}"
    return Finished(number.to_bytes(16, "big"), url, url, "a.test", state, cause, **fields)


def failed(number: int, count: int, at: float = 1.0) -> Failed:
    return Failed(number.to_bytes(16, "big"), f"http://a.test/{number}", "a.test", "timeout", "slow", count, at, at + 2)


def test_a_new_catalog_knows_nothing(catalog: Catalog) -> None:
    assert catalog.position.frames == 0
    assert catalog.page(b"k" * 16) is None
    assert list(catalog.pages()) == []
    assert catalog.host("a.test") is None
    assert catalog.robots("http://a.test") is None
    assert catalog.totals() == {
        "states": {},
        "causes": {},
        "sitemaps": {},
        "requisites": {},
        "hosts": 0,
        "fetches": 0,
        "wire_bytes": 0,
        "refused_more": 0,
        "unread_links": 0,
    }


def test_c1_each_partition_is_applied_in_its_own_order_and_no_frame_twice(catalog: Catalog) -> None:
    def host(partition: int, sequence: int, stamp: int) -> Frame:
        state = HostState(f"{partition}.test", float(stamp), 2.0)
        return Frame(sequence, 1.0, (state,), 7, partition=partition, stamp=stamp)

    frames = [host(2, 1, 1), host(0, 1, 2), host(2, 2, 3), host(0, 2, 4), host(2, 3, 5)]
    catalog.apply([frames[0], frames[2]])
    assert (catalog.position, catalog.log) == (Position((0, 0, 2)), 7)
    catalog.apply(frames[:4])
    catalog.apply(frames[:4])
    assert catalog.position == Position((2, 0, 2))
    with pytest.raises(BrokenView, match="has applied frame 2 and was given frame 4"):
        catalog.apply([host(0, 3, 5), host(2, 4, 6)])
    assert catalog.position == Position((2, 0, 2))
    catalog.apply(frames)
    assert catalog.position == Position((2, 0, 3))
    newest = [catalog.host(f"{partition}.test") for partition in (0, 2)]
    assert [(state.at, catalog.frame_of(state)) for state in newest if state is not None] == [(4.0, 4), (5.0, 5)]


def test_a_page_shows_all_that_its_event_says(catalog: Catalog) -> None:
    """S2"""
    event = finished(
        1,
        started_at=1.0,
        fetched_at=2.0,
        status=200,
        type="text/html",
        charset="UTF-8",
        length=10,
        wire_length=5,
        truncated=True,
        title="Ünï\x00code",
        content_hash=b"h" * 32,
        simhash=7,
        etag=b'"e"',
        source=b"s" * 16,
        warc_file="x.warc.gz",
        warc_offset=3,
        warc_length=4,
    )
    catalog.apply([frame(1, event)])
    page = catalog.page(event.key)
    assert page is not None
    assert page["url"] == "http://a.test/1"
    assert page["state"] == "completed"
    assert page["title"] == "Ünï\x00code"
    assert (page["last_fetched_at"], page["fetch_count"], page["change_count"]) == (2.0, 1, 0)
    assert (page["warc_file"], page["warc_offset"], page["warc_length"]) == ("x.warc.gz", 3, 4)
    assert (page["content_hash"], page["source"], page["simhash"]) == (b"h" * 32, b"s" * 16, 7)
    assert catalog.page(b"other") is None


def test_a_simhash_with_its_highest_bit_set_is_given_back_as_it_was(catalog: Catalog) -> None:
    catalog.apply([frame(1, finished(1, simhash=2**64 - 5))])
    page = catalog.page(finished(1).key)
    assert page is not None
    assert page["simhash"] == 2**64 - 5


def test_pages_come_in_the_order_of_the_key_and_by_state(catalog: Catalog) -> None:
    events = [finished(n, State.BLOCKED if n % 2 else State.COMPLETED) for n in range(1200, 0, -1)]
    catalog.apply([frame(1, *events)])
    assert [page["key"] for page in catalog.pages()] == sorted(event.key for event in events)
    assert {page["state"] for page in catalog.pages(PageFilter(states=(State.BLOCKED,)))} == {"blocked"}
    assert sum(1 for _ in catalog.pages(PageFilter(states=("blocked", "failed")))) == 600


def page(url: str, **fields: Any) -> Finished:
    parsed = Identity().parse(url)
    rest: dict[str, Any] = {"state": State.COMPLETED, "cause": "", **fields}
    return Finished(parsed.key, parsed.href, parsed.key_form, parsed.host, **rest)


FILTERED = {
    "http://a.test/1": {"fetched_at": 10.0, "status": 200, "language": "en-GB", "warc_file": "b", "warc_offset": 1},
    "http://b.a.test/product/2": {"fetched_at": 20.0, "status": 404, "state": State.FAILED, "language": "EN"},
    "http://xa.test/product/": {"fetched_at": 86_400.0, "status": 200, "language": "enm", "noindex": True},
    "http://c.b.a.test/4": {"state": State.DUPLICATE, "fetched_at": 86_401.0, "language": "pt_BR"},
    "http://a.test/sitemap.xml": {"kind": "sitemap", "status": 206, "warc_file": "a", "warc_offset": 9},
}


@pytest.mark.parametrize(
    ("selected", "numbers"),
    [
        (PageFilter(), "12345"),
        (PageFilter(hosts=("a.test",)), "15"),
        (PageFilter(hosts=("*.a.test",)), "24"),
        (PageFilter(hosts=("xa.test", "*.b.a.test")), "34"),
        (PageFilter(hosts=("*.a_test",)), ""),
        (PageFilter(pattern=r"/product/\d"), "2"),
        (PageFilter(pattern=r"^http://[ab]"), "125"),
        (PageFilter(since=20.0), "234"),
        (PageFilter(until=20.0), "1"),
        (PageFilter(since=20.0, until=86_400.0), "2"),
        (PageFilter(statuses=((200, 200),)), "13"),
        (PageFilter(statuses=((200, 299), (404, 404))), "1235"),
        (PageFilter(languages=("en",)), "12"),
        (PageFilter(languages=("en-gb", "PT")), "14"),
        (PageFilter(states=("failed", "duplicate")), "24"),
        (PageFilter(kinds=("page",)), "1234"),
        (PageFilter(copies=False), "1235"),
        (PageFilter(noindex=False), "1245"),
        (PageFilter(hosts=("*.a.test",), copies=False, pattern="product"), "2"),
    ],
)
def test_s6_pages_can_be_filtered(catalog: Catalog, selected: PageFilter, numbers: str) -> None:
    catalog.apply([frame(1, *(page(url, **fields) for url, fields in FILTERED.items()))])
    found = {row["url"] for row in catalog.pages(selected)}
    assert found == {list(FILTERED)[int(number) - 1] for number in numbers}


def test_s6_a_filter_that_includes_200_also_selects_content_that_a_304_confirmed(catalog: Catalog) -> None:
    pages = [
        page("http://a.test/completed", status=304),
        page("http://a.test/copy", status=304, state=State.DUPLICATE),
        page("http://a.test/failed", status=304, state=State.FAILED),
        page("http://a.test/missing", status=404, state=State.FAILED),
    ]
    catalog.apply([frame(1, *pages)])
    confirmed = {"http://a.test/completed", "http://a.test/copy"}
    cases: tuple[tuple[tuple[tuple[int, int], ...], set[str]], ...] = (
        (((200, 200),), confirmed),
        (((200, 299), (404, 404)), confirmed | {"http://a.test/missing"}),
        (((201, 299),), set()),
        (((304, 304),), confirmed | {"http://a.test/failed"}),
    )
    for statuses, expected in cases:
        selected = PageFilter(statuses=statuses)
        rows = RowFilter(selected)
        assert {row["url"] for row in catalog.pages(selected)} == expected
        assert {row["url"] for row in catalog.pages() if rows.matches(row)} == expected


@pytest.mark.parametrize(("order", "expected"), [("host", "15243"), ("day", "12345"), ("archive", "51234")])
def test_s6_pages_can_be_read_in_another_order(catalog: Catalog, order: PageOrder, expected: str) -> None:
    catalog.apply([frame(1, *(page(url, **fields) for url, fields in FILTERED.items()))])
    rows = list(catalog.pages(order=order))
    groups: dict[PageOrder, Callable[[dict[str, Any]], Any]] = {
        "host": lambda row: row["host"],
        "day": lambda row: row["last_fetched_at"] and row["last_fetched_at"] // 86_400,
        "archive": lambda row: (row["warc_file"], row["warc_offset"]),
    }
    urls = list(FILTERED)
    wanted = [catalog.page(Identity().parse(urls[int(number) - 1]).key) for number in expected]
    assert [groups[order](row) for row in rows] == [groups[order](row) for row in wanted if row is not None]
    assert {row["url"] for row in catalog.pages(PageFilter(pattern="a.test/1"), order)} == {"http://a.test/1"}
    for _, alike in groupby(rows, groups[order]):
        keys = [row["key"] for row in alike]
        assert keys == sorted(keys)


def test_s6_a_bad_pattern_is_refused_before_the_first_row(catalog: Catalog) -> None:
    with pytest.raises(BadSetting, match="'\\(a' is no regular expression: unclosed group"):
        catalog.pages(PageFilter(pattern="(a"))


def test_s6_pages_in_another_order_can_be_read_while_frames_are_applied(catalog: Catalog) -> None:
    catalog.apply([frame(1, *map(finished, range(1000)))])
    reading = catalog.pages(order="host")
    next(reading)
    catalog.apply([frame(2, finished(5000), finished(7, State.GONE))])
    assert sum(1 for _ in reading) == 999


def test_pages_can_be_read_while_frames_are_applied(catalog: Catalog) -> None:
    catalog.apply([frame(1, *map(finished, range(1000)))])
    reading = catalog.pages()
    next(reading)
    catalog.apply([frame(2, finished(5000))])
    assert sum(1 for _ in reading) == 1000


def test_a_frame_is_applied_once_however_often_it_comes(catalog: Catalog) -> None:
    """F5: after a crash the newest frames are applied again."""
    first, second = frame(1, finished(1, fetched_at=1.0, wire_length=10)), frame(2, finished(2))
    catalog.apply([first])
    catalog.apply([first, second])
    catalog.apply([second])
    assert catalog.position.frames == 2
    assert catalog.totals() == {
        "states": {"completed": 2},
        "causes": {("completed", ""): 2},
        "sitemaps": {},
        "requisites": {},
        "hosts": 0,
        "fetches": 1,
        "wire_bytes": 10,
        "refused_more": 0,
        "unread_links": 0,
    }


def test_f6_refusals_that_are_not_kept_are_counted_by_host_and_cause(catalog: Catalog) -> None:
    more = [RefusedMore(host, "shape", 7, 1.0) for host in ("a.test", "a.test", "b.test")]
    catalog.apply([frame(1, *more, RefusedMore("a.test", "too_long", 1, 2.0))])
    assert catalog.refused_more("a.test") == {"shape": 14, "too_long": 1}
    assert catalog.refused_more("c.test") == {}
    assert catalog.totals()["refused_more"] == 22


def test_a_sitemap_is_kept_and_is_no_page_of_the_totals(catalog: Catalog) -> None:
    catalog.apply([frame(1, finished(1), finished(2, kind="sitemap"), finished(3, State.FAILED, kind="sitemap"))])
    catalog.apply([frame(2, finished(2, State.FAILED, kind="sitemap"))])
    assert catalog.totals()["states"] == {"completed": 1}
    assert [page["kind"] for page in catalog.pages()] == ["page", "sitemap", "sitemap"]


def test_o2_all_hosts_are_listed_by_name(catalog: Catalog) -> None:
    hosts = [HostState(f"h{number:04}.test", 1.0, 2.0, fetched=number) for number in range(1_201)]
    catalog.apply([frame(1, *reversed(hosts))])
    assert list(catalog.hosts()) == hosts


def test_o1_all_fetches_are_listed_in_the_order_of_their_frames(catalog: Catalog) -> None:
    ends = [finished(number, started_at=1.0, fetched_at=2.0, status=200) for number in range(1_201)]
    catalog.apply([frame(1, *ends[::-1])])
    listed = list(catalog.list_all_fetches())
    assert [row["key"] for row in listed] == [end.key for end in ends[::-1]]
    assert listed[0] == catalog.fetches(ends[-1].key)[0]


def test_o1_all_errors_are_listed_by_key_and_cause(catalog: Catalog) -> None:
    catalog.apply([frame(1, *(failed(number, 1) for number in range(1_201)))])
    catalog.apply([frame(2, finished(7, State.FAILED, "http_500", started_at=1.0))])
    listed = [(row["key"], row["cause"]) for row in catalog.list_errors()]
    assert listed == sorted(listed)
    assert len(listed) == len(set(listed)) >= 1_201
    assert next(iter(catalog.list_errors()))["host"] == "a.test"


def test_d5_hosts_are_counted_by_their_address(catalog: Catalog) -> None:
    hosts = [HostState(f"h{n}.test", 1.0, 1.0, address="127.0.0.1:80" if n % 2 else None) for n in range(10)]
    catalog.apply([frame(1, *hosts)])
    assert (catalog.hosts_at("127.0.0.1:80", 100), catalog.hosts_at("127.0.0.1:80", 3)) == (5, 3)
    assert catalog.hosts_at("127.0.0.2:80", 100) == 0


def test_d5_answers_but_for_recrawls_are_summed_for_a_registrable_domain(catalog: Catalog) -> None:
    names = ("shop.example", "a.shop.example", "b.shop.example", "other.example")
    catalog.apply([frame(1, *(HostState(name, 1.0, 1.0, fetched=5) for name in names))])
    catalog.apply([frame(2, HostState("a.shop.example", 1.0, 1.0, fetched=9, recrawled=2))])
    assert catalog.fetched_of_domain("shop.example") == 17
    assert catalog.fetched_of_domain("never.example") == 0


def test_p1_the_longest_crawl_delay_is_known(catalog: Catalog) -> None:
    assert catalog.longest_crawl_delay() == 60.0
    hosts = [HostState(f"h{n}.test", 1.0, 1.0, crawl_delay=n * 50.0) for n in range(3)]
    catalog.apply([frame(1, *hosts)])
    assert catalog.longest_crawl_delay() == 100.0


def test_a_gap_is_refused_and_changes_nothing(catalog: Catalog) -> None:
    catalog.apply([frame(1)])
    with pytest.raises(BrokenView, match=r"has applied frame 2 .* given frame 4.*rebuild"):
        catalog.apply([frame(2, finished(1)), frame(4)])
    assert catalog.position.frames == 1
    assert list(catalog.pages()) == []


def test_d1_what_was_left_out_is_listed_until_the_scope_has_grown_and_it_was_judged_again(catalog: Catalog) -> None:
    one, two = LeftOut(finished(1).key, 3, 1), LeftOut(b"", 0, 0, "http://a.test")
    catalog.apply([frame(1, SeedsTaken(1.0, "s", 1, False, "http://a.test/"), finished(1))])
    assert not catalog.has_left_out()
    catalog.apply([frame(2, one), frame(3, two)])
    assert catalog.has_left_out()
    assert catalog.left_out(9) == [], "the scope is as it was"
    catalog.apply([frame(4, SeedsTaken(1.0, "s", 2, True, "http://b.test/"))])
    assert catalog.left_out(9) == [one, two]
    assert catalog.left_out(1) == [one]
    catalog.apply([frame(5, JudgedAgain(one.key), one, JudgedAgain(two.key, two.origin))])
    assert catalog.left_out(9) == [], "it was judged by the newest scope, and is listed for the next"
    assert catalog.has_left_out()
    catalog.apply([frame(6, LeftOut(one.key, 2, 2), ScopeExtended("http://c.test/"))])
    assert catalog.left_out(9) == [LeftOut(one.key, 2, 1)], "at its lowest depth"
    catalog.apply([frame(7, JudgedAgain(one.key))])
    assert not catalog.has_left_out()


def test_d1_the_first_of_several_findings_tells_which_scope_judged(catalog: Catalog) -> None:
    """A sitemap is judged piece by piece, and its end comes last."""
    piece = LeftOut(finished(1).key, 1)
    catalog.apply([frame(1, piece), frame(2, ScopeExtended("http://b.test/")), frame(3, piece)])
    assert catalog.left_out(9) == []
    catalog.apply([frame(4, finished(1, kind="sitemap"))])
    assert catalog.left_out(9) == [piece]


def found_closer(number: int, depth: int) -> FoundCloser:
    """The event of a URL store for a URL that ended at a greater depth."""
    store, url = UrlStore(":memory:"), (f"http://a.test/{number}", number.to_bytes(16, "big"))
    for deep in (9, depth):
        found = store.admit(
            [url], None, depth=deep, priority=0.5, discovered_at=1.0, max_depth=None, via="link", source=b"s" * 16
        )
    return FoundCloser(found.closer, found.closer_count)


@pytest.mark.parametrize("at_once", [True, False])
def test_d5_a_page_that_is_found_closer_has_its_new_depth_and_source(catalog: Catalog, at_once: bool) -> None:
    frames = [
        frame(1, finished(1, depth=4), finished(2, depth=2)),
        frame(2, found_closer(1, 3), found_closer(2, 3), found_closer(7, 3)),
        frame(3, finished(1, depth=4), found_closer(1, 1)),
        frame(4, found_closer(1, 2)),
    ]
    for batch in [frames] if at_once else [[one] for one in frames]:
        catalog.apply(batch)
    depths = {page["url"]: (page["depth"], page["source"]) for page in catalog.pages()}
    assert depths == {"http://a.test/1": (1, b"s" * 16), "http://a.test/2": (2, None)}
    assert catalog.totals()["states"] == {"completed": 2}


def test_totals_follow_a_url_from_one_end_to_another(catalog: Catalog) -> None:
    catalog.apply([frame(1, finished(1), finished(2, State.FAILED, "http_404", fetched_at=1.0))])
    catalog.apply([frame(2, finished(1, State.FAILED, "http_500"), finished(2))])
    assert catalog.totals()["states"] == {"completed": 1, "failed": 1}
    assert catalog.totals()["causes"] == {("completed", ""): 1, ("failed", "http_500"): 1}


def test_totals_are_right_where_a_url_ends_twice_in_one_batch(catalog: Catalog) -> None:
    catalog.apply([frame(1, finished(1), finished(1, State.GONE, "http_410"))])
    assert catalog.totals()["causes"] == {("gone", "http_410"): 1}


def test_a_page_counts_its_fetches_and_changes(catalog: Catalog) -> None:
    """R1: only a body that differs from the last known one is a change."""
    hashes = [b"a" * 32, b"a" * 32, b"b" * 32]
    for sequence, content in enumerate(hashes, 1):
        catalog.apply([frame(sequence, finished(1, fetched_at=float(sequence), content_hash=content))])
    page = catalog.page(finished(1).key)
    assert page is not None
    assert (page["fetch_count"], page["change_count"]) == (3, 1)
    assert (page["first_fetched_at"], page["last_fetched_at"]) == (1.0, 3.0)


def test_a_host_and_a_robots_copy_are_given_back_as_they_were_last(catalog: Catalog) -> None:
    host = HostState("a.test", 1.0, 2.0, 3.0, "127.0.0.1:80", 4, 5, 6.0, 7, 8, 9.0)
    robots = RobotsCopy("http://a.test", 1.0, "parsed", 200, 2.0, b"\xff\x00body", 3.0, None, 0, "")
    catalog.apply(
        [frame(1, HostState("a.test", 0.0, 0.0), host, RobotsCopy("http://a.test", 0.0, "none", 404, 1.0), robots)]
    )
    assert catalog.host("a.test") == host
    assert catalog.robots("http://a.test") == robots
    assert catalog.totals()["hosts"] == 1
    catalog.apply([frame(2, HostState("a.test", 5.0, 5.0), HostState("b.test", 5.0, 5.0))])
    assert catalog.totals()["hosts"] == 2


def test_a_retry_lasts_until_its_url_ends(catalog: Catalog) -> None:
    """P5"""
    catalog.apply([frame(1, failed(1, 1), failed(2, 1))])
    catalog.apply([frame(2, failed(1, 2, at=9.0))])
    assert catalog.retries(10) == [failed(1, 2, at=9.0), failed(2, 1)]
    assert catalog.retries(1) == [failed(1, 2, at=9.0)]
    assert catalog.retry(failed(2, 1).key) == failed(2, 1)
    assert catalog.retry(b"x" * 16) is None
    catalog.apply([frame(3, finished(1), failed(3, 1), finished(3))])
    assert catalog.retries(10) == [failed(2, 1)]
    catalog.apply([frame(4, finished(2, State.FAILED, "timeout"), failed(2, 1))])
    assert catalog.retries(10) == [failed(2, 1)], "a recrawl may fail anew"


def test_scope_comes_in_the_order_in_which_it_grew(catalog: Catalog) -> None:
    """D1"""
    catalog.apply([frame(1, ScopeExtended("http://b.test/"), ScopeExtended("http://a.test/"))])
    catalog.apply([frame(2, ScopeExtended("http://0.test/"))])
    joined = SeedsTaken(0.0, "seeds.txt", 2, is_last=False, scope="http://c.test/\nhttp://d.test/")
    catalog.apply([frame(3, joined)])
    inside = ["http://b.test/", "http://a.test/", "http://0.test/", "http://c.test/", "http://d.test/"]
    assert [href for hrefs in catalog.scope() for href in hrefs.splitlines()] == inside


def test_f3_sources_of_which_seeds_are_lacking_are_known_until_their_last(catalog: Catalog) -> None:
    catalog.apply([frame(1, SeedsTaken(0.0, "a.txt", 4_000, is_last=False, scope=""))])
    catalog.apply([frame(2, SeedsTaken(0.0, "b.txt", 2, is_last=True, scope=""))])
    assert catalog.unfinished_seeds() == [("a.txt", 4_000)]
    catalog.apply([frame(3, SeedsTaken(0.0, "a.txt", 4_001, is_last=True, scope=""))])
    assert catalog.unfinished_seeds() == []


def test_the_rest_is_remembered(catalog: Catalog) -> None:
    catalog.apply(
        [
            frame(1, RunStarted(1.0, "0.1.0"), Archived("a.warc.gz", 5), Discovered(b"x", 1)),
            frame(2, Archived("a.warc.gz", 9), Archived("b.warc.gz", 1), Blacklisted("bad.test", "asked", 3.0)),
            frame(3, RunEnded(4.0, "done")),
        ]
    )
    assert catalog.archived() == {"a.warc.gz": 9, "b.warc.gz": 1}
    assert catalog.blacklist() == [Blacklisted("bad.test", "asked", 3.0)]
    assert catalog.last_run() == {"started_at": 1.0, "version": "0.1.0", "ended_at": 4.0, "reason": "done"}


def test_a_domain_taken_off_the_blacklist_is_gone_from_it(catalog: Catalog) -> None:
    catalog.apply([frame(1, Blacklisted("a.test", "asked", 1.0), Blacklisted("b.test", "asked", 1.0))])
    catalog.apply([frame(2, Blacklisted("a.test", "", 2.0, lifted=True), Blacklisted("b.test", "", 2.0, lifted=True))])
    catalog.apply([frame(3, Blacklisted("b.test", "again", 3.0))])
    assert catalog.blacklist() == [Blacklisted("b.test", "again", 3.0)]


def test_a_run_that_has_not_ended_has_no_reason(catalog: Catalog) -> None:
    assert catalog.last_run() is None
    catalog.apply(
        [frame(1, RunStarted(1.0, "0.1.0")), frame(2, RunEnded(2.0, "done")), frame(3, RunStarted(3.0, "0.2.0"))]
    )
    assert catalog.last_run() == {"started_at": 3.0, "version": "0.2.0", "ended_at": None, "reason": None}


def test_pages_of_more_links_than_a_number_are_found(catalog: Catalog) -> None:
    catalog.apply([frame(1, finished(1, links=5), finished(2, links=20_000), finished(3))])
    assert sorted(catalog.list_pages_of_more_links(4, most=9)) == [("http://a.test/1", 5), ("http://a.test/2", 20_000)]
    assert catalog.list_pages_of_more_links(10_000, most=9) == [("http://a.test/2", 20_000)]
    assert catalog.list_pages_of_more_links(20_000, most=9) == []


def test_some_columns_of_pages_can_be_read_while_frames_are_applied(catalog: Catalog) -> None:
    """O1"""
    catalog.apply([frame(1, finished(2), finished(1, State.FAILED, "http_404", status=404))])
    rows = catalog.read_columns(("state", "status", "url"))
    first = next(rows)
    catalog.apply([frame(2, finished(3))])
    assert [first, *rows] == [
        ("completed", None, "http://a.test/2"),
        ("failed", 404, "http://a.test/1"),
        ("completed", None, "http://a.test/3"),
    ]
    assert list(catalog.read_columns(("cause",), PageFilter(states=("failed",)))) == [("http_404",)]
    assert list(catalog.read_columns(("cause",), PageFilter(hosts=("b.test",)))) == []
    with pytest.raises(ValueError, match="no column"):
        next(catalog.read_columns(("1; DROP TABLE pages",)))


def test_columns_of_many_pages_come_once_each(catalog: Catalog) -> None:
    catalog.apply([frame(1, *(finished(number) for number in range(12_001)))])
    catalog.apply([frame(2, *(finished(number, State.GONE) for number in range(0, 12_001, 7)))])
    read = [url for (url,) in catalog.read_columns(("url",))]
    assert len(read) == len(set(read)) == 12_001


def test_the_most_frequent_values_of_a_column_are_counted(catalog: Catalog) -> None:
    """X1"""
    copies = [finished(number, State.DUPLICATE, "copy", copy_of=f"http://a.test/{number % 3}") for number in range(10)]
    catalog.apply([frame(1, *copies, finished(20))])
    assert catalog.list_most_frequent("copy_of", 2) == [("http://a.test/0", 4), ("http://a.test/1", 3)]
    assert catalog.list_most_frequent("copy_of", 9, PageFilter(hosts=("b.test",))) == []


def test_places_of_links_can_be_those_of_some_hosts_only(catalog: Catalog) -> None:
    """S4"""
    places = [finished(n, links_file="a.links", links_offset=9 - n, links_index=n) for n in range(3)]
    elsewhere = msgspec.structs.replace(finished(3), url="http://b.test/", host="b.test")
    elsewhere = msgspec.structs.replace(elsewhere, links_file="a.links", links_offset=1, links_index=0)
    catalog.apply([frame(1, *places, elsewhere)])
    assert [place[:2] for place in catalog.list_link_locations("a.links")] == [(1, 0), (7, 2), (8, 1), (9, 0)]
    only = PageFilter(hosts=("b.test",))
    assert [place[3] for place in catalog.list_link_locations("a.links", only)] == ["http://b.test/"]
