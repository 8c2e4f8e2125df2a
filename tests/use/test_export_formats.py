"""S6: every format has the same pages, and other programs read it."""

import csv
import gzip
import io
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pandas
import polars
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from hondius.errors import BadSetting, HondiusError, WrongUse
from hondius.opening import open_crawl, place_of
from hondius.use.export import FORMATS, Request, export_pages
from hondius.use.export.arrow import make_batches
from hondius.use.export.columns import BY_NAME, COLUMNS, Column, ColumnType, describe_columns
from hondius.use.export.columns_page import make_columns_page
from hondius.use.export.formats import csv as csv_format
from hondius.use.export.formats import markdown as markdown_format
from hondius.use.export.formats import parquet as parquet_format
from hondius.use.export.formats.csv import neutralise
from hondius.use.export.formats.markdown import _format_value
from hondius.use.export.rows import Row
from hondius.use.export.subject import Subject
from hondius.use.export.targets.directory import DirectoryTarget
from hondius.use.selection import select_pages
from tests.use.small_crawl import PAGE, make_crawl
from tests.use.worlds import WORLDS, new_place

ROOT = Path(__file__).parents[2]
JUDGE = Path(sys.prefix) / "judges" / "bin" / "wacz"


@pytest.fixture(scope="module", params=WORLDS)
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("crawl")) as name:
        make_crawl(name)
        yield name


def write(crawl: Path, form: str, output: Path, **options: Any) -> int:
    with open_crawl(crawl) as opened:
        return export_pages(opened, Request(FORMATS[form], str(output), **options))


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def path_of(url: str) -> str:
    return "/" + url.rpartition("/")[2]


def test_a_column_is_one_line_of_one_table() -> None:
    assert len(BY_NAME) == len(COLUMNS)
    assert [line.split("`")[1] for line in describe_columns().splitlines()[2:]] == list(BY_NAME)
    assert {"text", "main_text", "markdown", "structured", "body"} <= BY_NAME.keys()


def test_o2_the_page_of_columns_is_that_of_the_code() -> None:
    """`make columns-page` writes it."""
    assert (ROOT / "docs" / "columns.md").read_text() == make_columns_page()


def test_every_default_column_exists() -> None:
    for form in FORMATS.values():
        assert set(form.columns) <= BY_NAME.keys(), form.name


def test_columns_are_chosen_by_name_and_come_in_that_order(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "jsonl", tmp_path / "rows.jsonl", columns=["status", "url"])
    assert list(json.loads((tmp_path / "rows.jsonl").read_text().splitlines()[0])) == ["status", "url"]


@pytest.mark.parametrize("columns", [["url", "no_such"], ["url", "url"]])
def test_an_unknown_or_repeated_column_is_wrong_use(crawl: Path, tmp_path: Path, columns: list[str]) -> None:
    with pytest.raises(BadSetting):
        write(crawl, "jsonl", tmp_path / "rows.jsonl", columns=columns)
    assert list(tmp_path.iterdir()) == []


def test_csv_has_a_heading_and_a_row_for_every_url(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "csv", tmp_path / "rows.csv.gz", added=["body"])
    rows = read_csv(gzip.decompress((tmp_path / "rows.csv.gz").read_bytes()).decode())
    by_path = {path_of(row["url"]): row for row in rows}
    assert by_path["/"]["title"] == "Café"
    assert by_path["/"]["body"] == PAGE.decode("cp1252")
    assert (by_path["/image"]["body"], by_path["/image"]["body_b64"][:8]) == ("", "AAECAwQF")
    assert (by_path["/hidden"]["title"], by_path["/hidden"]["body"]) == ("", "")
    assert (by_path["/"]["noindex"], by_path["/hidden"]["noindex"]) == ("false", "true")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\u200b=", "\uff1d"])
def test_a_cell_that_a_spreadsheet_would_run_is_made_harmless(start: str) -> None:
    assert neutralise(f"{start}HYPERLINK(1)") == f"'{start}HYPERLINK(1)"
    assert neutralise(f"1{start}1") == f"1{start}1"
    for kind in (ColumnType.TEXT, ColumnType.JSON):
        value: Any = f"{start}1" if kind is ColumnType.TEXT else f"{start}1".encode()
        assert str(csv_format._make_cell(Column("a", kind, "", lambda subject: None), value)).startswith("'")


@pytest.mark.parametrize("split", [";", "\t"])
def test_s6_a_text_at_which_some_spreadsheets_separate_cells_is_quoted(split: str) -> None:
    assert csv_format.format_line(["a", f"10{split}=HYPERLINK(A1)", 1]) == f'a,"10{split}=HYPERLINK(A1)",1\r\n'


