"""`hondius sql` (O1): what it prints and writes, and what it refuses."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hondius.operate.cli import main
from hondius.use.sql.tables import TABLES
from tests.use.sql_shop import BLUE, FORBIDDEN, HOME, RED, SITE
from tests.use.worlds import WORLDS, crawl_in_process, new_place

pytest.importorskip("duckdb")
Say = Callable[..., tuple[str, str]]
PATIENT = ("--seconds", "600")


@pytest.fixture(scope="module", params=WORLDS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str]) -> Say:
    """Output and messages of a command, which must end with `status`."""

    def call(*arguments: object, status: int = 0) -> tuple[str, str]:
        capfd.readouterr()
        ended = main.run([str(argument) for argument in arguments])
        output, errors = capfd.readouterr()
        assert ended == status, errors
        return output, errors

    return call


def test_o1_a_query_prints_a_table(shop: Path, say: Say) -> None:
    output, _ = say("sql", shop, "SELECT url, status FROM pages WHERE status = 200 ORDER BY url", *PATIENT)
    lines = [line.split() for line in output.splitlines()]
    assert lines[0] == ["url", "status"]
    assert [HOME, "200"] in lines


def test_o1_a_table_that_is_too_wide_for_the_terminal_is_printed_as_records(
    shop: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = f"SELECT url, title, 'long words in [b]' AS text FROM pages WHERE url IN ('{BLUE}', '{RED}') ORDER BY url"
    monkeypatch.setenv("COLUMNS", "19")  # 8 for url, 5 for title, 8 for text, 2 between them
    output, _ = say("sql", shop, query, *PATIENT)
    first = f"url: {BLUE}\ntitle: =1+1\ntext: long words in [b]\n\n"
    assert output == f"{first}url: {RED}\ntitle: Red\ntext: long words in [b]\n\n"
    monkeypatch.setenv("COLUMNS", "23")
    output, _ = say("sql", shop, query, *PATIENT)
    assert output.splitlines()[0].split() == ["url", "title", "text"]


def test_q2_what_strangers_wrote_does_not_reach_the_terminal_as_it_is(shop: Path, say: Say) -> None:
    output, _ = say("sql", shop, f"SELECT anchor FROM links WHERE source_url = '{RED}'", *PATIENT)
    assert "\\x1b[31mblue" in output
    assert "\x1b" not in output


@pytest.mark.parametrize("name", ["rows.xlsx", "rows.txt", "rows.txt.gz"])
def test_o1_a_file_whose_name_has_no_format_is_refused(shop: Path, say: Say, tmp_path: Path, name: str) -> None:
    _, errors = say("sql", shop, "SELECT 1", "-o", tmp_path / name, status=2)
    assert f"no format has files that end in {Path(name).suffix}" in errors
    assert list(tmp_path.iterdir()) == []


def test_o1_a_file_gets_all_rows_in_the_format_of_its_name(shop: Path, say: Say, tmp_path: Path) -> None:
    query = f"SELECT url, title FROM pages WHERE url = '{BLUE}'"
    lines, cells, columns = tmp_path / "rows.jsonl", tmp_path / "rows.csv", tmp_path / "rows.parquet"
    for path in (lines, cells, columns):
        _, errors = say("sql", shop, query, "-o", path, *PATIENT)
        assert f"wrote 1 row to {path}" in errors
    assert json.loads(lines.read_text()) == {"url": BLUE, "title": "=1+1"}
    assert cells.read_text().splitlines() == ["url,title", f"{BLUE},'=1+1"]
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(columns).to_pylist() == [{"url": BLUE, "title": "=1+1"}]


def test_o1_a_duration_is_written_as_iso_8601_writes_it(shop: Path, say: Say) -> None:
    query = "SELECT INTERVAL 70 MILLISECONDS AS a, INTERVAL '14 months 3 days' AS b, [-INTERVAL 90 SECONDS] AS c"
    output, _ = say("sql", shop, query, "--format", "jsonl", *PATIENT)
    assert json.loads(output) == {"a": "PT0.07S", "b": "P14M3DT0S", "c": ["PT-90S"]}


def test_q2_a_value_that_a_format_does_not_have_leaves_no_file(shop: Path, say: Say, tmp_path: Path) -> None:
    for query, name in (("SELECT INTERVAL 1 DAY", "rows.parquet"), ("SELECT 'infinity'::DATE", "rows.jsonl")):
        path = tmp_path / name
        _, errors = say("sql", shop, query, "-o", path, *PATIENT, status=1)
        assert "select it as text" in errors
        assert errors.count("\n") == 1
        assert not path.exists()


def test_o1_rows_beyond_the_limit_are_mentioned(shop: Path, say: Say) -> None:
    output, errors = say("sql", shop, "FROM range(100)", "--rows", "2", "--format", "jsonl", *PATIENT)
    assert [json.loads(line) for line in output.splitlines()] == [{"range": 0}, {"range": 1}]
    assert "there are more rows than 2: raise --rows" in errors


def test_o1_without_a_query_the_tables_are_listed(shop: Path, say: Say) -> None:
    output, _ = say("sql", shop)
    assert all(f"{name}: {table.meaning}" in output for name, table in TABLES.items())


@pytest.mark.parametrize("what", ["read_text", "copy to a file", "two statements", "set"])
def test_q2_a_forbidden_statement_is_refused_with_one_line(shop: Path, say: Say, what: str) -> None:
    output, errors = say("sql", shop, FORBIDDEN[what], status=2)
    assert not output
    assert errors.startswith("hondius: ")
    assert errors.count("\n") == 1


def test_o1_a_query_that_takes_too_long_says_which_option_helps(shop: Path, say: Say) -> None:
    _, errors = say("sql", shop, "SELECT sum(range) FROM range(1000000000000)", "--seconds", "2", status=1)
    assert "--seconds" in errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "xml"), "unknown format xml"),
        (("--format", "table", "-o", "rows.txt"), "a table is for the terminal"),
        (("--memory", "1MB"), "at least 64 MiB"),
    ],
)
def test_o1_wrong_options_are_named(shop: Path, say: Say, arguments: tuple[str, ...], words: str) -> None:
    assert words in say("sql", shop, "SELECT 1", *arguments, status=2)[1]
