"""`hondius export` as users call it (S6, O1)."""

import json
import signal
import subprocess
import zipfile
from pathlib import Path

import pyarrow.parquet
import pytest

from hondius.operate.cli import main
from hondius.use.export.columns import BY_NAME
from tests.acceptance.commands import HONDIUS
from tests.native.loopback import response
from tests.use.small_crawl import ANSWERS, HTML, SmallCrawl, make_crawl


def run(*words: object) -> int:
    return main.run(["export", *map(str, words)])


@pytest.mark.parametrize(
    ("output", "options", "start"),
    [
        ("rows.jsonl", [], b'{"url"'),
        ("rows.ndjson", [], b'{"url"'),
        ("rows.csv", [], b"url,host"),
        ("rows.parquet", [], b"PAR1"),
        ("out.warc.gz", [], b"\x1f\x8b"),
        ("out.wacz", [], b"PK"),
        ("rows", [], b'{"url"'),
        ("rows.txt", ["--format", "csv"], b"url,host"),
        ("rows.json", ["--format", "jsonl"], b'{"url"'),
        ("rows.csv", ["--format", "csv"], b"url,host"),
    ],
)
def test_the_name_of_the_output_tells_the_format(
    small_crawl: SmallCrawl, tmp_path: Path, output: str, options: list[str], start: bytes
) -> None:
    assert run(small_crawl.directory, "-o", tmp_path / output, *options) == 0
    assert (tmp_path / output).read_bytes().startswith(start)