@given(st.lists(st.none() | st.integers() | st.floats() | st.text("a,;\t\"\r\n '="), min_size=1))
def test_s6_readers_of_csv_get_the_same_cells_as_from_the_csv_module(cells: list[Any]) -> None:
    usual = io.StringIO(newline="")
    csv.writer(usual).writerow(cells)
    line = csv_format.format_line(cells)
    assert list(csv.reader([line])) == list(csv.reader([usual.getvalue()]))
    if not any(isinstance(cell, str) and (";" in cell or "\t" in cell) for cell in cells):
        assert line == usual.getvalue()


def test_parquet_has_the_rows_of_the_catalog_with_their_types(crawl: Path, tmp_path: Path) -> None:
    chosen = ["url", "status", "fetched_at", "noindex", "body", "main_text", "structured", "warc"]
    assert write(crawl, "parquet", tmp_path / "rows.parquet", columns=chosen) == 5
    table = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    assert [str(kind) for kind in table.schema.types] == [
        *("string", "int64", "timestamp[ms, tz=UTC]", "bool", "binary", "string", "string", "string"),
    ]
    rows = {path_of(row["url"]): row for row in table.to_pylist()}
    assert rows["/"]["fetched_at"].isoformat() == "2026-11-15T04:34:38.500000+00:00"
    assert rows["/"]["body"] == rows["/copy"]["body"] == PAGE
    assert rows["/image"]["body"] == bytes(range(256))
    assert (rows["/"]["main_text"], rows["/image"]["main_text"]) == ("Words on a page.", None)
    assert json.loads(rows["/"]["structured"])["json_ld"] == []
    assert json.loads(rows["/"]["warc"]).keys() == {"file", "offset", "length"}
    assert (rows["/hidden"]["body"], rows["/hidden"]["main_text"], rows["/hidden"]["structured"]) == (None,) * 3


def test_parquet_is_compressed_and_its_row_groups_are_bounded(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hondius.use.export.arrow.BATCH_ROWS", 2)
    write(crawl, "parquet", tmp_path / "rows.parquet")
    metadata = pyarrow.parquet.ParquetFile(tmp_path / "rows.parquet").metadata
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [2, 2, 1]
    assert metadata.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize("partition", ["host", "day"])
def test_a_partitioned_directory_is_read_as_one_table(crawl: Path, tmp_path: Path, partition: str) -> None:
    write(crawl, "parquet", tmp_path / "rows", partition_by=partition)
    (directory,) = (tmp_path / "rows").iterdir()
    assert directory.name == {"host": "host=a.test", "day": "day=2026-11-15"}[partition]
    table = pyarrow.parquet.read_table(tmp_path / "rows")
    assert table.num_rows == 5
    assert partition in table.column_names
    own = pyarrow.parquet.ParquetFile(directory / "part-0.parquet").schema_arrow.names
    assert partition not in own
    assert "fetched_at" in own


@pytest.mark.parametrize("world", WORLDS)
def test_other_programs_read_a_directory_by_day_that_has_urls_without_one(tmp_path: Path, world: str) -> None:
    """A URL that was never fetched has no day."""
    with new_place(world, tmp_path) as name:
        make_crawl(name, blocked=["/later"])
        assert write(name, "parquet", tmp_path / "rows", partition_by="day") == 6
    expected = {"2026-11-15": 5, "never": 1}
    assert pandas.read_parquet(tmp_path / "rows")["day"].value_counts().to_dict() == expected
    assert dict(polars.read_parquet(tmp_path / "rows").group_by("day").len().iter_rows()) == expected
    assert Counter(pyarrow.parquet.read_table(tmp_path / "rows")["day"].to_pylist()) == expected


def test_every_format_of_rows_has_what_hooks_extracted() -> None:
    assert [form.name for form in FORMATS.values() if "extracted" in form.columns] == ["jsonl", "csv", "parquet"]


def test_markdown_has_a_file_for_each_page_of_text_without_copies(crawl: Path, tmp_path: Path) -> None:
    assert write(crawl, "markdown", tmp_path / "pages") == 1
    (path,) = (tmp_path / "pages").rglob("*.md")
    front, _, text = path.read_text().removeprefix("---\n").partition("---\n")
    fields = {
        name: msgspec.json.decode(value) for name, _, value in (line.partition(": ") for line in front.splitlines())
    }
    assert fields["title"] == "Café"
    assert fields["fetched_at"] == "2026-11-15T04:34:38.500Z"
    assert fields["status"] == 200
    assert text == "\nWords on a page.\n"
    assert write(crawl, "markdown", tmp_path / "copies", copies=True) == 2
    assert write(crawl, "markdown", tmp_path / "hidden", noindex=True) == 2


def test_q2_a_markdown_file_has_no_control_characters_of_its_page(tmp_path: Path) -> None:
    page = {"host": "a.test", "url": "http://a.test/", "key": b"k" * 16}
    with DirectoryTarget(tmp_path / "pages") as target:
        markdown_format._write_page(target, (), Row(page, ("a\x1b[2J\x07b\tc\n\x9bd",), is_withheld=False))
    (file,) = (tmp_path / "pages").rglob("*.md")
    assert file.read_text().endswith("a[2Jb\tc\nd\n")


def test_no_title_breaks_out_of_the_front_matter() -> None:
    title = 'a"\n---\nevil: !!python/object 1\x85\u2028\x00\\'
    written = _format_value(BY_NAME["title"], title)
    assert "\n" not in written
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028]", written)
    assert json.loads(written) == title


