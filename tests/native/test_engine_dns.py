"""N1-N3: names, from overrides to a name server of our own on the loopback."""

import asyncio
import json
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import cast

import pytest

from hondius._native import Identity, Resolved
from tests.native.loopback import Client, response, serving
from tests.native.suites import SUITES, needs_suites

A, CNAME, AAAA = 1, 5, 28
SERVFAIL, NXDOMAIN, REFUSED = 2, 3, 5


class NameServer(asyncio.DatagramProtocol):
    """Answers from `zone`: name → list of (type, data, ttl), or an error code. Silent for unknown names."""

    def __init__(self) -> None:
        self.zone: dict[str, list[tuple[int, str, int]] | int] = {}
        self.asked: list[tuple[str, int]] = []
        self.held: list[tuple[bytes, tuple[str, int]]] = []
        self.hold = False
        self.holds = asyncio.Event()
        self.answered = asyncio.Event()
        self.address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)
        self.address = "{}:{}".format(*transport.get_extra_info("sockname"))

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if self.hold:
            self.held.append((data, addr))
            self.holds.set()
            return
        self.reply(data, addr)

    def release(self) -> None:
        self.hold = False
        for data, addr in self.held:
            self.reply(data, addr)

    def reply(self, data: bytes, addr: tuple[str, int]) -> None:
        name, end = read_name(data, 12)
        (kind,) = struct.unpack_from(">H", data, end)
        self.asked.append((name.lower(), kind))
        rows = self.zone.get(name.lower())
        if rows is None:
            return
        code = rows if isinstance(rows, int) else 0
        records = [] if isinstance(rows, int) else [row for row in rows if row[0] in (kind, CNAME)]
        head = struct.pack(">2sHHHHH", data[:2], 0x8180 | code, 1, len(records), 0, 0)
        owner = name
        answer = head + data[12 : end + 4]
        for row_kind, value, ttl in records:
            content = write_name(value) if row_kind == CNAME else ip_address(value).packed
            answer += write_name(owner) + struct.pack(">HHIH", row_kind, 1, ttl, len(content)) + content
            owner = value if row_kind == CNAME else owner
        self.transport.sendto(answer, addr)
        self.answered.set()


def read_name(data: bytes, offset: int) -> tuple[str, int]:
    labels = []
    while length := data[offset]:
        labels.append(data[offset + 1 : offset + 1 + length].decode())
        offset += 1 + length
    return ".".join(labels), offset + 1


def write_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


@asynccontextmanager
async def name_server() -> AsyncIterator[NameServer]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(NameServer, local_addr=("127.0.0.1", 0))
    try:
        yield server
    finally:
        transport.close()


async def test_n3_overrides_come_first_and_the_most_specific_wins() -> None:
    overrides = [("*.test", "127.0.0.1:8080"), ("a.test", "127.0.0.2"), ("*.com", "[::1]:81")]
    with Client(overrides=overrides) as client:
        assert (await client.resolve("b.test")).addresses == ["127.0.0.1:8080"]
        assert (await client.resolve("A.test.")).addresses == ["127.0.0.2:0"]
        assert (await client.resolve("example.com")).addresses == ["[::1]:81"]


async def test_n3_a_hundred_thousand_overrides_are_as_quick_as_one() -> None:
    overrides = [(f"h{number}.test", f"127.1.{number // 250 % 250}.{number % 250}") for number in range(100_000)]
    with Client(overrides=overrides) as client:
        started = time.monotonic()
        client.engine.resolve([(number, f"h{number}.test") for number in range(10_000)])
        assert len(await client.outcomes(10_000)) == 10_000
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("host", ["a.test", "x.invalid", "printer.local", "abc.onion", "www.example", "test"])
async def test_n3_reserved_names_never_leave_the_machine(host: str) -> None:
    async with name_server() as server:
        server.zone[host] = [(A, "192.0.32.1", 60)]
        with Client(resolvers=[server.address]) as client:
            resolved = await client.resolve(host)
    assert (resolved.failure, resolved.addresses, server.asked) == ("dns_nxdomain", [], [])


@pytest.mark.parametrize(
    "host", ["localhost", "localhost.", "LOCALHOST", "foo.localhost", "127.0.0.1", "[::1]", "10.0.0.1"]
)
async def test_n2_names_and_literals_of_this_machine_are_refused(host: str) -> None:
    with Client(allow_private=[]) as client:
        resolved = await client.resolve(host)
    assert (resolved.failure, resolved.addresses) == ("address_refused", [])


