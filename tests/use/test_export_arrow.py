"""S6: pages as Arrow tables and data frames, without a file."""

import sys

import pyarrow
import pytest

from hondius.errors import WrongUse
from hondius.model import PageFilter
from hondius.opening import open_crawl
from hondius.use.export import arrow
from tests.use.small_crawl import SmallCrawl


def test_a_reader_gives_batches_of_bounded_size(small_crawl: SmallCrawl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "BATCH_ROWS", 2)
    with open_crawl(small_crawl.directory) as crawl:
        reader = arrow.open_reader(crawl, PageFilter())
        assert [batch.num_rows for batch in reader] == [2, 2, 1]
    with open_crawl(small_crawl.directory) as crawl:
        monkeypatch.setattr(arrow, "BATCH_BYTES", 1)
        reader = arrow.open_reader(crawl, PageFilter(states=("completed",)), ["url", "body"], noindex=True)
        assert [batch.num_rows for batch in reader] == [1, 1]


def test_the_same_rows_as_table_and_data_frames(small_crawl: SmallCrawl) -> None:
    columns = ["url", "status", "fetched_at", "main_text"]
    with open_crawl(small_crawl.directory) as crawl:
        table = arrow.to_arrow(arrow.open_reader(crawl, PageFilter(), columns))
        frame = arrow.to_pandas(arrow.open_reader(crawl, PageFilter(), columns))
        fast = arrow.to_polars(arrow.open_reader(crawl, PageFilter(), columns))
    assert isinstance(table, pyarrow.Table)
    assert table.column_names == list(frame.columns) == fast.columns == columns
    assert table["url"].to_pylist() == list(frame["url"]) == fast["url"].to_list()
    assert len(table) == len(frame) == len(fast) == 5


def test_no_page_gives_a_table_without_rows_and_with_all_columns(small_crawl: SmallCrawl) -> None:
    with open_crawl(small_crawl.directory) as crawl:
        table = arrow.to_arrow(arrow.open_reader(crawl, PageFilter(hosts=("nobody.test",))))
    assert (table.num_rows, tuple(table.column_names)) == (0, arrow.DEFAULT_COLUMNS)


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_is_named(small_crawl: SmallCrawl, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with open_crawl(small_crawl.directory) as crawl:
        reader = arrow.open_reader(crawl, PageFilter(), ["url"])
        with pytest.raises(WrongUse, match=rf"pip install 'hondius\[{package}\]'"):
            (arrow.to_pandas if package == "pandas" else arrow.to_polars)(reader)
