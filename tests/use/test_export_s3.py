"""S6: exports to a real S3 server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hondius.errors import HondiusError, WrongUse
from hondius.opening import open_crawl
from hondius.use.export import FORMATS, Request, export_pages
from hondius.use.export.targets import s3
from tests.use.s3_server import BUCKET, SERVER, S3Server, s3_server
from tests.use.small_crawl import SmallCrawl

pytestmark = pytest.mark.skipif(
    not SERVER.exists(), reason="SeaweedFS is not installed: `make accept` installs it with the judges"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture
def bucket(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """Empty, with its credentials in the environment."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    store = server.open_store()
    for path in server.list_objects():
        store.delete(path)
    return server


def export(crawl: SmallCrawl, form: str, name: str, **options: Any) -> int:
    with open_crawl(crawl.directory) as opened:
        return export_pages(opened, Request(FORMATS[form], f"s3://{BUCKET}/{name}", **options))


@pytest.mark.parametrize(
    ("form", "name", "objects"),
    [
        ("jsonl", "rows.jsonl", ["rows.jsonl"]),
        ("jsonl", "deep/in/rows.jsonl.gz", ["deep/in/rows.jsonl.gz"]),
        ("csv", "rows.csv", ["rows.csv"]),
        ("parquet", "rows.parquet", ["rows.parquet"]),
        ("warc", "a/out.warc.gz", ["a/out.cdxj", "a/out.warc.gz"]),
        ("wacz", "out.wacz", ["out.wacz"]),
    ],
)
def test_an_object_has_the_bytes_of_the_file(
    small_crawl: SmallCrawl, bucket: S3Server, tmp_path: Path, form: str, name: str, objects: list[str]
) -> None:
    export(small_crawl, form, name)
    assert sorted(bucket.list_objects()) == objects
    if form not in ("warc", "wacz"):  # these tell when they were made
        local = tmp_path / name.rpartition("/")[2]
        with open_crawl(small_crawl.directory) as opened:
            export_pages(opened, Request(FORMATS[form], str(local)))
        assert bytes(bucket.open_store().get(name).bytes()) == local.read_bytes()


def test_a_directory_becomes_objects_below_a_prefix(small_crawl: SmallCrawl, bucket: S3Server) -> None:
    export(small_crawl, "parquet", "rows", partition_by="host")
    assert list(bucket.list_objects()) == ["rows/host=a.test/part-0.parquet"]
    assert export(small_crawl, "markdown", "pages/") == 1
    (page,) = [name for name in bucket.list_objects() if name.startswith("pages/")]
    assert page.startswith("pages/a.test/")


def test_a_prefix_that_is_not_empty_is_refused(small_crawl: SmallCrawl, bucket: S3Server) -> None:
    export(small_crawl, "markdown", "pages", copies=True)
    before = bucket.list_objects()
    with pytest.raises(WrongUse, match="is not empty"):
        export(small_crawl, "markdown", "pages", copies=True)
    assert bucket.list_objects() == before


def test_a_large_object_is_uploaded_in_parts(bucket: S3Server) -> None:
    target = s3.S3Target(f"s3://{BUCKET}/large", is_directory=False)
    with target, target.open("large") as file:
        for _ in range(5):
            file.write(bytes(s3.PART_BYTES // 2 + 1))
    assert bucket.list_objects() == {"large": 5 * (s3.PART_BYTES // 2 + 1)}
    assert "-" in bucket.open_store().head("large")["e_tag"], "the mark of several parts"


@pytest.mark.parametrize("parts", [0, 3])
def test_an_interrupted_upload_leaves_neither_object_nor_parts(bucket: S3Server, parts: int) -> None:
    bucket.open_store().put("large", b"earlier", use_multipart=False)
    with pytest.raises(KeyboardInterrupt):
        interrupt_upload(parts)
    assert bucket.list_objects() == {"large": 7}
    assert bucket.list_unfinished_uploads() == []


def interrupt_upload(parts: int) -> None:
    target = s3.S3Target(f"s3://{BUCKET}/large", is_directory=False)
    with target, target.open("large") as file:
        for _ in range(parts):
            file.write(bytes(s3.PART_BYTES))
        raise KeyboardInterrupt


def test_an_interrupted_directory_leaves_no_object(small_crawl: SmallCrawl, bucket: S3Server) -> None:
    def interrupt(rows: int) -> None:
        if rows == 2:
            raise KeyboardInterrupt

    request = Request(FORMATS["markdown"], f"s3://{BUCKET}/pages", copies=True)
    with open_crawl(small_crawl.directory) as opened, pytest.raises(KeyboardInterrupt):
        export_pages(opened, request, interrupt)
    assert bucket.list_objects() == {}


def test_wrong_credentials_are_told_in_one_line(
    small_crawl: SmallCrawl, bucket: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(HondiusError, match=r"cannot be written .*AWS_SECRET_ACCESS_KEY") as raised:
        export(small_crawl, "jsonl", "rows.jsonl")
    assert "\n" not in str(raised.value)
    assert "wrong" not in str(raised.value)


@pytest.mark.parametrize("name", ["", "directory/"])
def test_an_object_needs_a_name(small_crawl: SmallCrawl, bucket: S3Server, name: str) -> None:
    with pytest.raises(WrongUse, match="write s3://BUCKET/NAME"):
        export(small_crawl, "jsonl", name)


def test_rows_in_s3_are_json_lines(small_crawl: SmallCrawl, bucket: S3Server) -> None:
    assert export(small_crawl, "jsonl", "rows.jsonl") == 5
    lines = bytes(bucket.open_store().get("rows.jsonl").bytes()).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["page"] * 5