async def test_literals_and_allowed_names_resolve_without_a_server() -> None:
    with Client(allow_private=["127.0.0.0/8"]) as client:
        assert (await client.resolve("foo.localhost")).addresses == ["127.0.0.1:0"]
        assert (await client.resolve("8.8.8.8")).addresses == ["8.8.8.8:0"]
        assert (await client.resolve("[2606:4700:4700::1111]")).addresses == ["[2606:4700:4700::1111]:0"]


@pytest.mark.parametrize(("ttl", "expected"), [(0, 60), (300, 300), (100_000, 3600)])
async def test_n1_answers_are_kept_for_their_ttl_within_bounds(ttl: int, expected: int) -> None:
    async with name_server() as server:
        server.zone["site.com"] = [(A, "8.8.8.8", ttl)]
        with Client(resolvers=[server.address]) as client:
            first = await client.resolve("site.com")
            second = await client.resolve("SITE.com.")
    assert first.addresses == second.addresses == ["8.8.8.8:0"]
    assert first.expires_at - time.time() == pytest.approx(expected, abs=5)
    assert server.asked == [("site.com", A)]


async def test_n1_look_ups_of_one_name_at_the_same_time_are_one() -> None:
    async with name_server() as server:
        server.zone["site.com"] = [(A, "8.8.8.8", 60)]
        server.hold = True
        with Client(resolvers=[server.address]) as client:
            client.engine.resolve([(number, "site.com") for number in range(50)])
            await server.holds.wait()
            server.release()
            assert len(await client.outcomes(50)) == 50
    assert server.asked == [("site.com", A)]


async def test_n1_a_name_that_does_not_exist_is_remembered_for_five_minutes() -> None:
    async with name_server() as server:
        server.zone["gone.com"] = NXDOMAIN
        with Client(resolvers=[server.address]) as client:
            first = await client.resolve("gone.com")
            asked = len(server.asked)
            assert (await client.resolve("gone.com")).failure == "dns_nxdomain"
    assert first.expires_at - time.time() == pytest.approx(300, abs=5)
    assert len(server.asked) == asked


async def test_n1_a_failing_server_is_a_failure_for_a_minute() -> None:
    async with name_server() as server:
        server.zone["broken.com"] = SERVFAIL
        with Client(resolvers=[server.address]) as client:
            resolved = await client.resolve("broken.com")
    assert resolved.failure == "dns_failure"
    assert resolved.expires_at - time.time() == pytest.approx(60, abs=5)


async def test_n1_the_second_of_two_resolvers_answers_when_the_first_is_silent() -> None:
    async with name_server() as silent, name_server() as server:
        server.zone["site.com"] = [(A, "8.8.8.8", 60)]
        with Client(resolvers=[silent.address, server.address]) as client:
            assert (await client.resolve("site.com")).addresses == ["8.8.8.8:0"]


async def test_n1_names_that_nobody_answers_do_not_delay_others() -> None:
    """One page can link to thousands of them. Those of a domain that is silent are put off."""
    silent = [f"n{number}.evil{number % 50}.com" for number in range(2_000)]
    async with name_server() as server:
        server.zone["www.good.com"] = [(A, "8.8.8.8", 60)]
        with Client(resolvers=[server.address]) as client:
            client.engine.resolve(list(enumerate(silent)))
            (put_off, *_) = outcomes = await client.outcomes(1)
            client.engine.resolve([(len(silent), "www.good.com")])
            while not any(isinstance(one, Resolved) and one.addresses for one in outcomes):
                outcomes += await client.outcomes(1)
    assert isinstance(put_off, Resolved)
    assert put_off.failure == "lease_ended"
    assert len(outcomes) < len(silent)


async def test_n1_all_resolvers_are_asked_at_once() -> None:
    """None of them waits for another: the first question is held until every server has got it."""
    async with name_server() as first, name_server() as second, name_server() as third:
        servers = (first, second, third)
        for server in servers:
            server.zone["site.com"] = [(A, "8.8.8.8", 60)]
            server.hold = True
        with Client(resolvers=[server.address for server in servers]) as client:
            client.engine.resolve([(7, "site.com")])
            await asyncio.wait_for(asyncio.gather(*(server.holds.wait() for server in servers)), 2)
            third.release()
            (resolved,) = await client.outcomes(1)
    assert isinstance(resolved, Resolved)
    assert resolved.addresses == ["8.8.8.8:0"]


