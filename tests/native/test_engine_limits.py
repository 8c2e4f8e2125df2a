"""H2, N2, P7: time-outs, refused addresses, attempt records, and the life of an engine."""

import asyncio
import contextlib
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hondius._native import Engine, Identity, NativeError, Reader, host_hash, read_attempts
from tests.native.loopback import Client, response, serving

HTML = "Content-Type: text/html"
Request = tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]


async def never(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Says nothing until the client gives up."""
    await reader.read()


async def test_h2_silence_ends_with_a_read_time_out() -> None:
    async with serving(never) as server:
        with Client(read_timeout=0.05) as client:
            assert (await client.ask(server)).failure == "read_timeout"


async def test_h2_silence_within_a_body_ends_with_a_read_time_out() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", HTML, "Content-Length: 100", length=False) + b"half")
        await never(reader, writer)

    async with serving(answer) as server:
        with Client(read_timeout=0.05) as client:
            fetched = await client.ask(server)
    assert (fetched.failure, fetched.status, fetched.page) == ("read_timeout", 200, None)


async def test_h2_a_drip_that_never_falls_silent_ends_with_the_total_time_out() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", HTML, "Content-Length: 100000", length=False))
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with serving(answer) as server:
        with Client(read_timeout=5.0, total_timeout=0.15) as client:
            assert (await client.ask(server)).failure == "total_timeout"


async def test_h2_endless_chunk_framing_around_a_small_body_is_cut_on_the_wire() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", HTML, "Transfer-Encoding: chunked", length=False))
        while not writer.is_closing():
            writer.write((b"1;" + b"e" * 4_000 + b"\r\nx\r\n") * 16)
            await writer.drain()

    async with serving(answer) as server:
        with Client(page_cap=100_000, total_timeout=5.0) as client:
            fetched = await client.ask(server)
    assert (fetched.failure, fetched.truncated) == (None, True)
    assert fetched.wire_bytes < 400_000


async def test_a_port_where_nobody_listens_refuses() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with Client() as client:
            fetched = await client.fetch(f"http://a.test:{unused.getsockname()[1]}/")
    assert (fetched.failure, fetched.status, fetched.etag) == ("connect_refused", None, b"")


async def test_h2_a_handshake_that_never_ends_is_a_connect_time_out() -> None:
    async with serving(never) as server:
        with Client(connect_timeout=0.05) as client:
            fetched = await client.fetch(f"https://a.test:{server.port}/")
    assert fetched.failure == "connect_timeout"


@pytest.mark.parametrize("url", ["http://a.test:{port}/", "http://127.0.0.1:{port}/", "http://2130706433:{port}/"])
async def test_n2_private_addresses_are_refused_at_connect_time(url: str) -> None:
    async with serving(response(b"x", HTML)) as server:
        with Client(allow_private=[]) as client:
            fetched = await client.fetch(url.format(port=server.port))
    assert (fetched.failure, fetched.status) == ("address_refused", None)
    assert server.connections == 0


async def test_n2_an_override_is_permission_for_its_own_host_and_port_only() -> None:
    async with serving(response(b"x", HTML)) as server:
        with Client(allow_private=[], overrides=[("a.test", f"127.0.0.1:{server.port}")]) as client:
            resolved = await client.resolve("a.test")
            assert (resolved.addresses, resolved.failure) == ([f"127.0.0.1:{server.port}"], None)
            assert (await client.fetch("http://a.test/", resolved.addresses[0])).failure is None
            other_host = await client.fetch("http://b.test/", resolved.addresses[0])
            other_port = await client.fetch(f"http://a.test:{server.port}/", "127.0.0.1:1")
    assert (other_host.failure, other_port.failure) == ("address_refused", "address_refused")


async def test_p3_the_address_chosen_is_the_one_connected_to() -> None:
    async with serving(response(b"x", HTML), host="127.0.0.2") as server:
        with Client() as client:
            fetched = await client.fetch(f"http://a.test:{server.port}/", "127.0.0.2")
            assert fetched.address == f"127.0.0.2:{server.port}"
            elsewhere = await client.fetch(f"http://a.test:{server.port}/", "127.0.0.3")
    assert (fetched.failure, elsewhere.failure) == (None, "connect_refused")


async def test_p7_attempts_are_on_disk_at_the_send_and_at_the_end(tmp_path: Path) -> None:
    attempts = tmp_path / "attempts"
    seen: list[int] = []

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(attempts.stat().st_size)
        writer.write(response(b"x", HTML, status="404 Not Found"))

    async with serving(answer) as server:
        with Client(attempts_file=str(attempts)) as client:
            fetched = await client.ask(server, kind="robots")
    (start, end), length = read_attempts(attempts.read_bytes())
    assert (seen, length) == ([64], 128)
    assert (start.ended, start.status, end.ended, end.status) == (False, 0, True, 404)
    assert (start.at, end.at) == (fetched.started_at, fetched.ended_at)
    assert start.key == end.key == fetched.key
    assert start.host_hash == host_hash("a.test")
    assert start.address == f"127.0.0.1:{server.port}"
    assert start.kind == "robots"


async def test_p7_a_fetch_that_never_sent_anything_leaves_no_attempt(tmp_path: Path) -> None:
    attempts = tmp_path / "attempts"
    with Client(attempts_file=str(attempts), allow_private=[]) as client:
        await client.fetch("http://a.test:1/")
    assert attempts.read_bytes() == b""


async def test_p7_what_cannot_be_recorded_is_not_sent(tmp_path: Path, largest_file: int) -> None:
    attempts = tmp_path / "attempts"
    attempts.touch()
    os.truncate(attempts, largest_file)
    async with serving(response(b"x", HTML)) as server:
        with Client(attempts_file=str(attempts)) as client:
            fetched = await client.ask(server)
    assert (fetched.failure, server.requests) == ("attempt_not_recorded", [])


@pytest.fixture
def largest_file() -> Iterator[int]:
    """No file of this process may grow beyond this size meanwhile: as on a full disk, an append fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = 1 << 32
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    yield size
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    "settings",
    [
        {"headers": [("*", "X", "a\r\nY: b")]},
        {"headers": [("*", "Host", "b.test")]},
        {"user_agent": "a\nb"},
        {"overrides": [("a.test", "nonsense")]},
        {"overrides": [("a*b.test", "127.0.0.1")]},
        {"proxies": [("*", "https://127.0.0.1:1")]},
        {"allow_private": ["10.0.0.0/99"]},
        {"resolvers": ["localhost"]},
        {"connect_timeout": 0.0},
        {"read_timeout": -1.0},
        {"total_timeout": float("nan")},
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(NativeError) as caught:
        Client(**settings)
    assert caught.value.kind == "invalid"


def test_a_ca_file_that_is_missing_or_no_certificate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NativeError) as missing:
        Client(ca_file=str(tmp_path / "missing"))
    assert missing.value.kind == "io"
    (tmp_path / "empty").touch()
    with pytest.raises(NativeError) as empty:
        Client(ca_file=str(tmp_path / "empty"))
    assert empty.value.kind == "invalid"


async def test_a_request_that_cannot_be_sent_fails_alone() -> None:
    key = b"k" * 16
    async with serving(response(b"x", "Content-Type: text/html")) as server:
        good: Request = (1, key, f"http://a.test:{server.port}/", "127.0.0.1", "page", [("X", b"a\r\nb")])
        bad: list[Request] = [
            (2, key, "ftp://a.test/", "127.0.0.1", "page", []),
            (3, key, "http://a.test/", "a.test", "page", []),
            (4, key, "http://a.test/", "127.0.0.1", "image", []),
            (5, key, "http://a.test/", "127.0.0.1", "page", [("Host", b"b.test")]),
        ]
        with Client() as client:
            client.engine.submit([good, *bad])
            failures = {outcome.ticket: outcome.failure for outcome in await client.outcomes(5)}
    assert failures == {1: None, 2: "unsendable", 3: "unsendable", 4: "unsendable", 5: "unsendable"}
    assert b"\r\nX:" not in server.requests[0]


async def test_closing_ends_what_is_under_way_and_can_be_done_twice() -> None:
    async with serving(never) as server:
        client = Client()
        for number in range(20):
            client.submit(f"http://h{number}.test:{server.port}/", "127.0.0.1")
        started = time.monotonic()
        await asyncio.to_thread(client.engine.close)
        client.engine.close()
        assert time.monotonic() - started < 2
        assert client.engine.collect() == []
        with pytest.raises(NativeError, match="closed"):
            client.submit("http://a.test/", "127.0.0.1")


def test_an_engine_may_be_closed_from_its_own_notification() -> None:
    done = threading.Event()

    def notify() -> None:
        engine.close()
        done.set()

    engine = Engine(Reader(Identity(), agent_token="h"), notify, user_agent="h")
    engine.resolve([(1, "a.test")])
    assert done.wait(5)


def native_threads() -> int:
    names = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended since
            names.append(task.joinpath("comm").read_text())
    return sum(name.startswith("hondius-") for name in names)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc, which only Linux has")
def test_dropping_an_engine_ends_its_threads() -> None:
    before = native_threads()
    rung = threading.Event()
    engine = Engine(Reader(Identity(), agent_token="h"), rung.set, user_agent="h")
    engine.resolve([(1, "a.test")])
    assert rung.wait(5)
    assert native_threads() > before
    del engine
    assert native_threads() <= before


@pytest.mark.parametrize("busy", [False, True])
def test_an_interpreter_that_exits_with_an_open_engine_does_not_crash(busy: bool) -> None:
    program = f"""
from hondius._native import Engine, Identity, Reader
engine = Engine(Reader(Identity(), agent_token="h"), lambda: None, user_agent="h")
if {busy}:
    for _ in range(2000):
        engine.resolve([(1, "a.test")])
        engine.collect()
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
