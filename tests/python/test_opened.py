"""O2: `hondius.open`."""

import asyncio
import re
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import hondius
from hondius.errors import BadDirectory, BadSetting, HondiusError, UnknownUrl, WrongUse
from hondius.python.filters import Filters, make_filter
from hondius.use.row_filter import RowFilter
from tests.python.shop import BLUE, COPY, GONE, HIDDEN_URL, HOME, MOVED, RED

ALL = {HOME, RED, COPY, BLUE, HIDDEN_URL, MOVED, GONE}
SELECTIONS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {HOME, RED, COPY, BLUE}),
    ({"noindex": True}, {HOME, RED, COPY, BLUE, HIDDEN_URL}),
    ({"states": "any", "noindex": True}, ALL),
    ({"states": ["failed", "redirected"]}, {GONE, MOVED}),
    ({"language": "en"}, {RED, COPY}),
    ({"language": ["de", "fr"]}, {BLUE}),
    ({"status": "4xx", "states": "any"}, {GONE}),
    ({"status": 404}, {GONE}),
    ({"status": 404, "states": "completed"}, set()),
    ({"status": ["2xx"], "language": "de"}, {BLUE}),
    ({"status": [301, 404], "states": "any"}, {GONE, MOVED}),
    ({"pattern": r"/red(-|$)"}, {RED, COPY}),
    ({"host": "a.test", "pattern": "blue"}, {BLUE}),
    ({"host": ["*.test", "b.test"]}, {HOME, RED, COPY, BLUE}),
    ({"host": "b.test"}, set()),
    ({"since": datetime.now(UTC) + timedelta(days=1)}, set()),
    ({"until": datetime.now(UTC) + timedelta(days=1)}, {HOME, RED, COPY, BLUE}),
    ({"since": 0.0, "states": "any", "noindex": True}, ALL),
    ({"since": "-2h"}, {HOME, RED, COPY, BLUE}),
    ({"until": "-2h"}, set()),
    ({"since": "2001-02-03", "until": "2001-02-03T04:05+01:00"}, set()),
    ({"since": date(2001, 2, 3)}, {HOME, RED, COPY, BLUE}),
    ({"until": date(2001, 2, 3)}, set()),
    ({"host": None, "status": None, "pattern": None}, {HOME, RED, COPY, BLUE}),
    ({"kind": "sitemap", "states": "any"}, {"http://a.test/sitemap.xml"}),
]


@pytest.mark.parametrize(("filters", "expected"), SELECTIONS)
def test_o2_pages_are_filtered_in_the_store(shop: Path, filters: Filters, expected: set[str]) -> None:
    with hondius.open(shop) as crawl:
        pages = crawl.pages(**filters)
        assert {page.url for page in pages} == expected
        assert pages.count() == len(expected)


@pytest.mark.parametrize(("filters", "expected"), SELECTIONS)
def test_o2_a_row_is_judged_as_the_store_judges_it(shop: Path, filters: Filters, expected: set[str]) -> None:
    rows = RowFilter(make_filter(filters))
    with hondius.open(shop) as crawl:
        assert {row["url"] for row in crawl._crawl.catalog.pages() if rows.matches(row)} == expected


def test_o2_copies_can_be_left_out(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        assert len({RED, COPY} & {page.url for page in crawl.pages(copies=False)}) == 1


def test_o2_pages_can_be_iterated_over_again(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        pages = crawl.pages()
        assert [page.url for page in pages] == [page.url for page in pages] == [page.url for page in crawl]


def test_o2_a_filter_that_no_page_can_match_is_refused(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        with pytest.raises(BadSetting, match="unknown state done"):
            crawl.pages(states="done")
        with pytest.raises(WrongUse, match="needs a consumer"):
            crawl.pages(follow=True)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"purpos": "ai-train"}, "purpos is not a filter of pages; did you mean purpose?"),
        ({"lang": "de"}, "lang is not a filter of pages; did you mean language?"),
        ({"state": "failed"}, "did you mean states?"),
        ({"match": "/red"}, "did you mean pattern?"),
        ({"limit": 3}, "limit is not a filter of pages: there are host, language"),
        ({"since": "yesterday"}, "since 'yesterday' is not understood: write it like -2h or 2026-11-15T08:30"),
        ({"since": b"x"}, "since=b'x' is no time: give a datetime"),
        ({"until": True}, "until=True is no time"),
        ({"until": float("nan")}, "until=nan is no time"),
        ({"since": 1e300}, "since=1e+300 is no time"),
        ({"since": datetime.min}, "is no time: give a datetime"),
        ({"host": 5}, "host=5 is no filter: give a text, or a list of them"),
        ({"host": ["a.test", 5]}, "is no filter: give a text"),
        ({"status": 4.5}, "status=4.5 is no filter: give a number or a text"),
        ({"pattern": re.compile("x")}, "is no filter: give a text"),
        ({"noindex": "no"}, "noindex='no' is no filter: give True or False"),
        ({"copies": 0}, "copies=0 is no filter: give True or False"),
    ],
)
def test_o2_a_filter_of_another_name_or_type_is_refused_and_never_ignored(
    shop: Path, filters: dict[str, Any], message: str
) -> None:
    with hondius.open(shop) as crawl:
        for more in ({}, {"consumer": "index"}):
            with pytest.raises(BadSetting) as refused:
                crawl.pages(**(filters | more))
            assert message in str(refused.value)


