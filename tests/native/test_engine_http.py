"""H1: the exchange itself, as ordinary and as odd servers speak it."""

import asyncio
import base64
import hashlib
import json
from pathlib import Path

import pytest

from hondius._native import Identity, Url, read_attempts
from tests.native.loopback import Client, Handler, listening, raw, read_head, response, serving
from tests.native.suites import SUITES, needs_suites

HTML = "Content-Type: text/html; charset=utf-8"


async def test_h1_a_page_comes_back_with_its_head_and_its_hash() -> None:
    body = b"<title>Hello</title>"
    async with serving(response(body, HTML, 'ETag: "\xe9"', "Date: Sunday, 06-Nov-94 08:49:37 GMT")) as server:
        with Client() as client:
            fetched = await client.ask(server, "/x?y=1")
    assert (fetched.failure, fetched.detail, fetched.status) == (None, "", 200)
    assert fetched.content_type == "text/html"
    assert (fetched.etag, fetched.http_date) == (b'"\xe9"', "Sun, 06 Nov 1994 08:49:37 GMT")
    assert fetched.decoded_length == len(body)
    assert fetched.content_hash == hashlib.sha256(body).digest()
    assert fetched.page is not None
    assert fetched.page.title == "Hello"
    assert fetched.address == f"127.0.0.1:{server.port}"
    assert 0 < fetched.started_at <= fetched.ended_at
    assert fetched.wire_bytes == len(server.answer)  # type: ignore[arg-type]
    assert server.requests[0].startswith(b"GET /x?y=1 HTTP/1.1\r\nHost: a.test:")


async def test_h1_connections_are_kept_alive_and_used_again() -> None:
    async with serving(response(b"x", HTML), close=False) as server:
        with Client() as client:
            for _ in range(5):
                assert (await client.ask(server)).failure is None
            assert client.engine.connections_opened == 1
    assert server.connections == 1


@pytest.mark.parametrize("header", ["Connection: close", "X: y"])
async def test_h1_a_connection_that_the_server_closed_is_replaced_without_a_failure(header: str) -> None:
    async with serving(response(b"x", HTML, header), close=True) as server:
        with Client() as client:
            for _ in range(3):
                assert (await client.ask(server)).failure is None
                await asyncio.sleep(0.01)
    assert server.connections == 3


def answering_once() -> Handler:
    """Takes the second request of a connection and closes without an answer."""
    answered: set[object] = set()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if writer in answered:
            writer.transport.abort()
            return
        answered.add(writer)
        writer.write(response(b"x", HTML))

    return answer


async def test_p7_a_swallowed_request_is_not_sent_again_unasked_and_each_is_recorded(tmp_path: Path) -> None:
    async with serving(answering_once(), close=False) as server:
        with Client(attempts_file=str(tmp_path / "attempts")) as client:
            failures = [(await client.ask(server)).failure for _ in range(5)]
    assert failures == [None, "connection_stale", None, None, None]
    assert server.connections == 4
    assert len(server.requests) == 5
    attempts, _ = read_attempts((tmp_path / "attempts").read_bytes())
    assert [attempt.status for attempt in attempts if attempt.ended] == [200, 0, 200, 200, 200]
    assert len(attempts) == 10


async def test_bodies_of_unknown_length_last_until_the_connection_closes() -> None:
    fetched = await raw(response(b"hello", HTML, length=False))
    assert (fetched.failure, fetched.decoded_length, fetched.truncated) == (None, 5, False)


async def test_chunks_are_taken_apart() -> None:
    chunks = b"5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n"
    fetched = await raw(response(chunks, HTML, "Transfer-Encoding: chunked", length=False))
    assert (fetched.failure, fetched.decoded_length) == (None, 11)


async def test_chunked_answers_leave_the_connection_usable() -> None:
    answer = response(b"3\r\nabc\r\n0\r\n\r\n", HTML, "Transfer-Encoding: chunked", length=False)
    async with serving(answer, close=False) as server:
        with Client() as client:
            assert [(await client.ask(server)).decoded_length for _ in range(3)] == [3, 3, 3]
    assert server.connections == 1


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
async def test_answers_that_have_no_body_are_not_waited_for(status: str) -> None:
    async with serving(response(b"", status=status, length=False), close=False) as server:
        with Client(read_timeout=5.0) as client:
            fetched = await client.ask(server)
            assert (await client.ask(server)).status == fetched.status == int(status[:3])
    assert server.connections == 1


async def test_interim_answers_are_passed_over() -> None:
    fetched = await raw(b"HTTP/1.1 103 Early Hints\r\nETag: x\r\n\r\n" + response(b"x", HTML))
    assert (fetched.status, fetched.etag) == (200, b"")


async def test_h3_redirects_are_reported_and_not_followed() -> None:
    async with serving(response(b"moved", "Location: /elsewhere", status="302 Found")) as server:
        with Client() as client:
            fetched = await client.ask(server)
    assert (fetched.status, fetched.is_redirect, fetched.page) == (302, True, None)
    target = fetched.location(Identity())
    assert isinstance(target, Url)
    assert target.path_and_query == "/elsewhere"
    assert fetched.content_hash is None
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (b"", "connection_reset"),
        (b"HTTP/1.1 200 OK\r\nContent-", "connection_reset"),
        (b"<html>no head at all</html>", "http_malformed"),
        (b"HTTP/1.1 OK\r\n\r\n", "http_malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "http_malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcd", "body_incomplete"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "body_incomplete"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "http_malformed"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 100_000, "http_malformed"),
        (b"HTTP/1.1 101 Switching\r\n\r\n", "http_malformed"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 17 + response(b"x"), "http_malformed"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"a" * 70_000 + b"\r\n\r\n", "headers_too_large"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 20_000 + b"\r\n", "headers_too_large"),
    ],
)
async def test_broken_answers_fail_with_their_cause(answer: bytes, cause: str) -> None:
    fetched = await raw(answer)
    assert (fetched.failure, fetched.page) == (cause, None)
    assert fetched.detail


