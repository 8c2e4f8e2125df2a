"""WARC as others read it (S3): fetched from a server on this machine, judged by warcio and fastwarc."""

import gzip
import hashlib
import io
import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from hondius.native import (
    Fetched,
    NativeError,
    WarcBlock,
    WarcSettings,
    warc_block,
    warc_information,
    warc_read,
    warc_scan,
)
from tests.native.exchanges import fetch_all
from tests.native.loopback import response

PAGE = b"<html><title>A page</title>" + b"<p>Some words that repeat.</p>" * 200
CODED = gzip.compress(PAGE, mtime=0)
DEFLATED = zlib.compress(PAGE)
BROTLI = bytes.fromhex("0b0080") + b"a" + b"\x03"  # a stored "a"

ANSWERS = {
    "/plain": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE,
    "/copy": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE,
    "/chunked": b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n",
    "/gzip": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    % len(CODED)
    + CODED,
    "/gzip-chunked": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(CODED) + CODED + b"\r\n0\r\n\r\n",
    "/deflate": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\nContent-Length: %d\r\n\r\n"
    % len(DEFLATED)
    + DEFLATED,
    "/br": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\nContent-Length: %d\r\n\r\n"
    % len(BROTLI)
    + BROTLI,
    "/empty": b"HTTP/1.1 204 No Content\r\nX-Empty: yes\r\n\r\n",
    "/nothing": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n",
    "/unchanged": b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
    "/until-close": b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\nuntil the end",
    "/long": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 50000\r\n\r\n" + b"x" * 50000,
    "/missing": b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\ngone",
}
BODIES = {
    "/plain": PAGE,
    "/copy": PAGE,
    "/chunked": b"hello world",
    "/gzip": PAGE,
    "/gzip-chunked": PAGE,
    "/deflate": PAGE,
    "/br": b"a",
    "/empty": b"",
    "/nothing": b"",
    "/unchanged": b"",
    "/until-close": b"until the end",
    "/long": b"x" * 20000,
    "/missing": b"gone",
}


@pytest.fixture(scope="module")
def fetched() -> dict[str, Fetched]:
    return fetch_all(ANSWERS, page_cap=20_000)


SETTINGS = WarcSettings(software="hondius/test", operator="somebody")


def block_of(fetches: dict[str, Fetched], base_offset: int = 0) -> WarcBlock:
    rows = [(fetch, None, None, None, "via: seed\r\n", True) for fetch in fetches.values()]
    return warc_block(SETTINGS, rows, base_offset, "x.warc.gz")


