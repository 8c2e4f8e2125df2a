"""S6: an export appears when it is complete; whatever ends it before leaves nothing."""

import fcntl
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hondius.errors import DiskFull, WrongUse
from hondius.model import PageFilter
from hondius.opening import Crawl, open_crawl
from hondius.use.export import FORMATS, Request, export_pages
from hondius.use.output import write_lines
from tests.use.small_crawl import SmallCrawl

OUTPUTS: dict[str, tuple[str, dict[str, Any]]] = {
    "jsonl": ("out.jsonl", {}),
    "csv": ("out.csv.gz", {}),
    "parquet": ("out.parquet", {}),
    "partitions": ("parts", {"partition_by": "host"}),
    "markdown": ("pages", {}),
    "warc": ("out.warc.gz", {}),
    "wacz": ("out.wacz", {}),
}
ONE_FILE = ("jsonl", "csv", "parquet", "warc", "wacz")


def export(crawl: Path, form: str, directory: Path, show: Callable[[int], None] = lambda rows: None) -> int:
    name, options = OUTPUTS[form]
    known = FORMATS["parquet" if form == "partitions" else form]
    with open_crawl(crawl) as opened:
        return export_pages(opened, Request(known, str(directory / name), **options), show)


@pytest.mark.parametrize("form", OUTPUTS)
@pytest.mark.parametrize("end", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_export_leaves_nothing(
    small_crawl: SmallCrawl, tmp_path: Path, form: str, end: type[BaseException]
) -> None:
    def interrupt(rows: int) -> None:
        raise end

    with pytest.raises(end):
        export(small_crawl.directory, form, tmp_path, interrupt)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ONE_FILE)