async def test_a_reset_within_the_answer_is_a_failure() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"x" * 1000, HTML)[:-500])
        await writer.drain()
        writer.transport.abort()

    async with serving(answer) as server:
        with Client() as client:
            assert (await client.ask(server)).failure in ("connection_reset", "body_incomplete")


async def test_bytes_beyond_the_body_belong_to_nobody() -> None:
    """Nor may they answer the next request."""
    smuggled = response(b"x", HTML) + response(b"smuggled", status="404 Not Found")
    async with serving(smuggled, close=False) as server:
        with Client() as client:
            assert [(await client.ask(server)).status for _ in range(3)] == [200, 200, 200]
    assert server.connections == 3


async def test_h1_headers_go_to_their_hosts_and_single_requests_add_theirs() -> None:
    rules = [("*", "X-All", "1"), ("b.test", "Authorization", "secret")]
    async with serving(response(b"x", HTML)) as server:
        with Client(headers=rules) as client:
            await client.ask(server, extra=[("If-None-Match", b'"e\xe9"'), ("If-Modified-Since", b"a\x01")])
            await client.fetch(f"http://b.test:{server.port}/")
    first, second = (request.decode("latin-1") for request in server.requests)
    assert "X-All: 1" in first
    assert 'If-None-Match: "e\xe9"\r\n' in first
    assert "If-Modified-Since" not in first
    assert "secret" not in first
    assert "Authorization: secret" in second
    assert "If-None-Match" not in second


async def test_a_drip_of_single_bytes_is_read_like_any_other_answer() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = response(b"4\r\nabcd\r\n0\r\n\r\n", HTML, "Transfer-Encoding: chunked", length=False)
        for byte in data:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)

    async with serving(answer) as server:
        with Client() as client:
            assert (await client.ask(server)).decoded_length == 4


async def test_many_fetches_at_once_come_back_in_batches() -> None:
    async with serving(response(b"x" * 2000, HTML), close=False) as server:
        with Client() as client:
            for number in range(500):
                client.submit(f"http://h{number}.test:{server.port}/", "127.0.0.1")
            outcomes = await client.outcomes(500)
            assert {outcome.ticket for outcome in outcomes} == set(range(1, 501))
            assert all(outcome.failure is None for outcome in outcomes)
            assert client.rings <= 500
            assert client.engine.in_flight == 0


def cases_of_llhttp() -> list[tuple[str, bytes, bool]]:
    path = SUITES / "http-malformed" / "llhttp_response_cases.json"
    if not path.exists():
        return []
    cases = json.loads(path.read_text())["cases"]
    return [(case["id"], base64.b64decode(case["raw_b64"]), case["llhttp_error"] is None) for case in cases]


def cases_of_browsers() -> list[tuple[str, bytes, bool]]:
    folder = SUITES / "http-malformed" / "wpt-h1"
    if not folder.exists():
        return []
    cases = json.loads((folder / "manifest.json").read_text())
    return [
        (case["file"], (folder / case["file"]).read_bytes(), case.get("browser_fetch") == "Valid") for case in cases
    ]


@needs_suites
@pytest.mark.parametrize("cases", [cases_of_llhttp(), cases_of_browsers()], ids=["llhttp", "browsers"])
async def test_malformed_answers_never_hang_and_valid_ones_are_read(cases: list[tuple[str, bytes, bool]]) -> None:
    wrong = []
    answers = {number: data for number, (_, data, _) in enumerate(cases)}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await read_head(reader)
        writer.write(answers[int(head.split()[1][1:])])

    async with listening(serve) as port:
        with Client(read_timeout=5.0) as client:
            for number in answers:
                client.submit(f"http://h{number}.test:{port}/{number}", "127.0.0.1")
            for outcome in await client.outcomes(len(cases)):
                name, _, valid = cases[outcome.ticket - 1]
                if outcome.failure in ("read_timeout", "total_timeout") or (
                    valid and outcome.failure == "http_malformed"
                ):
                    wrong.append((name, outcome.failure))
    known = {"sample: RTSP response", "sample: ICE response", "sample: HTTP version 0.9"}
    assert [row for row in wrong if row[0] not in known] == []


@needs_suites
async def test_lengths_are_understood_as_browsers_do() -> None:
    cases = json.loads((SUITES / "http-malformed" / "wpt-json" / "content-lengths.json").read_text())
    for case in cases:
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{case['input']}\r\n\r\n".encode() + b"x" * 42
        fetched = await raw(answer)
        expected = None if fetched.failure == "http_malformed" else fetched.decoded_length
        # Browsers wait for the end of the connection; a crawler would wait for nothing, host after host.
        output = None if case["input"] == "Content-Length: -1" else case["output"]
        assert expected == output, case
