"""An archive served as the web it came from (Q3)."""

import asyncio
import contextlib
import gzip
import http.client
import json
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hondius.errors import WrongUse
from hondius.operate.cli import main
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.testweb.access_log import read_access_log
from hondius.testweb.replay.answers import join_chunks
from hondius.testweb.replay.command import ReplayOptions, RunningReplay, run_replay
from tests.acceptance import commands
from tests.acceptance.synthetic_web import serving

# ---- the proof: a crawl of the replay is the crawl again -------------------------------------------

NOT_KEPT = "noarchive_meta"
"""A page that asks not to be archived has no body in the archive, and so no links either."""


@contextlib.contextmanager
def serve_replay(files: Sequence[Path], scratch: Path) -> Iterator[dict[str, Any]]:
    """What the command says when it is ready."""
    command = [*commands.HONDIUS, "testweb", "--replay", *map(str, files), "--directory", str(scratch)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        assert process.wait(timeout=10) == 0
        assert process.stdout is not None
        process.stdout.close()


def crawl_replay(ready: dict[str, Any], into: Path) -> None:
    seeds = into.with_name(f"{into.name}-seeds.txt")
    seeds.write_text("".join(f"{seed}\n" for seed in ready["seeds"]))
    reached = ("--resolve", ready["resolve"], "--ca-file", ready["ca_file"])
    ended = commands.run("crawl", "--seeds", seeds, "--into", into, "--scope", "any", "--delay", 0, *reached, "--json")
    assert (ended.status, ended.summary["stop_reason"]) == (0, "done"), ended.errors


def pages(directory: Path) -> dict[str, tuple[object, ...]]:
    """How each URL ended, and the hash of its body."""
    with contextlib.closing(EmbeddedCatalog.open(directory / "crawl.db", read_only=True)) as catalog:
        return {
            page["key_form"]: (page["state"], page["cause"], page["status"], page["content_hash"])
            for page in catalog.pages()
        }


def test_q3_a_crawl_of_the_replay_finds_the_same_pages(tmp_path: Path) -> None:
    with serving(tmp_path, hosts=12, pages_per_host=6, seed=12, slowest=0.1) as web:
        ended = commands.run(*web.crawl_arguments(tmp_path / "first", delay=0), patience=60)
        assert ended.status == 0, ended.errors
        not_kept = {row.key_form for row in web.manifest.resources if row.kind == NOT_KEPT}
        lost = {row.key_form for row in web.manifest.resources if row.kind == f"{NOT_KEPT}_leaf"}
    with serve_replay(sorted((tmp_path / "first" / "warc").glob("*.warc.gz")), tmp_path / "replay") as ready:
        crawl_replay(ready, tmp_path / "second")
        assert read_access_log(Path(ready["access_log"]))
    first, second = pages(tmp_path / "first"), pages(tmp_path / "second")
    assert not_kept
    assert set(first) - set(second) == lost
    assert set(second) <= set(first)
    different = {key_form for key_form in second if second[key_form] != first[key_form]}
    assert different == not_kept
    assert sum(page[0] == "duplicate" for page in second.values()) > 0


# ---- archives by another hand ----------------------------------------------------------------------

HTML = ("Content-Type", "text/html")
DATE = "2026-01-02T03:04:05Z"
ANSWER = "application/http; msgtype=response"


class Archive:
    """As other tools write it: older version, chunks and untrue lengths kept, a record a member or no compression."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        path.write_bytes(b"")
        self._add("warcinfo", b"software: a test\r\n", "application/warc-fields")

    def response(
        self, url: str, body: bytes, *headers: tuple[str, str], status: str = "200 OK", date: str = DATE
    ) -> "Archive":
        fields = {"WARC-Target-URI": f"<{url}>", "WARC-Date": date}
        return self._add("response", _head(status, headers) + body, ANSWER, fields)

    def revisit(self, url: str, of: str, digest: str, *headers: tuple[str, str], status: str = "200 OK") -> "Archive":
        profile = "server-not-modified" if status.startswith("304") else "identical-payload-digest"
        fields = {"WARC-Target-URI": url, "WARC-Date": DATE, "WARC-Payload-Digest": digest}
        fields |= {"WARC-Profile": f"http://netpreserve.org/warc/1.1/revisit/{profile}"}
        return self._add("revisit", _head(status, headers), ANSWER, fields | {"WARC-Refers-To-Target-URI": of})

    def resource(self, url: str, body: bytes, content_type: str) -> "Archive":
        return self._add("resource", body, content_type, {"WARC-Target-URI": url, "WARC-Date": DATE})

    def _add(self, kind: str, block: bytes, content_type: str, fields: dict[str, str] | None = None) -> "Archive":
        lines = {"WARC-Type": kind, "Content-Type": content_type, "Content-Length": str(len(block)), **(fields or {})}
        head = "".join(["WARC/1.0\r\n", *(f"{name}: {value}\r\n" for name, value in lines.items()), "\r\n"])
        record = head.encode() + block + b"\r\n\r\n"
        with self.path.open("ab") as file:
            self.size += file.write(gzip.compress(record) if self.path.suffix == ".gz" else record)
        return self


def _head(status: str, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Client:
    """Requests by the standard library, on the addresses of the resolve file."""

    def __init__(self, web: RunningReplay) -> None:
        lines = web.resolve_file.read_text().split()
        self._places = dict(line.split("=") for line in lines)
        self._trust = ssl.create_default_context(cafile=web.ca_file)

    async def get(self, url: str, at: str | None = None, method: str = "GET") -> Answer:
        return await asyncio.to_thread(self._get, url, at, method)

    def _get(self, url: str, at: str | None, method: str) -> Answer:
        scheme, _, rest = url.partition("://")
        authority, slash, path = rest.partition("/")
        host = authority.partition(":")[0]
        address, _, port = self._places[at or host].partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=10)
        with socket.create_connection((address, int(port)), timeout=10) as plain:
            connection.sock = self._trust.wrap_socket(plain, server_hostname=host) if scheme == "https" else plain
            connection.request(method, slash + path, headers={"Host": authority})
            answer = connection.getresponse()
            found = Answer(answer.status, answer.getheaders(), answer.read())
            connection.close()
            return found


@contextlib.asynccontextmanager
async def replay(tmp_path: Path, *files: Path) -> AsyncIterator[tuple[RunningReplay, Client]]:
    async with run_replay(ReplayOptions(files, directory=tmp_path)) as web:
        yield web, Client(web)


@pytest.mark.parametrize("suffix", [".warc", ".warc.gz"])
async def test_q3_an_answer_goes_out_as_it_was_archived_but_for_its_framing(tmp_path: Path, suffix: str) -> None:
    packed = gzip.compress(b"packed")
    archive = Archive(tmp_path / f"a{suffix}")
    archive.response(
        "http://a.test/",
        b"5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: x\r\n\r\n",
        HTML,
        ("Transfer-Encoding", "chunked"),
        ("Connection", "keep-alive, X-Hop"),
        ("X-Hop", "1"),
        ("Server", "old"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("X-Latin", "caf\xe9"),
    )
    archive.response("http://a.test/gzip", packed, HTML, ("Content-Encoding", "gzip"), ("Content-Length", "999"))
    archive.response("http://a.test/gone", b"no", HTML, ("X-Archive-Orig-Content-Length", "9"), status="410 Gone")
    archive.response("http://a.test/moved", b"", ("Location", "/gzip"), status="301 Moved")
    archive.response("http://a.test/empty", b"", status="204 No Content")
    async with replay(tmp_path, archive.path) as (web, client):
        first = await client.get("http://a.test/")
        assert (first.status, first.body) == (200, b"hello world")
        assert first.headers == [
            *(HTML, ("Server", "old"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-Latin", "caf\xe9")),
            ("Content-Length", "11"),
        ]
        assert await client.get("http://a.test/gzip") == Answer(
            200, [HTML, ("Content-Encoding", "gzip"), ("Content-Length", str(len(packed)))], packed
        )
        assert await client.get("http://a.test/gone") == Answer(410, [HTML, ("Content-Length", "2")], b"no")
        assert await client.get("http://a.test/moved") == Answer(
            301, [("Location", "/gzip"), ("Content-Length", "0")], b""
        )
        assert await client.get("http://a.test/empty") == Answer(204, [], b"")
        assert (await client.get("http://a.test/gzip", method="HEAD")).body == b""
        assert (await client.get("http://a.test/robots.txt")).status == 404
        assert web.problems == []


async def test_q3_a_host_answers_in_every_scheme_and_on_every_port_it_was_archived_from(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "a.warc.gz")
    for url in ("http://a.test/x", "https://a.test/x", "http://a.test:8080/x", "https://b.test/"):
        archive.response(url, url.encode(), HTML)
    async with replay(tmp_path, archive.path) as (web, client):
        for url in ("http://a.test/x", "https://a.test/x", "http://a.test:8080/x", "https://b.test/"):
            assert (await client.get(url)).body == url.encode()
        assert (await client.get("http://b.test/")).status == 404
        assert (await client.get("http://a.test/x", at="b.test")).status == 421
        assert web.seeds == ["http://a.test/x", "https://a.test/x", "http://a.test:8080/x", "https://b.test/"]
        addresses = [line.partition("=")[2].partition(":")[0] for line in web.resolve_file.read_text().split()]
        assert addresses == ["127.1.0.1", "127.1.0.2"]
    logged = {access.url for access in read_access_log(web.access_log)}
    assert {"http://a.test/x", "https://a.test/x", "https://b.test/"} <= logged


async def test_q3_a_revisit_has_the_body_of_its_original_wherever_that_lies(tmp_path: Path) -> None:
    first = Archive(tmp_path / "1.warc.gz")
    first.revisit("http://a.test/copy", "http://a.test/original", "sha1:UNKNOWN", HTML, ("X-Own", "1"))
    first.revisit("http://a.test/unchanged", "http://a.test/original", "", status="304 Not Modified")
    first.revisit("http://a.test/orphan", "http://elsewhere.test/", "sha1:NOWHERE", HTML)
    second = Archive(tmp_path / "2.warc")
    second.response("http://a.test/original", b"words", HTML)
    async with replay(tmp_path, first.path, second.path) as (_, client):
        assert await client.get("http://a.test/copy") == Answer(
            200, [HTML, ("X-Own", "1"), ("Content-Length", "5")], b"words"
        )
        assert await client.get("http://a.test/unchanged") == Answer(200, [HTML, ("Content-Length", "5")], b"words")
        assert (await client.get("http://a.test/orphan")).status == 404


async def test_q3_the_newest_answer_is_served_and_other_hrefs_of_a_url_are_known(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "a.warc.gz")
    archive.response("http://a.test/?b=1&a=2", b"new", HTML, date="2026-01-02T00:00:00.5Z")
    archive.response("http://a.test/?b=1&a=2", b"old", HTML, date="2026-01-02T00:00:00Z")
    archive.response("http://a.test/s?sessionid=0123456789abcdef", b"", ("Location", "/s"), status="302 Found")
    archive.response("http://a.test/s", b"plain", HTML)
    async with replay(tmp_path, archive.path) as (_, client):
        assert (await client.get("http://a.test/?b=1&a=2")).body == b"new"
        assert (await client.get("http://a.test/?a=2&b=1&utm_source=x")).body == b"new"
        assert (await client.get("http://a.test/s?sessionid=0123456789abcdef")).status == 302
        assert (await client.get("http://a.test/s?sessionid=fedcba9876543210")).body == b"plain"


@pytest.mark.parametrize("suffix", ["warc", "warc.gz"])
async def test_q3_a_resource_is_served_though_it_has_no_head(tmp_path: Path, suffix: str) -> None:
    archive = Archive(tmp_path / f"a.{suffix}")
    archive.resource("http://a.test/notes", b"plain\r\n\r\ntext", "text/plain; charset=utf-8")
    archive.resource("dns:a.test", b"20260101 a.test. IN A 192.0.2.1", "text/dns")
    async with replay(tmp_path, archive.path) as (web, client):
        answer = await client.get("http://a.test/notes")
        assert (answer.status, answer.body) == (200, b"plain\r\n\r\ntext")
        assert dict(answer.headers)["Content-Type"] == "text/plain; charset=utf-8"
        assert web.seeds == ["http://a.test/notes"]


async def test_q3_seeds_are_roots_that_exist_or_the_first_good_url(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "a.warc.gz")
    archive.response("http://a.test/robots.txt", b"", HTML)
    archive.response("http://a.test/page", b"", HTML)
    archive.response("http://a.test/", b"", HTML)
    archive.response("http://b.test/", b"", HTML, status="404 Not Found")
    archive.response("http://b.test/page", b"", HTML)
    archive.response("http://c.test/robots.txt", b"", HTML)
    async with replay(tmp_path, archive.path) as (web, _):
        assert web.seeds == ["http://a.test/", "http://b.test/page"]


@pytest.mark.parametrize("suffix", [".warc", ".warc.gz"])
async def test_q3_of_a_torn_file_everything_before_the_tear_is_served(tmp_path: Path, suffix: str) -> None:
    archive = Archive(tmp_path / f"a{suffix}")
    archive.response("http://a.test/1", b"one", HTML)
    whole = archive.size
    file = archive.response("http://a.test/2", b"two" * 100, HTML).path
    file.write_bytes(file.read_bytes()[:-150])
    async with replay(tmp_path, file) as (web, client):
        assert (await client.get("http://a.test/1")).body == b"one"
        assert (await client.get("http://a.test/2")).status == 404
        assert web.problems == [f"{file} cannot be read from byte {whole}"]


async def run_refused(tmp_path: Path, *files: Path) -> str:
    with pytest.raises(WrongUse) as caught:
        async with replay(tmp_path, *files):
            pass
    return str(caught.value)


async def test_o1c_what_cannot_be_served_is_refused_with_what_to_do(tmp_path: Path) -> None:
    assert "check the path" in await run_refused(tmp_path, tmp_path / "missing.warc")
    (tmp_path / "text.warc").write_text("not an archive\n")
    assert "holds no answer" in await run_refused(tmp_path, tmp_path / "text.warc")
    plain = Archive(tmp_path / "plain.warc")
    plain.response("http://a.test/1", b"one", HTML).response("http://a.test/2", b"two", HTML)
    whole = tmp_path / "whole.warc.gz"
    whole.write_bytes(gzip.compress(plain.path.read_bytes()))
    assert "gunzip" in await run_refused(tmp_path, whole)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--replay", "missing.warc"], "missing.warc"),
        (["--replay", "missing.warc", "--hosts", "3"], "--hosts"),
        (["missing.warc"], "--replay"),
        (["--replay", "missing.warc", "--port", "70000"], "--port"),
    ],
)
def test_o1c_wrong_use_of_the_command_is_named(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert main.run(["testweb", *arguments]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
        (b"3\nabc\n2\nde\n", b"abcde"),
        (b"A\r\nshort", b"short"),
        (b"<html>", b"<html>"),
        (b"", b""),
        (b"ffffffffff\r\n", b"ffffffffff\r\n"),
    ],
)
def test_chunks_are_joined_and_what_is_not_chunked_is_left_alone(body: bytes, expected: bytes) -> None:
    assert join_chunks(body) == expected
