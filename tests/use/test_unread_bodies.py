"""S6: every reader says how many bodies it could not read, in one line with the first URL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import hondius
from hondius.operate.cli import main
from tests.use.damaged_record import damage_record
from tests.use.sql_shop import BLUE, RED, SITE
from tests.use.worlds import DIRECTORY, crawl_in_process, new_place

UNREAD = f"1 body could not be read, {RED} first; "


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[Path]:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, SITE)
        damage_record(name, RED)
        yield name


@pytest.mark.parametrize("column", ["text", "main_text", "body"])
def test_s6_sql_says_how_many_bodies_could_not_be_read(
    damaged: Path, capfd: pytest.CaptureFixture[str], column: str
) -> None:
    pytest.importorskip("duckdb")
    assert main.run(["sql", str(damaged), f"select url from pages where {column} is null and url = '{RED}'"]) == 0
    output, errors = capfd.readouterr()
    assert RED in output
    assert errors.count(UNREAD + "the query saw these pages without their content") == 1
    assert main.run(["sql", str(damaged), "select url from pages"]) == 0
    assert "could not be read" not in capfd.readouterr().err


def test_s6_tables_and_queries_in_python_warn_of_bodies_that_could_not_be_read(damaged: Path) -> None:
    pytest.importorskip("duckdb")
    with hondius.open(damaged) as crawl:
        with pytest.warns(hondius.CrawlWarning, match=UNREAD + "the table has these pages without their content"):
            frame = crawl.pages().to_pandas("url,text")
        assert list(frame["url"][frame["text"].isna()]) == [RED]
        with pytest.warns(hondius.CrawlWarning, match=UNREAD + "the query saw"):
            crawl.sql("select text from pages")
        crawl.pages().to_arrow("url,title")
        crawl.sql("select title from pages")


def test_s7_a_search_says_once_how_many_bodies_the_index_is_without(
    damaged: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tantivy")
    assert main.run(["search", str(damaged), "shoes"]) == 0
    output, errors = capfd.readouterr()
    assert BLUE in output
    assert errors.count("could not be read") == errors.count(UNREAD + "only their titles") == 1
    assert main.run(["search", str(damaged), "shoes"]) == 0
    assert "could not be read" not in capfd.readouterr().err


def test_s7_a_search_in_python_warns_of_bodies_that_could_not_be_read(damaged: Path) -> None:
    pytest.importorskip("tantivy")
    with hondius.open(damaged) as crawl:
        with pytest.warns(hondius.CrawlWarning, match=UNREAD + "only their titles"):
            assert [hit.url for hit in crawl.search("shoes")] == [BLUE]
        assert crawl.search("shoes").total == 1