@pytest.mark.parametrize("form", ["warc", "wacz"])
def test_d4_an_archive_has_no_page_that_asks_not_to_be_indexed(crawl: Path, tmp_path: Path, form: str) -> None:
    name = tmp_path / ("out.warc.gz" if form == "warc" else "out.wacz")
    assert write(crawl, form, name) == 4
    assert write(crawl, form, name, noindex=True) == 5


def targets(records: Any) -> list[tuple[str, str]]:
    return [
        (record.rec_type, path_of(record.rec_headers.get_header("WARC-Target-URI") or "/"))
        for record in ArchiveIterator(records, check_digests="raise")
    ]


def test_a_warc_has_the_records_of_its_pages_and_an_index_beside_it(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "warc", tmp_path / "out.warc.gz", selected=select_pages(match="/(image|missing)$"))
    with (tmp_path / "out.warc.gz").open("rb") as file:
        found = targets(file)
    assert found[0] == ("warcinfo", "/")
    assert {path for _, path in found[1:]} == {"/image", "/missing"}
    assert [kind for kind, path in found if path == "/image"][:2] == ["response", "request"]
    index = (tmp_path / "out.cdxj").read_text().splitlines()
    assert index == sorted(index)
    for line in index:
        entry = json.loads(line[line.index("{") :])
        data = (tmp_path / "out.warc.gz").read_bytes()[int(entry["offset"]) :][: int(entry["length"])]
        assert entry["filename"] == "out.warc.gz"
        assert f"WARC-Target-URI: {entry['url']}\r\n".encode() in gzip.decompress(data)


def test_a_record_is_copied_as_it_is(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "warc", tmp_path / "out.warc.gz", selected=select_pages(match="/image$"))
    with open_crawl(crawl) as opened:
        (page,) = opened.catalog.pages(select_pages(match="/image$"))
        record = opened.archive.record(page["warc_file"], page["warc_offset"], page["warc_length"])
    assert record in (tmp_path / "out.warc.gz").read_bytes()


def test_a_revisit_comes_with_its_original_and_nothing_comes_twice(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "warc", tmp_path / "copy.warc.gz", selected=select_pages(match="/copy$"))
    with (tmp_path / "copy.warc.gz").open("rb") as file:
        copied = [(kind, path) for kind, path in targets(file) if kind in ("response", "revisit")]
    assert copied == [("revisit", "/copy"), ("response", "/")]
    write(crawl, "warc", tmp_path / "all.warc.gz", noindex=True)
    with (tmp_path / "all.warc.gz").open("rb") as file:
        found = targets(file)
    assert len(found) == len(set(found))
    assert sum(kind in ("response", "revisit") for kind, _ in found) == 5


def test_a_wacz_lists_its_pages_and_its_warcs_are_stored(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "wacz", tmp_path / "out.wacz")
    with zipfile.ZipFile(tmp_path / "out.wacz") as package:
        assert package.testzip() is None
        assert package.getinfo("archive/data-00001.warc.gz").compress_type == zipfile.ZIP_STORED
        with package.open("archive/data-00001.warc.gz") as file:
            assert ("revisit", "/copy") in targets(file)
        head, *pages = map(json.loads, package.read("pages/pages.jsonl").splitlines())
        index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
        described = json.loads(package.read("datapackage.json"))
    assert head["format"] == "json-pages-1.0"
    assert {path_of(page["url"]) for page in pages} == {"/", "/copy"}
    assert {page["ts"] for page in pages} <= {iso(line.split(" ")[1]) for line in index}
    assert len(index) == 4
    assert described["wacz_version"] == "1.1.1"
    assert len(described["resources"]) == 4


def iso(digits: str) -> str:
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:]}Z"


