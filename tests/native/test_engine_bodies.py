"""H1, H2, H5: bodies, their codings, their caps and the memory they may take."""

import asyncio
import gzip
import hashlib
import os
import zlib
from pathlib import Path

import pytest

from tests.native.loopback import Client, raw, response, serving
from tests.native.suites import SUITES, needs_suites

HTML = "Content-Type: text/html"
COMPRESSED = SUITES / "http-compression"
PAGE_CODINGS = [
    ("html-br.bin", "br"),
    ("html-gzip.bin", "gzip"),
    ("html-gzip.bin", "x-gzip"),
    ("html-rawdeflate.bin", "deflate"),
    ("html-zlibdeflate.bin", "deflate"),
    ("html-zstd-static-content-size.bin", "zstd"),
    ("html-zstd-static-no-content-size.bin", "zstd"),
    ("html-zstd-streaming-no-content-size.bin", "zstd"),
    ("html-gzip-deflate.bin", "gzip, deflate"),
]


@needs_suites
@pytest.mark.parametrize(("file", "coding"), PAGE_CODINGS)
async def test_h1_every_coding_of_a_page_is_undone(file: str, coding: str) -> None:
    """The files of deflate alone hold a page that differs by a few bytes from that of all others."""
    plain = gzip.decompress((COMPRESSED / "html-gzip.bin").read_bytes())
    if coding == "deflate":
        plain = zlib.decompress((COMPRESSED / "html-zlibdeflate.bin").read_bytes())
    answer = response((COMPRESSED / file).read_bytes(), HTML, f"Content-Encoding: {coding}")
    fetched = await raw(answer)
    assert (fetched.failure, fetched.truncated) == (None, False)
    assert fetched.decoded_length == len(plain)
    assert fetched.content_hash == hashlib.sha256(plain).digest()


@needs_suites
async def test_more_than_two_codings_on_top_of_each_other_are_refused() -> None:
    body = (COMPRESSED / "html-gzip-deflate-gzip.bin").read_bytes()
    fetched = await raw(response(body, HTML, "Content-Encoding: gzip, deflate, gzip"))
    assert (fetched.failure, fetched.page) == ("decode_failed", None)
    assert fetched.status == 200


@needs_suites
@pytest.mark.parametrize("coding", ["br", "deflate", "gzip", "zstd"])
async def test_h2_a_bomb_is_cut_at_the_cap(coding: str) -> None:
    body = (COMPRESSED / f"bomb-{coding}.bin").read_bytes()
    async with serving(response(body, HTML, f"Content-Encoding: {coding}")) as server:
        with Client(page_cap=1_000_000, body_budget=2_000_000) as client:
            fetched = await client.ask(server)
            assert client.engine.bodies_in_memory <= 2_000_000
    assert (fetched.failure, fetched.truncated, fetched.decoded_length) == (None, True, 1_000_000)


@needs_suites
@pytest.mark.parametrize("file", ["truncated-crc-error.gz", "truncated-crc-error-short.gz", "unexpected-eof.gz"])
async def test_damaged_gzip_yields_what_could_be_read(file: str) -> None:
    fetched = await raw(response((COMPRESSED / file).read_bytes(), HTML, "Content-Encoding: gzip"))
    assert (fetched.failure, fetched.truncated) == (None, True)
    assert fetched.decoded_length > 0
    assert fetched.decoded_length >= len(zlib.decompressobj(31).decompress((COMPRESSED / file).read_bytes()))


async def test_a_body_that_is_not_coded_as_it_says_fails() -> None:
    fetched = await raw(response(b"<html>plain", HTML, "Content-Encoding: gzip"))
    assert fetched.failure == "decode_failed"


async def test_a_coding_that_nobody_knows_is_no_coding() -> None:
    fetched = await raw(response(b"<html>plain", HTML, "Content-Encoding: utf-8"))
    assert (fetched.failure, fetched.decoded_length) == (None, 11)


async def test_bodies_of_errors_and_redirects_are_not_decoded() -> None:
    answer = response(b"not gzip", HTML, "Content-Encoding: gzip", status="404 Not Found")
    fetched = await raw(answer)
    assert (fetched.failure, fetched.status, fetched.content_hash) == (None, 404, None)


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
async def test_h2_a_long_body_is_cut_on_the_wire_and_marked(framing: str) -> None:
    body = b"<p>" + b"x" * 300_000
    match framing:
        case "length":
            answer = response(body, HTML)
        case "chunked":
            chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            answer = response(chunks, HTML, "Transfer-Encoding: chunked", length=False)
        case _:
            answer = response(body, HTML, length=False)
    async with serving(answer) as server:
        with Client(page_cap=100_000) as client:
            fetched = await client.ask(server)
    assert (fetched.failure, fetched.truncated, fetched.decoded_length) == (None, True, 100_000)
    assert fetched.wire_bytes < 200_000