def test_an_earlier_file_stays_until_the_new_one_is_complete(
    small_crawl: SmallCrawl, tmp_path: Path, form: str
) -> None:
    name, _ = OUTPUTS[form]
    (tmp_path / name).write_text("earlier")

    def interrupt(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(small_crawl.directory, form, tmp_path, interrupt)
    assert (tmp_path / name).read_text() == "earlier"
    export(small_crawl.directory, form, tmp_path)
    assert (tmp_path / name).read_bytes() != b"earlier"


@pytest.mark.parametrize("form", ["partitions", "markdown"])
def test_a_directory_that_is_not_empty_is_refused_and_an_empty_one_is_used(
    small_crawl: SmallCrawl, tmp_path: Path, form: str
) -> None:
    directory = tmp_path / OUTPUTS[form][0]
    directory.mkdir()
    (directory / "precious").touch()
    with pytest.raises(WrongUse, match="is not empty"):
        export(small_crawl.directory, form, tmp_path)
    assert [path.name for path in directory.iterdir()] == ["precious"]
    (directory / "precious").unlink()
    assert export(small_crawl.directory, form, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [directory.name]


@pytest.mark.parametrize("form", ["partitions", "markdown"])
def test_q2_a_link_in_place_of_the_temporary_directory_is_not_followed(
    small_crawl: SmallCrawl, tmp_path: Path, form: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").touch()
    link = tmp_path / f".{OUTPUTS[form][0]}.{'0' * 16}.new"
    link.symlink_to(victim)
    export(small_crawl.directory, form, tmp_path)
    assert [path.name for path in victim.iterdir()] == ["precious"]
    assert not (tmp_path / OUTPUTS[form][0]).is_symlink()


@pytest.mark.parametrize("form", OUTPUTS)
def test_s6_two_exports_to_one_output_never_touch_what_the_other_writes(
    small_crawl: SmallCrawl, tmp_path: Path, form: str
) -> None:
    """The second begins while the first writes, and ends without result. The first is complete."""
    begun: list[set[Path]] = []

    def stop(rows: int) -> None:
        raise KeyboardInterrupt

    def begin_another(rows: int) -> None:
        if not begun:
            begun.append(set(tmp_path.iterdir()))
            with pytest.raises(KeyboardInterrupt):
                export(small_crawl.directory, form, tmp_path, stop)
            assert set(tmp_path.iterdir()) == begun[0]

    export(small_crawl.directory, form, tmp_path, begin_another)
    assert begun[0]
    (tmp_path / "alone").mkdir()
    export(small_crawl.directory, form, tmp_path / "alone")
    names = {str(path.relative_to(tmp_path / "alone")) for path in (tmp_path / "alone").rglob("*")}
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if "alone" not in path.parts}
    assert made == names


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_s6_an_export_removes_what_a_killed_one_left_but_not_what_another_writes(
    small_crawl: SmallCrawl, tmp_path: Path, form: str
) -> None:
    name = OUTPUTS[form][0]
    stale, living, other = (
        tmp_path / f".{of}.{digit * 16}.new" for of, digit in ((name, "0"), (name, "1"), ("x", "0"))
    )
    for path in (stale, living, other):
        if form == "markdown":
            path.mkdir()
            (path / "half").touch()
        else:
            path.write_text("half")
    lock = os.open(living, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    export(small_crawl.directory, form, tmp_path)
    os.close(lock)
    assert {path.name for path in tmp_path.iterdir()} == {name, living.name, other.name}


def test_s6_a_name_as_long_as_the_system_allows_is_written(tmp_path: Path) -> None:
    output = tmp_path / ("ä" * 127)
    write_lines([b"line"], output)
    assert output.read_bytes() == b"line"
    with pytest.raises(WrongUse, match="cannot be written"):
        write_lines([b"line"], tmp_path / ("x" * 256))


@pytest.mark.parametrize("form", OUTPUTS)
def test_a_place_that_cannot_be_written_is_wrong_use(small_crawl: SmallCrawl, tmp_path: Path, form: str) -> None:
    with pytest.raises(WrongUse, match="cannot be written"):
        export(small_crawl.directory, form, tmp_path / "nowhere")


@pytest.mark.parametrize("form", sorted(set(ONE_FILE) - {"warc"}))
def test_a_full_disk_is_told_and_leaves_nothing(small_crawl: SmallCrawl, form: str) -> None:
    """Every write to this device fails as on a full disk. A WARC file needs another name."""
    known = FORMATS[form]
    with open_crawl(small_crawl.directory) as opened, pytest.raises(DiskFull, match="/dev/full cannot be written"):
        export_pages(opened, Request(known, "/dev/full"))


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "warc", "wacz"])
def test_standard_output_takes_one_file(
    small_crawl: SmallCrawl, form: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with open_crawl(small_crawl.directory) as opened:
        export_pages(opened, Request(FORMATS[form]))
    starts = {"jsonl": b'{"url"', "csv": b"url,", "parquet": b"PAR1", "warc": b"\x1f\x8b", "wacz": b"PK\x03\x04"}
    assert capfdbinary.readouterr().out.startswith(starts[form])


@pytest.mark.parametrize("form", ["partitions", "markdown"])
def test_standard_output_takes_no_directory(small_crawl: SmallCrawl, form: str) -> None:
    known, options = FORMATS["parquet" if form == "partitions" else form], OUTPUTS[form][1]
    with open_crawl(small_crawl.directory) as opened, pytest.raises(WrongUse, match="name a new directory with -o"):
        export_pages(opened, Request(known, **options))


def test_progress_counts_every_row(small_crawl: SmallCrawl, tmp_path: Path) -> None:
    counted: list[int] = []
    export(small_crawl.directory, "jsonl", tmp_path, counted.append)
    assert counted == [1, 2, 3, 4, 5]


def test_the_content_of_pages_is_read_on_every_core_and_rows_stay_in_order(small_crawl: SmallCrawl) -> None:
    from hondius.use.export.columns import find_columns
    from hondius.use.export.rows import RowReader

    def keys(crawl: Crawl, *columns: str) -> list[bytes]:
        return [row.page["key"] for row in RowReader(crawl, find_columns(columns), noindex=True).read(PageFilter())]

    with open_crawl(small_crawl.directory) as crawl:
        assert keys(crawl, "main_text", "body") == keys(crawl, "url") == sorted(keys(crawl, "url"))


def test_a_pipe_is_written_by_the_name_of_its_descriptor(small_crawl: SmallCrawl) -> None:
    """`-o /dev/stdout` in a pipeline."""
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as reader:
        with open_crawl(small_crawl.directory) as opened, os.fdopen(sink, "wb"):
            request = Request(FORMATS["jsonl"], f"/dev/fd/{sink}", columns=["url"])
            assert export_pages(opened, request) == 5
        assert len(reader.read().splitlines()) == 5


@pytest.mark.parametrize(
    ("found", "missing"),
    [
        ({}, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are"),
        ({"AWS_ACCESS_KEY_ID": "key"}, "AWS_SECRET_ACCESS_KEY is"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "secret"}, "AWS_ACCESS_KEY_ID is"),
        ({"AWS_ROLE_ARN": "arn"}, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are"),
    ],
)
@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_s3_without_credentials_is_refused_and_no_metadata_service_is_asked(
    small_crawl: SmallCrawl, monkeypatch: pytest.MonkeyPatch, form: str, found: dict[str, str], missing: str
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    with socket.create_server(("127.0.0.1", 0)) as metadata, open_crawl(small_crawl.directory) as opened:
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"http://127.0.0.1:{metadata.getsockname()[1]}")
        metadata.setblocking(False)
        with pytest.raises(WrongUse, match=f"{missing} not set"):
            export_pages(opened, Request(FORMATS[form], "s3://bucket/pages"))
        with pytest.raises(BlockingIOError):
            metadata.accept()
