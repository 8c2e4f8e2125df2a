"""`crawl.extract` and `page.css` (O2)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import hondius
from tests.use.extract_shop import BLUE, RED, RULES, SITE
from tests.use.worlds import WORLDS, crawl_in_process, new_place


@pytest.fixture(scope="module", params=WORLDS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name


def test_o2_rows_are_dictionaries_and_can_be_read_again(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        rows = crawl.extract(RULES)
        found = {row["url"]: row for row in rows}
        assert found[RED]["price"] == 1299.0
        assert found[RED]["released"] == datetime(2026, 11, 18, tzinfo=UTC)
        assert found[BLUE]["letters"] == ["a", "b"]
        assert rows.totals.pages == 2
        assert len(list(rows)) == 2
        assert rows.columns[:2] == ["url", "title"]
        assert len(list(crawl.extract(RULES, copies=True, noindex=True))) == 4


def test_o2_rows_are_read_as_they_are_asked_for(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        rows = crawl.extract({"fields": {"title": "h1"}})
        next(iter(rows))
        assert rows.totals.rows == 1


def test_o2_rows_become_tables(shop: Path) -> None:
    pytest.importorskip("pyarrow")
    with hondius.open(shop) as crawl:
        table = crawl.extract(RULES).to_arrow()
    assert sorted(table["price"].to_pylist()) == [12.5, 1299.0]


def test_o2_rules_come_from_a_file(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('match = "/p/"\n[fields]\ntitle = "h1"\n')
    with hondius.open(shop) as crawl:
        assert {row["title"] for row in crawl.extract(path)} == {"=Red shoes", "Blue shoes"}


def test_o2_what_is_wrong_is_said_in_one_line(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        with pytest.raises(hondius.BadSetting, match=r"rules: title: a name is expected"):
            crawl.extract({"fields": {"title": "h1["}})
        with pytest.raises(hondius.BadSetting, match="host is not a filter of extract"):
            crawl.extract(RULES, host="a.test")
        with pytest.raises(hondius.BadSetting, match="is no rule set"):
            crawl.extract(7)  # type: ignore[arg-type]


def test_o2_elements_of_a_page_are_found_by_css(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        page = crawl[RED]
        assert page.css("h1").text == "=Red shoes"
        assert page.css(".nothing").text == ""
        assert page.css("i").texts == ["a", "b"]
        more = page.css("a.more")[0]
        assert (more.name, more["href"], more.get("rel"), more.html) == ("a", "../about", None, "More")
        with pytest.raises(hondius.BadSetting, match="is no CSS selector"):
            page.css("a[")


async def test_o2_rows_come_without_blocking_the_loop(shop: Path) -> None:
    async with hondius.open_async(shop) as crawl:
        assert len([row async for row in crawl.extract(RULES)]) == 2