def test_an_export_warns_of_a_host_that_the_crawl_does_not_know(
    small_crawl: SmallCrawl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(small_crawl.directory, "--host", "typo.test", "--host", "a.test", "--columns", "url") == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 5
    assert "hondius: no URL of typo.test has ended in" in printed.err


def test_a_directory_is_written_where_many_files_are_made(
    small_crawl: SmallCrawl, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(small_crawl.directory, "-o", tmp_path / "rows", "--partition-by", "host") == 0
    assert pyarrow.parquet.read_table(tmp_path / "rows").num_rows == 5
    assert run(small_crawl.directory, "-o", f"{tmp_path / 'pages'}/", "--format", "markdown") == 0
    assert len(list((tmp_path / "pages").rglob("*.md"))) == 1
    assert [line.split(" to ")[0] for line in capsys.readouterr().err.splitlines()] == [
        *("hondius: wrote 5 rows", "hondius: wrote 1 page"),
    ]


@pytest.mark.parametrize("output", ["out.warc.gz", "out.wacz"])
def test_an_archive_tells_its_records_and_its_pages(
    small_crawl: SmallCrawl, tmp_path: Path, capsys: pytest.CaptureFixture[str], output: str
) -> None:
    assert run(small_crawl.directory, "-o", tmp_path / output) == 0
    told = capsys.readouterr().err
    assert told == f"hondius: wrote the records of 4 URLs, 2 of them pages, to {tmp_path / output}\n"


def test_a_page_without_a_text_gets_no_markdown_file_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(ANSWERS, "/empty", response(b"<title>Nothing</title>", HTML))
    make_crawl(tmp_path / "crawl")
    assert run(tmp_path / "crawl", "--format", "markdown", "-o", tmp_path / "pages") == 0
    assert len(list((tmp_path / "pages").rglob("*.md"))) == 1
    assert capsys.readouterr().err.splitlines()[0].startswith("hondius: wrote 1 page to")
    assert run(tmp_path / "crawl", "--format", "markdown", "-o", tmp_path / "again") == 0
    assert capsys.readouterr().err.splitlines()[1] == "hondius: left out 1 page without a text"


FILTERS: list[tuple[list[str], set[str]]] = [
    (["--match", "/(copy|image)$"], {"copy", "image"}),
    (["--host", "a.test", "--status", "4xx"], {"missing"}),
    (["--host", "*.a.test"], set()),
    (["--status", "404", "--status", "200", "--no-copies"], {"", "hidden", "image", "missing"}),
    (["--state", "completed", "--kind", "page"], {"", "hidden"}),
    (["--kind", "sitemap"], set()),
    (["--since", "2026-11-15", "--until", "2026-11-16"], {"", "copy", "hidden", "image", "missing"}),
    (["--since", "2026-11-16"], set()),
    (["--language", "en"], set()),
]


@pytest.mark.parametrize(("options", "expected"), FILTERS)
def test_pages_are_chosen_by_options(
    small_crawl: SmallCrawl, capfd: pytest.CaptureFixture[str], options: list[str], expected: set[str]
) -> None:
    assert run(small_crawl.directory, "--columns", "url", *options) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert {row["url"].rpartition("/")[2] for row in rows} == expected


def test_the_older_flags_add_columns(small_crawl: SmallCrawl, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(small_crawl.directory, "--text", "--body", "--match", "/copy$") == 0
    row = json.loads(capfd.readouterr().out)
    assert list(row)[-2:] == ["text", "body"]
    assert run(small_crawl.directory, "--text", "--columns", "text,url", "--match", "/copy$") == 0
    assert list(json.loads(capfd.readouterr().out)) == ["text", "url"]


def test_the_columns_are_listed_without_a_crawl(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--columns", "help") == 0
    listed = capsys.readouterr().out
    assert all(f"| `{name}` |" in listed for name in BY_NAME)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--format", "xml"], "unknown --format xml; choose from jsonl, csv, parquet, markdown, warc, wacz"),
        (["--columns", "url,nothing"], "unknown column 'nothing'"),
        (["--columns", "url,,title"], "has an empty name"),
        (["--partition-by", "moon"], "unknown --partition-by moon; choose host or day"),
        (["--partition-by", "host", "--format", "csv"], "--partition-by needs --format parquet"),
        (["--match", "("], "is no regular expression"),
        (["--host", "a.test/x"], "is no host"),
        (["--status", "9xx"], "is no HTTP status"),
        (["--state", "finished"], "unknown state finished"),
        (["--kind", "feed"], "unknown kind feed"),
        (["--since", "tomorrow"], "--since 'tomorrow' is not understood"),
        (["--format", "markdown"], "name a new directory with -o"),
        (["--format", "wacz", "--columns", "url"], "wacz has no columns to choose"),
        (["-o", "pages/"], "does not say which format"),
        (["-o", "s.warc"], "no format has files that end in .warc: end -o s.warc in .jsonl, .csv, "),
        (["-o", "x.xlsx"], "no format has files that end in .xlsx"),
        (["-o", "x.gz"], "no format has files that end in .gz"),
        (["-o", "q.csv", "--partition-by", "host"], "-o q.csv is the name of a file"),
        (["-o", "q.warc", "--partition-by", "day", "--format", "parquet"], "-o q.warc is the name of a file"),
        (["-o", "nodir/x.csv"], "create the directory nodir first"),
        (["-o", "nodir/pages", "--format", "markdown"], "create the directory nodir first"),
        (["--format", "warc", "-o", "archive.zip"], "its name must end in .warc.gz"),
        (["--format", "jsonl", "-o", "x.csv"], "-o x.csv is a name for csv, but --format is jsonl: write --format csv"),
        (["--format", "csv", "-o", "x.ndjson.gz"], "is a name for jsonl"),
        (["--format", "parquet", "-o", "x.WARC.GZ"], "is a name for warc"),
        (["--format", "csv", "-o", "x.md"], "is a name for markdown"),
        (["--format", "warc", "-o", "x.wacz"], "is a name for wacz"),
        (["--format", "markdown", "-o", "s3://bucket/x.parquet"], "is a name for parquet"),
        (["-o", "s3:///rows.jsonl"], "write s3://BUCKET/NAME"),
    ],
)
def test_o1c_wrong_use_is_one_line_and_exit_status_2(
    small_crawl: SmallCrawl,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(small_crawl.directory, *options) == 2
    output, errors = capsys.readouterr()
    assert (output, len(errors.splitlines())) == ("", 1), errors
    assert expected in errors
    assert list(tmp_path.iterdir()) == []


def test_without_a_directory_it_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    assert "hondius export DIR" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pages", "warc"])
def test_s4_a_directory_is_not_made_among_the_files_of_the_crawl(
    crawl: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(crawl, "--format", "markdown", "-o", crawl / name) == 2
    assert "outside of" in capsys.readouterr().err


def test_o1c_ctrl_c_leaves_nothing_half_made(small_crawl: SmallCrawl, tmp_path: Path) -> None:
    """The signal comes after the first page."""
    script = (
        "import os, signal, sys; from hondius.use.export.formats.format import Tally; count = Tally.count\n"
        "def stop(self, *words, **more): count(self, *words, **more); os.kill(os.getpid(), signal.SIGINT)\n"
        "Tally.count = stop; from hondius.operate.cli import main; sys.exit(main.main())"
    )
    words = [HONDIUS[0], "-c", script, "export", str(small_crawl.directory), "-o", str(tmp_path / "out.wacz")]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 128 + signal.SIGINT
    assert ended.stderr == f"hondius: interrupted: nothing was written to {tmp_path / 'out.wacz'}\n"
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_used_is_not_loaded(small_crawl: SmallCrawl) -> None:
    script = (
        "import sys; from hondius.operate.cli import main; status = main.run(sys.argv[1:])\n"
        "print(sorted({'pyarrow', 'pandas', 'polars', 'obstore', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    )
    for words in (["status", str(small_crawl.directory)], ["export", str(small_crawl.directory)]):
        ended = subprocess.run(
            [HONDIUS[0], "-c", script, *words], capture_output=True, text=True, timeout=60, check=True
        )
        assert ended.stderr.splitlines()[-1] == "[]", words


def test_a_wacz_can_be_piped(small_crawl: SmallCrawl, tmp_path: Path) -> None:
    with (tmp_path / "piped.wacz").open("wb") as file:
        words = ["cat"]
        pipe = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=file)
        assert pipe.stdin is not None
        subprocess.run(
            [*HONDIUS, "export", str(small_crawl.directory), "--format", "wacz"],
            stdout=pipe.stdin,
            check=True,
            timeout=60,
        )
        pipe.stdin.close()
        assert pipe.wait(60) == 0
    with zipfile.ZipFile(tmp_path / "piped.wacz") as package:
        assert package.testzip() is None
