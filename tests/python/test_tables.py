"""O2: pages as Arrow tables and data frames."""

import sys
from pathlib import Path

import pytest

import hondius
from hondius.errors import WrongUse
from tests.python.shop import BLUE, COPY, HIDDEN_URL, RED


def test_s6_pages_become_an_arrow_table(shop: Path) -> None:
    pytest.importorskip("pyarrow")
    with hondius.open(shop) as crawl:
        table = crawl.pages(language="en").to_arrow(["url", "title", "markdown"])
        rows = {row["url"]: row for row in table.to_pylist()}
        assert set(rows) == {RED, COPY}
        assert rows[RED]["markdown"] == crawl[RED].markdown
        assert crawl.pages().to_arrow().num_rows == crawl.pages().count()
        assert sum(batch.num_rows for batch in crawl.pages().to_batches()) == crawl.pages().count()


def test_d4_the_content_of_a_page_that_asks_not_to_be_indexed_is_there_when_it_is_asked_for(shop: Path) -> None:
    pytest.importorskip("pyarrow")
    with hondius.open(shop) as crawl:
        assert HIDDEN_URL not in crawl.pages().to_arrow()["url"].to_pylist()
        rows = crawl.pages(noindex=True, pattern="hidden").to_arrow(["url", "title"]).to_pylist()
        assert rows == [{"url": HIDDEN_URL, "title": "Secret"}]


def test_s6_pages_become_data_frames(shop: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    with hondius.open(shop) as crawl:
        german = crawl.pages(language="de")
        assert list(german.to_pandas()["url"]) == german.to_polars()["url"].to_list() == [BLUE]


def test_s6_columns_are_named_as_in_the_command(shop: Path) -> None:
    pytest.importorskip("pyarrow")
    with hondius.open(shop) as crawl:
        table = crawl.pages(language="de").to_arrow("url, title")
        assert table.to_pylist() == [{"url": BLUE, "title": "Schuhe"}]


@pytest.mark.parametrize(
    ("package", "method", "extra"),
    [
        ("pyarrow", "to_arrow", "parquet"),
        ("pandas", "to_pandas", "pandas"),
        ("polars", "to_polars", "polars"),
        ("pyarrow", "to_pandas", "pandas"),
        ("pyarrow", "to_polars", "polars"),
    ],
)
def test_o2_a_missing_extra_is_named_in_one_line(
    shop: Path, monkeypatch: pytest.MonkeyPatch, package: str, method: str, extra: str
) -> None:
    pytest.importorskip(package)
    monkeypatch.setitem(sys.modules, package, None)
    with (
        hondius.open(shop) as crawl,
        pytest.raises(WrongUse, match=rf"install it with `pip install 'hondius\[{extra}\]"),
    ):
        getattr(crawl.pages(), method)()
