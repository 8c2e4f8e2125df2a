"""S6: rows of ended URLs, streaming and in a stable order."""

import base64
import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hondius.errors import HondiusError
from hondius.native import Identity, Reader
from hondius.opening import open_crawl, place_of
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.use.content import ContentReader
from hondius.use.export import Request, export_pages
from hondius.use.selection import select_pages
from tests.native.exchanges import fetch_all
from tests.native.loopback import response
from tests.stores.kept import Kept
from tests.use.small_crawl import PAGE, make_crawl
from tests.use.worlds import DIRECTORY, WORLDS, new_place


@pytest.fixture(scope="module", params=WORLDS)
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("crawl")) as name:
        make_crawl(name)
        yield name


def export_crawl(crawl: Path, **options: Any) -> dict[str, dict[str, Any]]:
    """The rows by path."""
    output = rows_of(crawl)
    with open_crawl(crawl) as opened:
        export_pages(opened, Request(output=str(output), **options))
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    return {"/" + row["url"].rpartition("/")[2]: row for row in rows}


def rows_of(crawl: Path) -> Path:
    """Where they are written."""
    return place_of(crawl).directory / "rows.jsonl"


def test_a_row_says_what_became_of_a_url(crawl: Path) -> None:
    rows = export_crawl(crawl)
    assert set(rows) == {"/", "/copy", "/image", "/missing", "/hidden"}
    row = rows["/"]
    assert list(row)[:6] == ["url", "key_form", "kind", "host", "state", "cause"]
    assert list(row)[6:10] == ["status", "title", "fetched_at", "warc"]
    assert set(row) >= {"type", "depth", "redirect_to", "copy_of", "truncated", "noindex"}
    assert (row["state"], row["cause"], row["status"], row["title"]) == ("completed", "", 200, "Café")
    assert row["fetched_at"] == "2026-11-15T04:34:38.500Z"
    assert set(row["warc"]) == {"file", "offset", "length"}
    assert row["simhash"] == rows["/copy"]["simhash"] == f"{simhash('Words on a page.'):016x}"
    assert (rows["/image"]["simhash"], rows["/missing"]["simhash"]) == (None, None)
    assert (rows["/missing"]["state"], rows["/missing"]["cause"]) == ("failed", "http_404")


def simhash(text: str) -> int | None:
    reader = Reader(Identity(), agent_token="hondius")
    return reader.read(text.encode(), url="http://a.test/", content_type="text/plain").simhash


@pytest.mark.parametrize("coding", ["gzip", ""])
def test_h2_a_body_is_exported_up_to_the_cap_of_the_crawl(tmp_path: Path, coding: str) -> None:
    body = gzip.compress(b"x" * 1_000_000) if coding else b"x" * 1_000_000
    answer = response(body, "Content-Type: text/plain", *([f"Content-Encoding: {coding}"] if coding else []))
    disk = EmbeddedDisk(tmp_path)
    archive = EmbeddedArchive(disk, durable={}, software="test")
    (place,) = archive.append([Kept(fetch_all({"/": answer})["/"])]).locations
    row = {"url": "http://a.test/", "status": 200}
    page = row | dict(zip(("warc_file", "warc_offset", "warc_length"), place, strict=True))
    with closing(EmbeddedCatalog.open(tmp_path / "crawl.db")) as catalog:
        content = ContentReader(archive, catalog, Identity(), "hondius", page_cap=4_096).read(page)
    archive.close()
    assert content is not None
    assert content.body == b"x" * 4_096


def test_q2_a_temporary_name_that_is_a_link_is_not_written_through(crawl: Path) -> None:
    victim = rows_of(crawl).with_name("victim")
    victim.write_text("precious")
    rows_of(crawl).with_name(f".rows.jsonl.{'0' * 16}.new").symlink_to(victim)
    export_crawl(crawl)
    assert victim.read_text() == "precious"


def test_rows_can_be_chosen_by_state(crawl: Path) -> None:
    assert set(export_crawl(crawl, selected=select_pages(states=["failed", "duplicate"]))) == {"/copy", "/missing"}


def test_d4_of_a_page_that_asks_not_to_be_indexed_only_its_end_is_told(crawl: Path) -> None:
    row = export_crawl(crawl, added=["text", "body"])["/hidden"]
    assert (row["state"], row["title"], row["simhash"]) == ("completed", "", None)
    assert not row.keys() & {"text", "body", "body_b64"}
    assert "secret" in export_crawl(crawl, added=["text"], noindex=True)["/hidden"]["text"]


def test_the_text_is_read_from_the_archive_and_a_copy_has_that_of_its_original(crawl: Path) -> None:
    rows = export_crawl(crawl, added=["text"])
    assert "Words on a page." in rows["/"]["text"]
    assert rows["/copy"]["text"] == rows["/"]["text"]
    assert rows["/image"]["text"] is None


def test_a_body_comes_as_text_where_it_is_text(crawl: Path) -> None:
    rows = export_crawl(crawl, added=["body"])
    assert rows["/"]["body"] == PAGE.decode("cp1252")
    assert rows["/copy"]["body"] == rows["/"]["body"]
    assert base64.b64decode(rows["/image"]["body_b64"]) == bytes(range(256))
    assert "body" not in rows["/image"]


def test_two_exports_are_equal_byte_for_byte(crawl: Path) -> None:
    export_crawl(crawl, added=["body"])
    first = rows_of(crawl).read_bytes()
    export_crawl(crawl, added=["body"])
    assert rows_of(crawl).read_bytes() == first


def test_without_a_file_the_rows_go_to_standard_output(crawl: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with open_crawl(crawl) as opened:
        export_pages(opened, Request())
    assert len(capfdbinary.readouterr().out.splitlines()) == 5


def test_a_file_that_cannot_be_written_is_not_there(crawl: Path, tmp_path: Path) -> None:
    with open_crawl(crawl) as opened, pytest.raises(HondiusError, match="cannot be written"):
        export_pages(opened, Request(output=str(tmp_path / "nowhere" / "rows.jsonl")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("crawl", [DIRECTORY], indirect=True)
def test_bodies_that_cannot_be_read_cost_no_row_and_are_told(crawl: Path, tmp_path: Path) -> None:
    (crawl / "warc").rename(crawl / "elsewhere")
    with open_crawl(crawl) as opened, pytest.raises(HondiusError, match="could not be read"):
        export_pages(opened, Request(output=str(tmp_path / "rows.jsonl"), added=["body"]))
    (crawl / "elsewhere").rename(crawl / "warc")
    assert len((tmp_path / "rows.jsonl").read_bytes().splitlines()) == 5


def test_a_link_is_written_through_and_a_pipe_is_written_into(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "target.jsonl")
    with open_crawl(crawl) as opened:
        export_pages(opened, Request(output=str(tmp_path / "link.jsonl")))
        export_pages(opened, Request(output="/dev/null"))
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len((tmp_path / "target.jsonl").read_bytes().splitlines()) == 5
    assert Path("/dev/null").is_char_device()