@pytest.mark.parametrize("framing", ["length", "close"])
async def test_a_body_exactly_as_long_as_the_cap_is_whole(framing: str) -> None:
    fetched = await raw(response(b"x" * 1000, HTML, length=framing == "length"), page_cap=1000)
    assert (fetched.truncated, fetched.decoded_length) == (False, 1000)


async def test_h2_caps_go_by_kind() -> None:
    async with serving(response(b"x" * 5000, "Content-Type: text/plain"), close=False) as server:
        with Client(page_cap=1000, robots_cap=2000, sitemap_cap=3000) as client:
            lengths = {
                kind: (await client.ask(server, kind=kind)).decoded_length for kind in ("page", "robots", "sitemap")
            }
    assert lengths == {"page": 1000, "robots": 2000, "sitemap": 3000}


async def test_robots_txt_keeps_its_decoded_bytes_and_pages_do_not() -> None:
    coded = gzip.compress(b"User-agent: *")
    answer = response(coded, "Content-Type: text/plain", "Content-Encoding: gzip")
    async with serving(answer, close=False) as server:
        with Client() as client:
            robots = await client.ask(server, kind="robots")
            page = await client.ask(server, kind="page")
    assert (robots.robots_txt, robots.kind) == (b"User-agent: *", "robots")
    assert (page.robots_txt, page.decoded_length) == (None, 13)


async def test_h5_bodies_of_other_types_are_not_read() -> None:
    types = {"content_types": ["text/html"]}
    big = await raw(response(b"x" * 1_000_000, "Content-Type: video/mp4"), **types)
    assert (big.failure, big.status, big.content_type) == (None, 200, "video/mp4")
    assert (big.truncated, big.decoded_length, big.content_hash) == (True, 0, None)
    assert big.wire_bytes < 100_000


async def test_h5_small_bodies_of_other_types_do_not_cost_the_connection() -> None:
    async with serving(response(b"x" * 1000, "Content-Type: image/png"), close=False) as server:
        with Client(content_types=["text/html"]) as client:
            assert [(await client.ask(server)).truncated for _ in range(3)] == [True] * 3
            assert (await client.ask(server, kind="robots")).decoded_length == 1000
    assert server.connections == 1


@pytest.mark.parametrize(
    ("body", "expected", "wanted"),
    [
        (b"\n<!doctype html><p>", "text/html", True),
        (b"\x00\x01\x02\x03" * 100_000, "application/octet-stream", False),
    ],
)
async def test_h5_without_a_type_the_first_bytes_decide(body: bytes, expected: str, wanted: bool) -> None:
    fetched = await raw(response(body), content_types=["text/html"])
    assert (fetched.content_type, fetched.truncated) == (expected, not wanted)
    assert (fetched.content_hash is not None) == wanted


async def test_h2_bodies_beyond_the_budget_spill_to_disk_and_memory_is_given_back(tmp_path: Path) -> None:
    body = zlib.compress(b"") + bytes(range(256)) * 1000
    async with serving(response(body, "Content-Type: text/plain")) as server:
        with Client(body_budget=600_000, spill_directory=str(tmp_path)) as client:
            kept = [await client.ask(server, kind="robots") for _ in range(5)]
            assert [fetched.robots_txt for fetched in kept] == [body] * 5
            assert 0 < client.engine.bodies_in_memory <= 600_000
            assert os.listdir(tmp_path) == []
            kept.clear()
            assert client.engine.bodies_in_memory == 0


async def test_a_full_disk_cuts_the_body_instead_of_the_memory_limit(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    async with serving(response(b"x" * 200_000, "Content-Type: text/plain")) as server:
        with Client(body_budget=50_000, spill_directory=str(missing)) as client:
            fetched = await client.ask(server, kind="sitemap")
    assert (fetched.failure, fetched.truncated) == (None, True)
    assert fetched.decoded_length < 200_000


async def test_pieces_of_a_body_may_come_slowly() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", HTML, "Content-Length: 6", length=False))
        for piece in (b"ab", b"cd", b"ef"):
            await writer.drain()
            await asyncio.sleep(0.01)
            writer.write(piece)

    async with serving(answer) as server:
        with Client() as client:
            assert (await client.ask(server)).decoded_length == 6