@pytest.mark.parametrize("code", [SERVFAIL, REFUSED])
async def test_n1_a_resolver_that_fails_does_not_speak_for_the_others(code: int) -> None:
    async with name_server() as broken, name_server() as server:
        broken.zone["site.com"] = code
        server.zone["site.com"] = [(A, "8.8.8.8", 60)]
        server.hold = True
        with Client(resolvers=[broken.address, server.address]) as client:
            client.engine.resolve([(7, "site.com")])
            await server.holds.wait()
            await broken.answered.wait()
            server.release()
            (resolved,) = await client.outcomes(1)
    assert isinstance(resolved, Resolved)
    assert resolved.addresses == ["8.8.8.8:0"]


async def test_n1_a_name_is_gone_when_one_resolver_says_so_and_failed_when_all_fail() -> None:
    async with name_server() as broken, name_server() as server:
        broken.zone.update({"gone.com": SERVFAIL, "broken.com": SERVFAIL})
        server.zone.update({"gone.com": NXDOMAIN, "broken.com": SERVFAIL})
        with Client(resolvers=[broken.address, server.address]) as client:
            assert (await client.resolve("gone.com")).failure == "dns_nxdomain"
            assert (await client.resolve("broken.com")).failure == "dns_failure"


async def test_a_host_without_ipv4_is_found_by_ipv6() -> None:
    async with name_server() as server:
        server.zone["six.com"] = [(AAAA, "2606:4700:4700::1111", 60)]
        with Client(resolvers=[server.address]) as client:
            assert (await client.resolve("six.com")).addresses == ["[2606:4700:4700::1111]:0"]


@pytest.mark.parametrize(
    ("rows", "addresses", "failure"),
    [
        ([(A, "127.0.0.1", 60)], [], "address_refused"),
        ([(A, "10.0.0.1", 60), (A, "169.254.169.254", 60)], [], "address_refused"),
        ([(A, "10.0.0.1", 60), (A, "8.8.8.8", 60)], ["8.8.8.8:0"], None),
        ([(A, "8.8.8.8", 60), (AAAA, "fd00::1", 60)], ["8.8.8.8:0"], None),
        ([(AAAA, "::ffff:10.0.0.1", 60)], [], "address_refused"),
        ([(CNAME, "internal.corp", 60), (A, "192.168.0.1", 60)], [], "address_refused"),
    ],
)
async def test_n2_private_answers_are_filtered_out(
    rows: list[tuple[int, str, int]], addresses: list[str], failure: str | None
) -> None:
    async with name_server() as server:
        server.zone["site.com"] = rows
        with Client(resolvers=[server.address], allow_private=[]) as client:
            resolved = await client.resolve("site.com")
    assert (resolved.addresses, resolved.failure) == (addresses, failure)


async def test_n2_a_name_that_is_bound_anew_to_a_private_address_gains_nothing() -> None:
    """The address is checked where it is connected to, whatever was resolved before."""
    async with name_server() as server, serving(response(b"secret")) as inside:
        server.zone["site.com"] = [(A, "8.8.8.8", 0)]
        with Client(resolvers=[server.address], allow_private=[]) as client:
            assert (await client.resolve("site.com")).addresses == ["8.8.8.8:0"]
            server.zone["site.com"] = [(A, "127.0.0.1", 0)]
            fetched = await client.fetch(f"http://site.com:{inside.port}/", "127.0.0.1")
    assert (fetched.failure, inside.connections) == ("address_refused", 0)


@needs_suites
async def test_n2_every_known_way_to_write_an_inner_address_is_refused() -> None:
    """Judged after URL parsing, as a link would be; nothing is connected to."""
    targets = json.loads((SUITES / "security" / "ssrf_targets.json").read_text())
    with Client(allow_private=[]) as client:

        async def failure_of(literal: str) -> str | None:
            host = Identity().parse(f"http://{literal}/").host
            return (await client.resolve(host)).failure

        for row in targets["must_block_literals"]:
            literal, _, remark = row.partition(" ")
            if "DNS" not in remark:
                assert await failure_of(literal) == "address_refused", row
        for literal in targets["must_allow_literals"]:
            assert await failure_of(literal) is None, literal
