"""H1, N3: TLS with an authority of our own, and proxies."""

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.native.loopback import Client, listening, read_head, response, serving

HTML = "Content-Type: text/html"
PAGE = response(b"secret page", HTML)


@dataclass(frozen=True)
class Authority:
    ca_file: Path
    directory: Path
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def context(self, *names: str) -> ssl.SSLContext:
        """What a server needs to be known as `names`."""
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        certificate = (
            builder(names[0], self.certificate.subject, key)
            .add_extension(alternatives, critical=False)
            .sign(self.key, hashes.SHA256())
        )
        path = self.directory / f"{names[0]}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        context.set_alpn_protocols(["h2", "http/1.1"])
        return context


def builder(name: str, issuer: x509.Name | None, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    directory = tmp_path_factory.mktemp("authority")
    key = ec.generate_private_key(ec.SECP256R1())
    constraints = x509.BasicConstraints(ca=True, path_length=None)
    certificate = builder("Test CA", None, key).add_extension(constraints, critical=True).sign(key, hashes.SHA256())
    ca_file = directory / "ca.pem"
    ca_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Authority(ca_file, directory, certificate, key)


async def test_h1_a_certificate_of_the_operators_authority_is_trusted(authority: Authority) -> None:
    async with serving(PAGE, close=False, ssl=authority.context("a.test")) as server:
        with Client(ca_file=str(authority.ca_file)) as client:
            for _ in range(3):
                fetched = await client.fetch(f"https://a.test:{server.port}/")
                assert (fetched.failure, fetched.detail, fetched.decoded_length) == (None, "", 11)
            assert client.engine.connections_opened == 1


async def test_h1_a_connection_that_the_server_closed_is_not_asked_over_also_with_tls(authority: Authority) -> None:
    """Closed silently or with a farewell: either is seen before a request is lost."""
    async with serving(PAGE, close=True, ssl=authority.context("a.test")) as server:
        with Client(ca_file=str(authority.ca_file)) as client:
            for _ in range(3):
                assert (await client.fetch(f"https://a.test:{server.port}/")).failure is None
                await asyncio.sleep(0.02)
    assert (server.connections, len(server.requests)) == (3, 3)


async def test_h1_a_certificate_that_nobody_vouches_for_fails(authority: Authority) -> None:
    async with serving(PAGE, ssl=authority.context("a.test")) as server:
        with Client() as client:
            fetched = await client.fetch(f"https://a.test:{server.port}/")
    assert (fetched.failure, server.requests) == ("tls_failed", [])
    assert fetched.detail == "its certificate is signed by an authority that is not trusted here"


async def test_h1_a_certificate_of_another_name_fails(authority: Authority) -> None:
    async with serving(PAGE, ssl=authority.context("b.test")) as server:
        with Client(ca_file=str(authority.ca_file)) as client:
            fetched = await client.fetch(f"https://a.test:{server.port}/")
    assert (fetched.failure, server.requests) == ("tls_failed", [])
    assert fetched.detail == "its certificate is for another host name"


async def test_h1_without_verification_the_doubt_is_recorded_on_every_fetch(authority: Authority) -> None:
    async with serving(PAGE, ssl=authority.context("b.test")) as server:
        with Client(verify_tls=False, idle_connections=0) as client:
            fetched = [await client.fetch(f"https://a.test:{server.port}/") for _ in range(3)]
    assert [row.failure for row in fetched] == [None] * 3
    assert all(row.detail.startswith("certificate not trusted: its certificate is ") for row in fetched)


async def test_https_to_a_plain_server_fails(authority: Authority) -> None:
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(PAGE)

    async with listening(babble) as port:
        with Client() as client:
            fetched = await client.fetch(f"https://a.test:{port}/")
    assert (fetched.failure, fetched.detail) == ("tls_failed", "what answers on this port does not speak TLS")


async def test_a_body_without_length_over_tls_ends_with_the_connection(authority: Authority) -> None:
    answer = response(b"hello", HTML, length=False)
    async with serving(answer, ssl=authority.context("a.test")) as server:
        with Client(ca_file=str(authority.ca_file)) as client:
            fetched = await client.fetch(f"https://a.test:{server.port}/")
    assert (fetched.failure, fetched.decoded_length) == (None, 5)


async def test_n3_a_proxy_gets_the_whole_url_and_alone_its_credentials() -> None:
    async with serving(PAGE) as proxy:
        with Client(proxies=[("*.test", f"http://user:pass@127.0.0.1:{proxy.port}")]) as client:
            fetched = await client.fetch("http://a.test/x?y", "127.0.0.9")
    assert (fetched.failure, fetched.decoded_length) == (None, 11)
    assert fetched.address == "127.0.0.9:80"
    (request,) = proxy.requests
    assert request.startswith(b"GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\n")
    assert b"Proxy-Authorization: Basic dXNlcjpwYXNz\r\n" in request


async def test_n3_https_goes_through_a_tunnel_that_keeps_the_credentials_out(authority: Authority) -> None:
    async with serving(PAGE, ssl=authority.context("a.test")) as server, tunnelling(server.port) as (port, asked):
        proxies = [("a.test", f"http://user:pass@127.0.0.1:{port}")]
        with Client(proxies=proxies, ca_file=str(authority.ca_file)) as client:
            fetched = await client.fetch("https://a.test/", "127.0.0.9")
    assert (fetched.failure, fetched.decoded_length) == (None, 11)
    assert asked[0].startswith(b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n")
    assert b"Proxy-Authorization: Basic dXNlcjpwYXNz\r\n" in asked[0]
    assert b"Proxy-Authorization" not in server.requests[0]
    assert server.requests[0].startswith(b"GET / HTTP/1.1\r\nHost: a.test\r\n")


@pytest.mark.parametrize("answer", [response(status="407 Proxy Authentication Required"), b"", b"nonsense"])
async def test_n3_a_proxy_that_refuses_the_tunnel_is_a_failure_of_the_proxy(answer: bytes) -> None:
    async with serving(answer) as proxy:
        with Client(proxies=[("*", f"http://user:pass@127.0.0.1:{proxy.port}")]) as client:
            fetched = await client.fetch("https://a.test/", "127.0.0.9")
    assert fetched.failure == "proxy_failed"
    assert "pass" not in fetched.detail


async def test_n3_a_proxy_that_cannot_be_reached_is_a_failure_of_the_proxy() -> None:
    with Client(proxies=[("*", "http://127.0.0.1:1")]) as client:
        assert (await client.fetch("http://a.test/", "127.0.0.9")).failure == "proxy_failed"


async def test_n2_a_proxy_does_not_open_the_way_to_private_addresses() -> None:
    async with serving(PAGE) as proxy:
        with Client(proxies=[("*", f"http://127.0.0.1:{proxy.port}")], allow_private=[]) as client:
            name = await client.fetch("http://a.test/", "10.0.0.1")
            literal = await client.fetch("https://10.0.0.1/", "8.8.8.8")
    assert (name.failure, literal.failure, proxy.requests) == ("address_refused", "address_refused", [])


@asynccontextmanager
async def tunnelling(target: int) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A proxy that joins every CONNECT to one port of the loopback: its own port, and what it was asked."""
    asked: list[bytes] = []

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await read_head(reader))
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        finally:
            far_writer.transport.abort()

    async with listening(join) as port:
        yield port, asked


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
