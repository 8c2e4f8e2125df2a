"""`hondius search` (S7, O1)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hondius.operate.cli import main
from tests.journeys.scripted_site import Answer
from tests.operate.test_read_only import files, in_the_archive
from tests.use.opensearch_server import serve_bulk
from tests.use.searched_site import make_site
from tests.use.worlds import WORLDS, crawl_in_process, new_place

Run = Callable[..., tuple[str, str]]


@pytest.fixture(scope="module", params=WORLDS)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("searched")) as name:
        crawl_in_process(name, make_site())
        yield name


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """What a command prints and says; it must end with `status`."""

    def call(*arguments: object, status: int = 0) -> tuple[str, str]:
        capsys.readouterr()
        ended = main.run(["search", *map(str, arguments)])
        output, errors = capsys.readouterr()
        assert ended == status, errors
        return output, errors

    return call


def test_o1_results_are_readable(site: Path, run: Run) -> None:
    output, errors = run(site, "red shoes")
    assert output.splitlines()[0] == "1. Maps & shoes"
    assert "http://a.test/shop" in output
    assert "This shop sells red shoes" in output
    assert errors == "hondius: 1 page\n"
    output, errors = run(site, "no such words anywhere")
    assert (output, errors) == ("", "hondius: no page matches 'no such words anywhere'\n")


def test_o1_results_after_the_last_one_are_none(site: Path, run: Run) -> None:
    assert run(site, "red shoes", "--limit", "2", "--offset", "3") == ("", "hondius: 1 page, none from number 4 on\n")


def test_o1_a_host_that_the_crawl_does_not_know_is_refused(site: Path, run: Run) -> None:
    output, errors = run(site, "red shoes", "--host", "typo.test", status=2)
    assert output == ""
    assert errors == f"hondius: no URL of typo.test has ended in {site}: check the spelling of --host\n"


def test_o1_a_host_in_the_query_that_the_crawl_does_not_know_is_refused(site: Path, run: Run) -> None:
    _, errors = run(site, "red host:typo.test", status=2)
    assert errors == f"hondius: no URL of typo.test has ended in {site}: check the spelling of host:\n"
    assert run(site, "atlases host:a.test") == ("", "hondius: no page matches 'atlases host:a.test'\n")


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("title:nothing", "title: is no condition; conditions are host:, lang:, before:, after:"),
        ("red OR zebra", "OR is a word like others here; a page must have all words, and -word excludes one"),
        ("zebra http://a.test/", ""),
        ('"title:zebra"', ""),
    ],
)
def test_o1_a_query_that_is_meant_otherwise_is_told_so(site: Path, run: Run, query: str, hint: str) -> None:
    _, errors = run(site, query)
    assert errors == f"hondius: no page matches {query!r}{': ' + hint if hint else ''}\n"


def test_o1_results_are_json_lines(site: Path, run: Run) -> None:
    output, _ = run(site, "東京都", "--json")
    (line,) = output.splitlines()
    hit = json.loads(line)
    (start, end), *_ = hit["marks"]
    assert (hit["url"], hit["title"], hit["snippet"][start:end]) == ("http://a.test/ja", "地図帳", "東京都")
    assert hit["fetched_at"].startswith("20")


def test_o1_limit_and_offset_and_what_comes_next(site: Path, run: Run) -> None:
    first, errors = run(site, "host:a.test", "--limit", 3)
    assert "1 to 3 of 8 pages" in errors
    assert "--offset 3" in errors
    second, _ = run(site, "host:a.test", "--limit", 3, "--offset", 3)
    assert second.startswith("4. ")
    assert not set(first.splitlines()[1::3]) & set(second.splitlines()[1::3])


def test_o1_options_are_conditions(site: Path, run: Run) -> None:
    for query, options, found in (
        ("plates", ["--language", "de"], 0),
        ("plates", ["--language", "en", "--host", "a.test", "--after", "-2h"], 1),
        ("plates", ["--before", "2001-01-01"], 0),
        ("plates", ["--copies"], 2),
        ("owner reserves", ["--for", "search"], 0),
        ("owner reserves", ["--for", "ai-train"], 1),
    ):
        assert len(run(site, query, "--json", *options)[0].splitlines()) == found, options


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([""], "search for what"),
        (["atlas", "--limit", "0"], "cannot be shown"),
        (["atlas", "--host", "a/b"], "is no host"),
        (["atlas", "--for", "resale"], "unknown use"),
        (["atlas", "--send"], "leave out the query"),
        (["--send"], "names no OpenSearch server"),
    ],
)
def test_o1c_wrong_use_is_one_line(site: Path, run: Run, arguments: list[str], said: str) -> None:
    _, errors = run(site, *arguments, status=2)
    assert said in errors
    assert errors.count("\n") == 1


def test_s7_an_index_that_is_missing_or_old_can_be_left_as_it_is(tmp_path: Path, run: Run) -> None:
    for number, world in enumerate(WORLDS):
        root = tmp_path / str(number)
        root.mkdir()
        with new_place(world, root) as name:
            crawl_in_process(name, {"/": Answer.page()})
            assert "leave out --no-update" in run(name, "t", "--no-update", status=1)[1]
            run(name, "t")
            assert "http://a.test/" in run(name, "t", "--no-update")[0]


def test_s7_pages_are_sent_afterwards(tmp_path: Path, run: Run) -> None:
    for number, world in enumerate(WORLDS):
        root = tmp_path / str(number)
        root.mkdir()
        with new_place(world, root) as name, serve_bulk() as server:
            crawl_in_process(name, make_site())
            assert main.run(["config", str(name), f"search.opensearch={server.url}"]) == 0
            assert run(name, "--send")[1] == "hondius: sent 9 pages\n"
            assert len(server.documents) == 9
            server.documents.clear()
            assert run(name, "--send")[1] == "hondius: sent 0 pages\n"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    crawl_in_process(tmp_path / "crawl", make_site())
    return tmp_path / "crawl"


def test_s7_a_crawl_that_cannot_be_written_can_be_searched(crawl: Path) -> None:
    for _ in range(2):
        before = files(crawl)
        ended = in_the_archive(crawl, "search", crawl, "red shoes")
        assert "http://a.test/shop" in ended.stdout
        assert "for this search only" in ended.stderr
        assert files(crawl) == before
        assert main.run(["search", str(crawl), "red shoes"]) == 0  # the second time, with an index


def test_s7_a_missing_package_is_named(crawl: Path) -> None:
    program = "import sys; sys.modules['tantivy'] = None; from hondius.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "search", str(crawl), "atlas"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "pip install 'hondius[search]'" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_s7_text_of_strangers_cannot_control_the_terminal(tmp_path: Path) -> None:
    page = "<title>Evil \x1b[31m title</title><p>Some words \x1b]0;x\x07 and \u202e others on this page of a stranger."
    crawl_in_process(tmp_path / "crawl", {"/": Answer(page)})
    command = [sys.executable, "-m", "hondius", "search", str(tmp_path / "crawl"), "evil"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "Evil" in ended.stdout
    assert not set("\x1b\x07\u202e") & set(ended.stdout)


def count_files(directory: Path) -> int:
    """A damaged or unfinished index is removed and begun again, so the directory may vanish at any moment."""
    try:
        return len(os.listdir(directory))
    except FileNotFoundError:
        return 0


def test_s7_killed_while_indexing_the_next_search_completes_the_index(crawl: Path) -> None:
    """Killed at the first sign of each of the index's files, again and again."""
    command = [sys.executable, "-m", "hondius", "search", str(crawl), "red shoes", "--json"]
    for number in range(4):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < ends:
            if count_files(crawl / "search") > number * 3:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.kill()
        process.wait(60)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.splitlines()) == 1
    every = subprocess.run(
        [*command[:-2], "host:a.test", "--copies", "--json"], capture_output=True, text=True, timeout=60
    )
    assert len(every.stdout.splitlines()) == 9


def test_s10_rebuild_removes_the_index_and_the_next_search_builds_it_again(crawl: Path, run: Run) -> None:
    run(crawl, "red shoes")
    assert main.run(["rebuild", str(crawl)]) == 0
    assert not (crawl / "search").exists()
    assert "http://a.test/shop" in run(crawl, "red shoes")[0]


def test_s7_a_damaged_index_is_rebuilt_by_the_next_search(crawl: Path, run: Run) -> None:
    run(crawl, "red shoes")
    for path in (crawl / "search").glob("*.store"):
        path.write_bytes(b"\0" * (path.stat().st_size - 200) + path.read_bytes()[-200:])
    assert "http://a.test/shop" in run(crawl, "red shoes")[0]
