"""SQL over a crawl (O1): what it answers, in every world."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import hondius
from hondius.errors import BadSetting, HondiusError, WrongUse
from hondius.opening import Crawl, open_crawl
from hondius.use.sql.limits import Limits
from hondius.use.sql.loading import Withheld
from hondius.use.sql.result import Answer, ask
from hondius.use.sql.statement import check_statement
from hondius.use.sql.tables import TABLES, describe_tables
from tests.journeys.scripted_site import Answer as SiteAnswer
from tests.use.sql_shop import BLUE, BOMBS, FORBIDDEN, HIDDEN_URL, HOME, RED, SITE
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

pytest.importorskip("duckdb")
PATIENT = Limits(seconds=600)


@pytest.fixture(scope="module", params=WORLDS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """For what does not depend on the world."""
    with new_place(DIRECTORY, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name


@contextmanager
def opened(name: Path) -> Iterator[Crawl]:
    with open_crawl(name) as crawl:
        yield crawl


def query(name: Path, text: str, limits: Limits = PATIENT, *, noindex: bool = False) -> list[tuple[Any, ...]]:
    with opened(name) as crawl:
        return list(ask(crawl, text, limits, Withheld(noindex)).tuples())


def test_o1_links_know_their_source_and_target(shop: Path) -> None:
    found = query(shop, f"SELECT source_url, anchor, rel FROM links WHERE target_url = '{BLUE}' ORDER BY 1")
    assert found == [(HOME, "/blue", ""), (RED, "see \x1b[31mblue", "nofollow")]
    hosts = query(shop, f"SELECT DISTINCT target_host, source_host FROM links WHERE source_url = '{HOME}' ORDER BY 1")
    assert hosts == [("a.test", "a.test"), ("elsewhere.test", "a.test")]
    positions = query(shop, f"SELECT position, kind FROM links WHERE source_url = '{HOME}' ORDER BY position")
    assert positions == [(number, "anchor") for number in range(5)]


def test_o1_links_have_one_row_for_each_different_url_of_a_page(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, {"/": SiteAnswer.page("/x", "/x#part", "/y", "/x?utm_source=blog", "/x")})
        with hondius.open(name) as crawl:
            rows = crawl.sql("select target_url, position from links order by position").tuples()
            assert list(rows) == [("http://a.test/x", 0), ("http://a.test/y", 1)]
            page = crawl["http://a.test/"]
            assert [link.url for link in page.links] == ["http://a.test/x", "http://a.test/y"]
            assert list(crawl.sql("select links from pages where url = 'http://a.test/'").tuples()) == [(2,)]


def test_o1_tables_are_joined_by_key(shop: Path) -> None:
    joined = """SELECT p.url FROM pages p JOIN links l ON l.target_key = p.key
        WHERE l.source_url = 'http://a.test/red' AND p.state = 'completed'"""
    assert query(shop, joined) == [(BLUE,)]
    fetched = query(shop, "SELECT p.url, f.status FROM fetches f JOIN pages p USING (key) ORDER BY 1")
    assert (RED, 200) in fetched
    assert ("http://a.test/gone", 404) in fetched
    assert query(shop, "SELECT host, fetched FROM hosts") == [("a.test", 6)], (
        "five pages, and a sitemap that is missing"
    )


def test_o1_errors_are_counted_by_cause(shop: Path) -> None:
    joined = "SELECT p.url, e.cause, e.host, e.count FROM errors e JOIN pages p USING (key) ORDER BY 1"
    missing = [f"http://a.test/{name}" for name in ("gone", "sitemap.xml")]
    assert query(shop, joined) == [(url, "http_404", "a.test", 1) for url in missing]


def test_d4_the_content_of_a_page_that_asks_not_to_be_indexed_is_withheld_unless_asked_for(shop: Path) -> None:
    text = f"SELECT title, text FROM pages WHERE url = '{HIDDEN_URL}'"
    assert query(shop, text) == [("", None)]
    assert [title for title, _ in query(shop, text, noindex=True)] == ["Secret"]


def test_a5_text_and_markdown_are_read_only_if_the_query_names_them(shop: Path) -> None:
    assert "markdown" not in check_statement("SELECT * FROM pages").columns["pages"]
    assert check_statement("SELECT markdown FROM pages").columns == {"pages": ("markdown",)}
    ((markdown,),) = query(shop, f"SELECT Markdown FROM Pages WHERE url = '{RED}'")
    assert "Shoes that are red." in markdown


def test_o1_only_the_columns_that_a_query_needs_are_loaded() -> None:
    assert check_statement("SELECT count(*) FROM pages").columns == {"pages": ("url",)}
    assert check_statement("SELECT 1").columns == {}
    needed = check_statement("SELECT p.title FROM pages p JOIN hosts USING (host) WHERE status > 200").columns
    assert needed == {"pages": ("host", "status", "title"), "hosts": ("host",)}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT p FROM pages p",
        "SELECT pages FROM pages",
        "FROM pages NATURAL JOIN hosts",
        "SELECT COLUMNS('u.*') FROM pages",
    ],
)
def test_o1_a_query_that_names_no_columns_gets_those_of_a_star(text: str) -> None:
    assert check_statement(text).columns["pages"] == check_statement("SELECT * FROM pages").columns["pages"]


def test_o1_a_description_reads_no_rows(directory: Path) -> None:
    assert not check_statement("DESCRIBE links").needs_rows
    assert check_statement("SUMMARIZE links").needs_rows
    names = [row[0] for row in query(directory, "DESCRIBE links")]
    assert names == [column.name for column in TABLES["links"].columns]
    assert {row[0] for row in query(directory, "SHOW TABLES")} == set(TABLES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT urll FROM pages", "there is no column urll: did you mean url?"),
        ("SELECT url, p.statsu FROM pages p", "there is no column statsu: did you mean status?"),
        ("SELECT url FROM pages JOIN links ON ancor = url", "there is no column ancor: did you mean anchor?"),
        ("SELECT totl FROM (SELECT count(*) AS total FROM pages)", "there is no column totl: did you mean total?"),
        ("SELECT xyzzy FROM pages", "there is no column xyzzy: without a query, `hondius sql` lists all columns"),
        ("SELECT no_such_function(url) FROM pages", "no_such_function does not exist"),
    ],
)
def test_o1_a_misspelt_name_is_wrong_use(directory: Path, text: str, message: str) -> None:
    with pytest.raises(WrongUse) as raised:
        query(directory, text)
    assert message in str(raised.value)


def test_o1_explain_shows_a_plan(directory: Path) -> None:
    for text in ("EXPLAIN SELECT url FROM pages", "/* ü */ explain analyze SELECT url FROM pages"):
        assert query(directory, text)


def test_o1_every_table_and_column_can_be_selected(directory: Path) -> None:
    for table in TABLES.values():
        names = ", ".join(f'"{column.name}"' for column in table.columns)
        with opened(directory) as crawl:
            answer = ask(crawl, f"SELECT {names} FROM {table.name}", PATIENT)
        assert answer.columns == [column.name for column in table.columns]
        assert all(f"    {column.name} " in describe_tables([table]) for column in table.columns)


def test_o2_an_answer_is_a_table_of_any_library(directory: Path) -> None:
    with opened(directory) as crawl:
        answer = ask(crawl, "SELECT url, status, fetched_at FROM pages ORDER BY url", PATIENT)
    assert isinstance(answer, Answer)
    assert len(answer) == answer.to_arrow().num_rows == len(answer.to_pandas()) == len(answer.to_polars()) == 6
    assert next(iter(answer))["url"] == HOME
    assert next(answer.tuples())[:2] == (HOME, 200)


def test_o1_a_name_that_comes_twice_is_told_apart(directory: Path) -> None:
    with opened(directory) as crawl:
        assert ask(crawl, "SELECT 1 AS a, 2 AS a", PATIENT).columns == ["a", "a_2"]
        several = ask(crawl, "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a", PATIENT).columns
    assert several == ["a", "a_2", "a_2_2", "a_3"]


def test_o1_brackets_count_where_they_nest(directory: Path) -> None:
    wide = "SELECT " + ", ".join(["(1)"] * 500) + " -- " + "(" * 500
    assert len(query(directory, wide)[0]) == 500
    texts = f"SELECT '{'(' * 500}', $$ {'[' * 500} $$ /* {'{' * 500} */"
    assert query(directory, texts) == [("(" * 500, f" {'[' * 500} ")]


def test_o1_rows_beyond_the_limit_are_left_out_and_the_answer_says_so(directory: Path) -> None:
    with opened(directory) as crawl:
        cut = ask(crawl, "SELECT * FROM range(1000000000000)", Limits(rows=10, seconds=600))
        whole = ask(crawl, "SELECT * FROM range(10)", Limits(rows=10, seconds=600))
    assert (len(cut), cut.is_cut) == (10, True)
    assert (len(whole), whole.is_cut) == (10, False)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_q2_a_forbidden_statement_is_refused_in_one_line(what: str) -> None:
    with pytest.raises(WrongUse) as refused:
        check_statement(FORBIDDEN[what])
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 1_200


@pytest.mark.parametrize("what", BOMBS)
def test_q2_a_query_that_needs_too_much_is_stopped(what: str, directory: Path) -> None:
    with opened(directory) as crawl, pytest.raises(HondiusError) as stopped:
        ask(crawl, BOMBS[what], Limits(seconds=5, memory=128 << 20, result=1 << 20))
    assert any(word in str(stopped.value) for word in ("--seconds", "--memory", "select fewer")), stopped.value
    assert "\n" not in str(stopped.value)


def test_q2_a_mistake_is_explained_in_one_line(directory: Path) -> None:
    with pytest.raises(HondiusError, match="there is no column nothing: ") as failed:
        query(directory, "SELECT nothing FROM pages")
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize("value", ["'infinity'::DATE", "'290000-01-01'::TIMESTAMP", "['-infinity'::TIMESTAMPTZ]"])
def test_q2_a_time_that_python_does_not_have_is_named_in_one_line(directory: Path, value: str) -> None:
    with pytest.raises(HondiusError, match="select it as text"):
        query(directory, f"SELECT {value} AS at")
    assert query(directory, f"SELECT ({value})::VARCHAR IS NOT NULL") == [(True,)]


def test_q2_limits_that_make_no_sense_are_refused() -> None:
    wrong: list[dict[str, Any]] = [{"memory": 1}, {"seconds": 0}, {"rows": 0}, {"seconds": float("nan")}]
    wrong += [{"memory": "1GB"}, {"memory": None}, {"seconds": "5"}, {"seconds": True}, {"rows": 1.5}]
    for limits in wrong:
        with pytest.raises(BadSetting):
            Limits(**limits)


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_o2_a_missing_package_is_named(directory: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(WrongUse, match=rf"package {package} is missing.*pip install 'hondius\["):
        query(directory, "SELECT url FROM pages")