def test_the_records_of_a_large_wacz_are_in_several_files(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hondius.use.export.formats.wacz.FILE_BYTES", 2_000)
    monkeypatch.setattr("hondius.use.export.formats.wacz.LINES_PER_BLOCK", 2)
    monkeypatch.setattr("hondius.use.export.sorted_lines.BATCH", 1)
    write(crawl, "wacz", tmp_path / "out.wacz")
    with zipfile.ZipFile(tmp_path / "out.wacz") as package:
        files = [name for name in package.namelist() if name.startswith("archive/")]
        index = package.read("indexes/index.cdx.gz")
        places = package.read("indexes/index.idx").decode().splitlines()[1:]
        for line in gzip.decompress(index).decode().splitlines():
            entry = json.loads(line[line.index("{") :])
            with package.open(f"archive/{entry['filename']}") as file:
                file.seek(int(entry["offset"]))
                assert entry["url"].encode() in gzip.decompress(file.read(int(entry["length"])))
    assert len(files) > 1
    assert len(places) == 2
    for line in places:
        key, entry = line[: line.index("{")].strip(), json.loads(line[line.index("{") :])
        block = gzip.decompress(index[entry["offset"] :][: entry["length"]]).decode()
        assert block.startswith(key)


@pytest.mark.skipif(not JUDGE.exists(), reason="py-wacz is not installed: `make accept` installs the judges")
def test_py_wacz_finds_a_wacz_valid(crawl: Path, tmp_path: Path) -> None:
    write(crawl, "wacz", tmp_path / "out.wacz")
    ended = subprocess.run(
        [JUDGE, "validate", "-f", tmp_path / "out.wacz"], capture_output=True, text=True, check=False
    )
    assert "is valid" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 0


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown", "warc", "wacz"])
def test_only_parquet_is_partitioned(crawl: Path, tmp_path: Path, form: str) -> None:
    with pytest.raises(BadSetting, match="--partition-by needs --format parquet"):
        write(crawl, form, tmp_path / "out", partition_by="host")


@pytest.mark.parametrize("form", ["warc", "wacz"])
def test_records_have_no_columns(crawl: Path, tmp_path: Path, form: str) -> None:
    with pytest.raises(BadSetting, match="has no columns to choose"):
        write(crawl, form, tmp_path / "out.warc.gz", columns=["url"])


@pytest.mark.parametrize("form", ["parquet", "markdown"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    if form == "markdown":
        assert write(crawl, form, tmp_path / "pages") == 1
    else:
        with pytest.raises(WrongUse, match=r"pip install 'hondius\[parquet\]'"):
            write(crawl, form, tmp_path / "rows.parquet")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["warc", "wacz", "parquet"])
def test_records_that_cannot_be_read_are_told_and_the_rest_is_exported(tmp_path: Path, form: str) -> None:
    make_crawl(tmp_path / "crawl")
    (archive,) = (place_of(tmp_path / "crawl").directory / "warc").glob("*.warc.gz")
    with open_crawl(tmp_path / "crawl") as opened:
        (page,) = opened.catalog.pages(select_pages(match="/image$"))
    data = bytearray(archive.read_bytes())
    data[page["warc_offset"] + page["warc_length"] // 2] ^= 0xFF
    archive.write_bytes(data)
    name = tmp_path / {"warc": "out.warc.gz", "wacz": "out.wacz", "parquet": "out.parquet"}[form]
    columns = ["url", "body"] if form == "parquet" else []
    with pytest.raises(HondiusError, match=r"1 body could not be read, \S*/image first.*verify"):
        write(tmp_path / "crawl", form, name, columns=columns)
    assert name.exists()


@pytest.mark.parametrize("text", ['1}\n{"url":"http://forged.test/"', "nonsense", "[1]"])
def test_q2_an_extracted_text_that_is_no_json_object_makes_its_row_damaged(text: str) -> None:
    subject = Subject({"extracted": text}, None)
    assert (BY_NAME["extracted"].read(subject), subject.is_damaged) == (None, True)
    good = Subject({"extracted": '{"a":1}'}, None)
    assert (BY_NAME["extracted"].read(good), good.is_damaged) == (b'{"a":1}', False)


def test_s6_a_partition_of_the_longest_host_has_a_name_that_fits() -> None:
    host = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61])
    other = ".".join(["a" * 63, "b" * 63, "c" * 63, "e" * 61])
    names = {parquet_format._make_value(name) for name in (host, other)}
    assert len(names) == 2
    assert all(len(f"host={name}") <= 255 for name in names)
    assert parquet_format._make_value("bücher.test") == "b%C3%BCcher.test"


def test_s6_long_texts_of_the_catalog_count_in_the_size_of_a_batch() -> None:
    columns = (BY_NAME["usage"],)
    rows = [Row({}, ("x" * 2**20,), is_withheld=False) for _ in range(9)]
    assert [batch.num_rows for batch in make_batches(rows, columns)] == [4, 4, 1]