def test_o2_a_url_without_a_scheme_is_read_as_seeds_are(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        with pytest.raises(UnknownUrl, match=r"^https://a\.test/red has not ended"):
            _ = crawl["a.test/red"]
        with pytest.raises(UnknownUrl, match=r"is no URL \(its host is not valid\)"):
            _ = crawl["http://a b/"]
        with pytest.raises(UnknownUrl, match="5 is no URL: give a text"):
            _ = crawl[5]  # type: ignore[index]


def test_o2_a_url_is_found_in_any_form_and_an_unknown_one_is_a_key_error_with_help(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        assert crawl["HTTP://A.test:80/red#here"].url == RED
        assert RED in crawl
        assert GONE in crawl
        assert "http://a.test/nothing" not in crawl
        assert "no url" not in crawl
        assert 7 not in crawl
        assert len(crawl) == len(ALL)
        with pytest.raises(KeyError) as caught:
            _ = crawl["http://a.test/nothing"]
        assert isinstance(caught.value, HondiusError)
        assert "hondius explain" in str(caught.value)
        assert str(caught.value).startswith("http://a.test/nothing has not ended")
        with pytest.raises(UnknownUrl, match="is no URL"):
            _ = crawl["no url"]


def test_o2_hosts_settings_and_summary(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        (host,) = crawl.hosts()
        assert (host.name, host.fetched, host.failed) == ("a.test", len(ALL) + 1, 2)  # and the sitemap
        assert host.average_response is not None
        assert host.not_before is None or host.not_before.year > 2000
        summary = crawl.summary()
        assert (summary.states["completed"], summary.states["duplicate"], summary.hosts) == (4, 1, 1)
        assert summary.causes["failed/http_404"] == 1
        assert (summary.running, summary.reason, summary.requests) == (False, "done", len(ALL) + 2)
        assert summary.started_at is not None
        assert summary.ended_at is not None
        assert summary.started_at < summary.ended_at
        assert crawl.settings.politeness.delay == 0


def test_o5_a_url_is_explained(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        assert crawl.explain(GONE).summary == "it ended: failed, http_404"
        assert crawl.explain("http://a.test/nothing").ending is None
        assert crawl.explain(RED, at=datetime(2001, 1, 1, tzinfo=UTC)).ending is None


def test_o2_a_crawl_is_used_without_with_in_a_running_loop_and_in_threads(shop: Path) -> None:
    async def use() -> str:
        crawl = hondius.open(str(shop))
        titles: list[str] = []
        threads = [threading.Thread(target=lambda: titles.append(crawl[RED].markdown)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert titles == [crawl[RED].markdown] * 4
        title = crawl[RED].title
        crawl.close()
        return title

    assert asyncio.run(use()) == "Red shoes"


def test_o2_a_closed_crawl_says_so(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        page = crawl[RED]
        assert page.title
    with pytest.raises(WrongUse, match="open it again"):
        _ = crawl[RED]
    with pytest.raises(WrongUse, match="open it again"):
        crawl.pages()


def test_o2_where_there_is_no_crawl_nothing_is_opened(tmp_path: Path) -> None:
    with pytest.raises(BadDirectory):
        hondius.open(tmp_path / "nothing")


async def test_o2_the_same_is_awaited(shop: Path) -> None:
    async with hondius.open_async(shop) as crawl:
        page = await crawl.load(await crawl.page(RED), "markdown", "links")
        assert page.markdown.startswith("# Red shoes")
        assert {page.url async for page in crawl.pages(language="en")} == {RED, COPY}
        assert await crawl.count(states="any", noindex=True) == len(ALL)
        assert [host.name for host in await crawl.hosts()] == ["a.test"]
        assert (await crawl.links(RED))[0].url == HOME
        assert (await crawl.summary()).reason == "done"
        assert (await crawl.explain(GONE)).summary == "it ended: failed, http_404"
        with pytest.raises(KeyError):
            await crawl.page("http://a.test/nothing")


def test_o2_public_names_are_listed_and_others_unknown() -> None:
    assert set(hondius.__all__) <= set(dir(hondius))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = hondius.nothing
