"""The servers of the synthetic web, as a client of the standard library meets them (Q3, H1)."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hondius.testweb.access_log import GONE, Access, read_access_log
from hondius.testweb.command import RunningTestWeb, TestWebOptions, run_testweb
from hondius.testweb.manifest import ResourceRow
from tests.journeys.scripted_site import until

Headers = dict[str, str]
Answer = tuple[int, Headers, bytes]


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[RunningTestWeb]:
    async with run_testweb(TestWebOptions(16, 4, 1, directory=tmp_path, slowest=0.05)) as web:
        yield web


class Client:
    """One connection to one host."""

    def __init__(self, web: RunningTestWeb, url: str) -> None:
        self.scheme, _, rest = url.partition("://")
        self.host = rest.partition("/")[0]
        addresses = dict(line.split("=") for line in web.resolve_file.read_text().split())
        self.address, self.port = addresses[self.host].split(":")
        self.context = ssl.create_default_context(cafile=str(web.ca_file)) if self.scheme == "https" else None

    async def __aenter__(self) -> "Client":
        name = self.host if self.context else None
        opened = asyncio.open_connection(self.address, int(self.port), ssl=self.context, server_hostname=name)
        self.reader, self.writer = await opened
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        await self.writer.wait_closed()

    def send(self, target: str, *headers: str, method: str = "GET", host: str | None = None) -> None:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or self.host}", "User-Agent: test", *headers, "", ""]
        self.writer.write("\r\n".join(lines).encode())

    async def receive(self, *, body: bool = True) -> Answer:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])}
        return int(head[0].split()[1]), headers, await self._body(headers) if body else b""

    async def get(self, target: str, *headers: str) -> Answer:
        self.send(target, *headers)
        return await self.receive()

    async def _body(self, headers: Headers) -> bytes:
        if "content-length" in headers:
            return await self.reader.readexactly(int(headers["content-length"]))
        if "transfer-encoding" not in headers:
            return await self.reader.read()
        parts = b""
        while size := int(await self.reader.readline(), 16):
            parts += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return parts


def rows(web: RunningTestWeb, kind: str, scheme: str = "http") -> list[ResourceRow]:
    return [row for row in web.manifest.resources if row.kind == kind and row.key_form.startswith(f"{scheme}:")]


def target(row: ResourceRow) -> str:
    return "/" + row.key_form.split("/", 3)[3]


def read_log(web: RunningTestWeb) -> list[Access]:
    web.log.flush()
    return read_access_log(web.access_log)


async def ask(web: RunningTestWeb, row: ResourceRow, *headers: str) -> Answer:
    async with Client(web, row.key_form) as client:
        return await client.get(target(row), *headers)


async def test_a_connection_is_kept_alive_and_pipelined_requests_are_answered_in_order(web: RunningTestWeb) -> None:
    async with Client(web, "http://h0001.test/") as client:
        assert (await client.get("/robots.txt"))[0] == 200
        for path in ("/maps/index.xml", "/never-planned", "/robots.txt"):
            client.send(path)
        assert [(await client.receive())[0] for _ in range(3)] == [200, 404, 200]


async def test_what_follows_a_slow_answer_waits_for_it(web: RunningTestWeb) -> None:
    slow = next(row for number in (1, 2, 3) for row in rows(web, f"slow_{number}"))
    async with Client(web, slow.key_form) as client:
        client.send(target(slow))
        client.send("/never-planned")
        assert [(await client.receive())[0] for _ in range(2)] == [200, 404]
    first, second = read_log(web)
    assert first.resource == slow.resource
    assert first.time - first.started >= 0.01
    assert second.time >= first.time


async def test_a_request_whose_client_leaves_before_the_answer_is_logged_too(web: RunningTestWeb) -> None:
    slow = next(row for number in (1, 2, 3) for row in rows(web, f"slow_{number}"))
    async with Client(web, slow.key_form) as client:
        client.send(target(slow))
    await until(lambda: bool(read_log(web)))
    assert [(access.resource, access.status) for access in read_log(web)] == [(slow.resource, GONE)]


async def test_about_half_of_the_pages_are_compressed_for_those_who_accept_it(web: RunningTestWeb) -> None:
    pages = rows(web, "page")
    compressed = 0
    for page in pages:
        _, headers, body = await ask(web, page, "Accept-Encoding: br, gzip")
        _, plain_headers, plain = await ask(web, page)
        assert "content-encoding" not in plain_headers
        if "content-encoding" in headers:
            compressed += 1
            assert gzip.decompress(body) == plain
        else:
            assert body == plain
    assert 0.25 < compressed / len(pages) < 0.75


async def test_bodies_are_framed_in_each_of_the_three_ways(web: RunningTestWeb) -> None:
    framings = set()
    for row in web.manifest.resources:
        if row.state == "completed" and row.key_form.startswith("http:") and row.max_requests == 1:
            headers = (await ask(web, row))[1]
            framings.add((headers.get("transfer-encoding"), "content-length" in headers, headers.get("connection")))
    assert framings == {("chunked", False, None), (None, True, None), (None, False, "close")}


async def test_https_hosts_show_a_certificate_of_the_authority(web: RunningTestWeb) -> None:
    page = rows(web, "page", "https")[0]
    assert (await ask(web, page))[0] == 200
    assert read_log(web)[0].url == page.key_form


async def test_a_certificate_is_not_for_other_names(web: RunningTestWeb) -> None:
    client = Client(web, rows(web, "page", "https")[0].key_form)
    client.host = "h9999.test"
    with pytest.raises(ssl.SSLCertVerificationError):
        await client.__aenter__()


@pytest.mark.parametrize("failures", [1, 2, 3])
async def test_a_page_that_fails_at_first_recovers(web: RunningTestWeb, failures: int) -> None:
    """P5."""
    row = (rows(web, f"{failures}_times_500") + rows(web, f"{failures}_times_500", "https"))[0]
    assert [(await ask(web, row))[0] for _ in range(failures + 2)] == [*[500] * failures, 200, 200]
    assert row.max_requests == failures + 1


async def test_a_503_says_when_to_come_back(web: RunningTestWeb) -> None:
    """P2."""
    row = (rows(web, "once_503") + rows(web, "once_503", "https"))[0]
    status, headers, _ = await ask(web, row)
    assert (status, headers["retry-after"]) == (503, "1")
    assert (await ask(web, row))[0] == 200


async def test_variants_of_a_url_are_one_resource(web: RunningTestWeb) -> None:
    """U2."""
    async with Client(web, "http://h0001.test/") as client:
        for path in ("/?utm_source=a", "/?PHPSESSID=0123456789ABCDEF", "/?"):
            assert (await client.get(path, "Connection: keep-alive"))[0] == 200
    assert {access.resource for access in read_log(web)} == {"h0001.test/page-0"}


async def test_only_the_host_of_an_address_answers_there(web: RunningTestWeb) -> None:
    async with Client(web, "http://h0001.test/") as client:
        client.send("/", host="h0002.test")
        assert (await client.receive())[0] == 421
    assert [(access.resource, access.host) for access in read_log(web)] == [("", "h0002.test")]


async def test_head_sends_no_body(web: RunningTestWeb) -> None:
    async with Client(web, "http://h0001.test/") as client:
        client.send("/robots.txt", method="HEAD")
        status, headers, _ = await client.receive(body=False)
        assert (status, headers["content-type"]) == (200, "text/plain")
        assert (await client.get("/robots.txt"))[0] == 200


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET http://h0001.test/ HTTP/1.1\r\n\r\n", b"x" * 70_000])
async def test_what_is_no_request_ends_the_connection(web: RunningTestWeb, sent: bytes) -> None:
    async with Client(web, "http://h0001.test/") as client:
        client.writer.write(sent)
        assert (await client.reader.read())[:12] in (b"HTTP/1.1 400", b"")
    assert read_log(web) == []


async def test_the_access_log_says_who_asked_whom_for_what(web: RunningTestWeb) -> None:
    async with Client(web, "http://h0001.test/") as client:
        await client.get("/robots.txt?x=1")
        await client.get("/robots.txt")
    unknown, known = read_log(web)
    assert (unknown.status, unknown.resource) == (404, "")
    assert (known.address, known.host, known.url) == ("127.1.0.1", "h0001.test", "http://h0001.test/robots.txt")
    assert (known.user_agent, known.status) == ("test", 200)
    assert known.resource in {row.resource for row in web.manifest.robots}
    assert unknown.started <= unknown.time <= known.started <= known.time


async def test_the_access_log_reaches_the_file_by_itself(web: RunningTestWeb) -> None:
    async with Client(web, "http://h0001.test/") as client:
        await client.get("/robots.txt")
        await until(lambda: web.access_log.stat().st_size > 0)
    assert len(read_access_log(web.access_log)) == 1