@pytest.fixture(scope="module")
def file(fetched: dict[str, Fetched], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything, and a revisit, in one file."""
    opening = warc_information(SETTINGS, "x.warc.gz", 1.0)
    block = block_of(fetched, len(opening))
    offset, length = block.positions[0]
    record = block.data[offset - len(opening) :][:length]
    date = warc_read(record, cap=50_000_000)[0]["warc-date"]
    copy = (fetched["/copy"], fetched["/plain"].href, date, "sha256:" + hashlib.sha256(PAGE).hexdigest(), "", True)
    refused = (fetched["/plain"], None, None, None, "", False)
    more = warc_block(SETTINGS, [copy, refused], len(opening) + len(block.data), "x.warc.gz")
    path = tmp_path_factory.mktemp("warc") / "x.warc.gz"
    path.write_bytes(opening + block.data + more.data)
    return path


WARCIO = """
import sys
sys.modules["brotli"] = None  # warcio trips over its newer versions; it need not decode to judge
from warcio.cli import main
main(sys.argv[1:])
"""


def test_warcio_finds_nothing_wrong(file: Path) -> None:
    """S3"""
    judged = subprocess.run(
        [sys.executable, "-c", WARCIO, "check", "-v", file], capture_output=True, text=True, check=False
    )
    assert judged.returncode == 0, judged.stdout
    assert "fail" not in judged.stdout
    assert judged.stdout.count("digest pass") >= 3 * len(ANSWERS)


def fastwarc(*arguments: str | Path) -> None:
    check = [Path(sys.executable).with_name("fastwarc"), "check", *arguments]
    judged = subprocess.run(check, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert "verified successfully" in judged.stdout


def test_fastwarc_finds_nothing_wrong(file: Path) -> None:
    """S3"""
    fastwarc(file)


def test_fastwarc_finds_every_payload_right(fetched: dict[str, Fetched], tmp_path: Path) -> None:
    """S3: without the revisit, whose payload digest speaks of what another record keeps."""
    (tmp_path / "y.warc.gz").write_bytes(block_of(fetched).data)
    fastwarc("--verify-payloads", tmp_path / "y.warc.gz")


def test_warcio_reads_every_body_as_a_browser_would(file: Path) -> None:
    bodies: dict[str, bytes] = {}
    with open(file, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response":
                path = "/" + record.rec_headers.get_header("WARC-Target-URI").rpartition("/")[2]
                bodies.setdefault(path, record.raw_stream.read() if path == "/br" else record.content_stream().read())
    expected = {path: body for path, body in BODIES.items() if path != "/unchanged"}
    assert bodies == expected | {"/br": BROTLI}


def test_a_record_gives_back_its_body_and_the_head_as_received(fetched: dict[str, Fetched]) -> None:
    block = block_of(fetched)
    for (path, answer), (offset, length) in zip(ANSWERS.items(), block.positions, strict=True):
        fields, head, body = warc_read(block.data[offset : offset + length], cap=50_000_000)
        received = answer[: answer.index(b"\r\n\r\n") + 4]
        assert body == BODIES[path], path
        assert fields["warc-target-uri"] == fetched[path].href
        assert fields["warc-ip-address"] == "127.0.0.1"
        if path in ("/chunked", "/gzip-chunked", "/long"):
            assert head != received
        else:
            assert head == received


def test_a_body_cut_at_the_cap_says_so_and_its_length_is_true(fetched: dict[str, Fetched]) -> None:
    """H2"""
    block = block_of({"/long": fetched["/long"]})
    fields, head, _ = warc_read(block.data[: block.positions[0][1]], cap=50_000_000)
    assert fields["warc-truncated"] == "length"
    assert b"X-Archive-Orig-Content-Length: 50000\r\n" in head
    assert b"\r\nContent-Length: 20000\r\n" in head


GZIP = ("Content-Type: text/html", "Content-Encoding: gzip")


@pytest.mark.parametrize(
    "body",
    [b"no gzip at all", CODED + bytes(512), CODED[:-9], gzip.compress(bytes(100_000))],
    ids=["damaged", "padded", "ends early", "bomb"],
)
def test_s3_a_body_that_came_whole_and_cannot_be_decoded_whole_is_not_called_cut(body: bytes) -> None:
    """Neither by its coding nor, decoded, by the cap: what is stored is what was sent."""
    block = block_of(fetch_all({"/": response(body, *GZIP)}, page_cap=20_000))
    data = block.data[: block.positions[0][1]]
    fields, head, _ = warc_read(data, cap=50_000_000)
    assert "warc-truncated" not in fields
    assert f"\r\nContent-Length: {len(body)}\r\n".encode() in head


def test_a_304_is_a_revisit(fetched: dict[str, Fetched]) -> None:
    """H4"""
    block = block_of({"/unchanged": fetched["/unchanged"]})
    fields = warc_read(block.data[: block.positions[0][1]], cap=50_000_000)[0]
    assert fields["warc-type"] == "revisit"
    assert fields["warc-profile"].endswith("/server-not-modified")


def test_what_came_compressed_is_not_compressed_again(fetched: dict[str, Fetched]) -> None:
    block = block_of({"/gzip": fetched["/gzip"]})
    assert CODED in block.data


def test_index_lines_say_where_records_lie(file: Path) -> None:
    data = file.read_bytes()
    entries, whole = warc_scan(data, 0, "x.warc.gz")
    assert whole == len(data)
    assert [entry for entry in entries if entry.problem is not None] == []
    lines = [entry.cdxj for entry in entries if entry.cdxj is not None]
    assert len(lines) == len(ANSWERS) + 2
    for line in lines:
        key, timestamp, text = line.split(" ", 2)
        row = json.loads(text)
        assert key.startswith("test,a:")
        assert len(timestamp) == 14
        record = data[int(row["offset"]) :][: int(row["length"])]
        assert gzip.GzipFile(fileobj=io.BytesIO(record)).read().startswith(b"WARC/1.1\r\n")
        assert row["filename"] == "x.warc.gz"


def test_a_scan_gives_the_lines_that_were_written(fetched: dict[str, Fetched]) -> None:
    block = block_of(fetched, 1000)
    entries, _ = warc_scan(block.data, 1000, "x.warc.gz")
    assert [entry.cdxj for entry in entries if entry.cdxj is not None] == block.cdxj


def test_a_digest_that_is_wrong_is_found(fetched: dict[str, Fetched]) -> None:
    """S10"""
    content = gzip.decompress(block_of({"/plain": fetched["/plain"]}).data)
    forged = gzip.compress(content[: content.index(b"\r\n\r\nWARC/1.1") + 4].replace(b"words", b"sword"))
    entries, whole = warc_scan(forged)
    assert whole == len(forged)
    assert entries[0].problem == "its block is not what its digest says"


def test_bytes_that_are_no_record_are_refused() -> None:
    with pytest.raises(NativeError) as raised:
        warc_read(b"something else", cap=50_000_000)
    assert raised.value.kind == "corrupt"


def test_settings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(NativeError, match="compression level 99"):
        warc_information(WarcSettings(software="x", compression=99), "x", 0.0)
