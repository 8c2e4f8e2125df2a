"""`hondius extract` (O1): what it prints and writes, and what it refuses."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hondius.operate.cli import main
from tests.journeys.scripted_site import Answer
from tests.use.extract_shop import BLUE, HIDDEN, RED, RED_PAGE, SITE
from tests.use.worlds import WORLDS, crawl_in_process, new_place, served

Say = Callable[..., tuple[str, str]]
RULES = """
match = "/p/"
[fields]
title = "h1"
price = { css = ".price", type = "price" }
weight = ".weight"
"""


@pytest.fixture(scope="module", params=WORLDS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(RULES)
    return path


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


def test_o1_rows_go_to_standard_output_as_json_lines(shop: Path, rules: Path, say: Say) -> None:
    output, errors = say("extract", shop, "--rules", rules)
    rows = sorted((json.loads(line) for line in output.splitlines()), key=lambda row: row["url"])
    assert rows == [
        {"url": BLUE, "title": "Blue shoes", "price": 12.5, "weight": None},
        {"url": RED, "title": "=Red shoes", "price": 1299.0, "weight": None},
    ]
    assert "wrote 2 rows from 2 pages" in errors
    assert "found on no page: weight" in errors


def test_o1_a_file_has_the_format_of_its_name(shop: Path, rules: Path, say: Say, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    cells, columns = tmp_path / "rows.csv", tmp_path / "rows.parquet"
    for path in (cells, columns):
        assert f"wrote 2 rows from 2 pages to {path}" in say("extract", shop, "--rules", rules, "-o", path)[1]
    lines = cells.read_text().splitlines()
    assert lines[0] == "url,title,price,weight"
    assert f"{RED},'=Red shoes,1299.0," in lines, "a formula is harmless"
    table = parquet.read_table(columns)
    assert sorted(table["price"].to_pylist()) == [12.5, 1299.0]
    assert [str(field.type) for field in table.schema] == ["string", "string", "double", "string"]


def test_o1_filters_choose_pages(shop: Path, rules: Path, say: Say) -> None:
    output, _ = say("extract", shop, "--rules", rules, "--noindex", "--copies")
    assert len(output.splitlines()) == 4
    assert any(json.loads(line)["url"] == HIDDEN for line in output.splitlines())
    assert say("extract", shop, "--rules", rules, "--until", "2001-01-01")[0] == ""


def test_o1_a_page_of_the_crawl_is_tried(shop: Path, rules: Path, say: Say) -> None:
    output, _ = say("extract", shop, "--rules", rules, "--try", RED)
    lines = [line.split(maxsplit=1) for line in output.splitlines()]
    assert ["title", "=Red shoes"] in lines
    assert ["price", "1.299,00 €"] in lines
    assert "found nothing: weight" in output
    _, errors = say("extract", shop, "--rules", rules, "--try", "http://a.test/never", status=1)
    assert "leave the directory out to fetch it" in errors
    _, errors = say("extract", shop, "--rules", rules, "--try", "http://a.test/missing", status=1)
    assert errors.count("\n") == 1


def test_o1_a_local_file_is_tried(rules: Path, say: Say, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(RED_PAGE.replace("=Red", "\x1b[31mRed"))
    output, _ = say("extract", "--rules", rules, "--try", page, "--base", RED)
    assert "Red shoes" in output
    assert "\x1b" not in output
    output, _ = say("extract", "--rules", rules, "--try", page, "--json")
    tried = json.loads(output)
    assert tried["missing"] == ["weight"]
    assert tried["rows"][0]["price"] == 1299.0
    page.write_text("nothing")
    assert "no row" in say("extract", "--rules", rules, "--try", page, status=1)[0]


def test_o1_a_trial_says_that_match_does_not_select_the_page(rules: Path, shop: Path, say: Say, tmp_path: Path) -> None:
    rules.write_text(RULES.replace("/p/", "/products/"))
    page = tmp_path / "page.html"
    page.write_text(RED_PAGE)
    for words in ((shop, "--try", RED), ("--try", page, "--base", RED)):
        output, _ = say("extract", "--rules", rules, *words, status=1)
        assert "=Red shoes" in output
        assert output.splitlines()[-1] == "match does not select this page: an extraction has no row of it"
        output, _ = say("extract", "--rules", rules, *words, "--json", status=1)
        assert json.loads(output)["refused_by"] == "match"
    assert "does not select" not in say("extract", "--rules", rules, "--try", page)[0], "its URL is not known"
    rules.write_text(f'language = "de"\n{RULES}')
    assert "language does not select this page" in say("extract", shop, "--rules", rules, "--try", RED, status=1)[0]


def test_o1_a_trial_whose_host_has_no_address_advises_a_setting_that_extract_takes(rules: Path, say: Say) -> None:
    output, errors = say("extract", "--rules", rules, "--try", "http://nowhere.test/p/1", status=1)
    assert (output, errors.count("\n")) == ("", 1)
    assert errors.endswith("""give an address with --set 'fetch.resolve=["HOST=ADDRESS"]'\n""")
    assert "→" not in errors


def test_b4_a_url_is_fetched_for_a_trial_as_a_crawl_would(rules: Path, say: Say) -> None:
    with served(SITE | {"/robots.txt": Answer.robots("User-agent: *\nDisallow: /p/blue\n")}) as site:
        network = ("--set", f'fetch.resolve=["*.test=127.0.0.1:{site.port}"]')
        output, _ = say("extract", "--rules", rules, "--try", RED, *network)
        assert "1.299,00 €" in output
        _, errors = say("extract", "--rules", rules, "--try", BLUE, *network, status=1)
        assert "robots.txt" in errors
        paths = [request.path for request in site.requests]
    assert paths.count("/p/red") == 1
    assert "/p/blue" not in paths
    assert set(paths) <= {"/robots.txt", "/p/red"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "which rules?"),
        (("--rules", "{rules}"), "which crawl?"),
        (("{shop}", "--rules", "{rules}", "--format", "warc"), "warc has no rows"),
        (("{shop}", "--rules", "{rules}", "--format", "xls"), "unknown --format xls"),
        (("{shop}", "--rules", "{rules}", "--json"), "--json is for --try"),
        (("--rules", "{rules}", "--try", "nowhere.html"), "is neither a file nor a URL"),
        (("{shop}", "--rules", "{rules}", "--try", "x", "--base", "y"), "leave it out"),
        (("nowhere", "--rules", "{rules}"), "nowhere"),
        (("{shop}", "--rules", "missing.toml"), "missing.toml cannot be read"),
    ],
)
def test_o1c_wrong_use_is_one_line(shop: Path, rules: Path, say: Say, words: tuple[str, ...], message: str) -> None:
    output, errors = say("extract", *(word.format(shop=shop, rules=rules) for word in words), status=2)
    assert output == ""
    assert message in errors
    assert errors.count("\n") == 1
