"""N3: the local address that a connection comes from, by scheme and host pattern."""

import asyncio

import pytest

from hondius.native import NativeError
from tests.native.loopback import Client, listening, read_head, response

SOURCES = [
    ("*", "127.0.0.2"),
    ("*.a.test", "127.0.0.3"),
    ("https://*.a.test", "127.0.0.4"),
    ("http://www.b.test", "127.0.0.5"),
]


class Door:
    """Notes the address that each connection comes from."""

    def __init__(self) -> None:
        self.came_from: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came_from.append(writer.get_extra_info("peername")[0])
        if await reader.read(1) == b"G":  # else it is TLS
            await read_head(reader)
            writer.write(response(b"hello"))


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ("http://c.test", "127.0.0.2"),
        ("http://www.a.test", "127.0.0.3"),
        ("https://www.a.test", "127.0.0.4"),
        ("http://a.test", "127.0.0.2"),
        ("http://www.b.test", "127.0.0.5"),
        ("https://www.b.test", "127.0.0.2"),
    ],
)
async def test_n3_a_connection_comes_from_the_address_of_its_pattern(origin: str, source: str) -> None:
    """Of `https` the connection is enough: the server speaks no TLS."""
    door = Door()
    async with listening(door.serve) as port:
        with Client(sources=SOURCES) as client:
            fetched = await client.fetch(f"{origin}:{port}/")
    assert fetched.failure == (None if origin.startswith("http:") else "tls_failed")
    assert door.came_from == [source]


async def test_n3_a_connection_to_a_proxy_comes_from_it_too() -> None:
    door = Door()
    async with listening(door.serve) as port:
        proxies = [("https://*", "http://127.0.0.1:1"), ("*", f"http://127.0.0.1:{port}")]
        with Client(sources=SOURCES, proxies=proxies) as client:
            fetched = await client.fetch("http://www.a.test/", "127.0.0.9")
            tunnelled = await client.fetch("https://www.a.test/", "127.0.0.9")
    assert (fetched.status, door.came_from) == (200, ["127.0.0.3"])
    assert tunnelled.failure == "proxy_failed"


async def test_n3_without_a_source_of_its_family_a_host_is_not_asked_from_another_address() -> None:
    door = Door()
    async with listening(door.serve, host="::1") as port:
        with Client(sources=[("*", "127.0.0.2")], allow_private=["::1"]) as client:
            fetched = await client.fetch(f"http://a.test:{port}/", f"[::1]:{port}")
    assert (fetched.failure, door.came_from) == ("connect_failed", [])
    assert "no source address for IPv6 is set" in fetched.detail


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("*", "192.0.2.7"), "192.0.2.7 is no address of this machine"),
        (("*", "127.0.0.1,127.0.0.2"), "two source addresses of one kind"),
        (("*", "localhost"), "is no source address"),
        (("ftp://*", "127.0.0.1"), "names no scheme of the web"),
    ],
)
def test_n3_a_source_that_cannot_be_is_refused_at_once(row: tuple[str, str], said: str) -> None:
    with pytest.raises(NativeError, match=said):
        Client(sources=[row])
