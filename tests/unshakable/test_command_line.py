"""The command line, as a new user meets it (O1, O1c, O5)."""

import asyncio
import datetime
import gzip
import json
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.journeys.scripted_site import Answer, Script, crawl, hondius, scripted_site

SITE: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}
SITEMAP = Answer("<urlset><url><loc>/1</loc></url></urlset>", headers=(("Content-Type", "application/xml"),))


@pytest.mark.defect("bare `hondius` prints an empty message")
async def test_o1_the_bare_command_shows_its_commands() -> None:
    ended = await hondius()
    assert ended.status == 0
    assert "resume" in ended.out
    assert ended.error == ""


@pytest.mark.defect("a crawl whose seeds could not be had says that everything was crawled, exit 0")
async def test_f9_a_crawl_without_one_good_answer_says_why_and_exits_1(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        ended = await hondius(
            *("crawl", "http://a.test/", "http://b.test/", "--into", tmp_path / "crawl", "--delay", "0"),
            *("--resolve", f"*.test=127.0.0.1:{port}"),
        )
    assert ended.status == 1
    assert "everything in reach" not in ended.out
    for seed in ("http://a.test", "http://b.test"):
        assert re.search(rf"^{seed}/?: no server listens there", ended.out, re.M), ended.out
    assert "→ " in ended.out


@pytest.mark.defect("a crawl whose seeds have names that do not exist says that everything was crawled, exit 0")
async def test_f9_seeds_whose_hosts_do_not_exist_are_explained_and_exit_1(tmp_path: Path) -> None:
    """No name server is asked for names under .test."""
    ended = await hondius("crawl", "http://a.test/", "http://b.test/", "--into", tmp_path / "crawl")
    assert ended.status == 1
    assert "everything in reach" not in ended.out
    for seed in ("http://a.test/", "http://b.test/"):
        assert f"{seed}: there is no host of this name" in ended.out


@pytest.mark.defect("`hondius.toml` said nothing of what its settings mean")
async def test_s1_every_setting_of_the_settings_file_has_a_comment(tmp_path: Path) -> None:
    await hondius("crawl", "http://a.test/", "--into", tmp_path / "crawl")
    lines = (tmp_path / "crawl" / "hondius.toml").read_text().splitlines()
    assert lines
    sections = lines[next(number for number, line in enumerate(lines) if line.startswith("[")) :]
    settings = [number for number, line in enumerate(sections) if re.match(r"[a-z_]+ =", line)]
    bare = [sections[number] for number in settings if not sections[number - 1].startswith("# ")]
    assert bare == []


@pytest.mark.defect("a seed whose certificate is not trusted is explained in the words of the TLS library, exit 0")
async def test_f9_an_untrusted_certificate_is_explained_with_the_option_that_helps(tmp_path: Path) -> None:
    certificate = tmp_path / "server.pem"
    make_certificate(certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with listening(answer_nothing, ssl=context) as port:
        ended = await hondius(
            *("crawl", "https://a.test/", "--into", tmp_path / "crawl", "--delay", "0"),
            *("--resolve", f"*.test=127.0.0.1:{port}"),
        )
    assert ended.status == 1
    assert "signed by an authority that is not trusted here" in ended.out
    assert "--ca-file" in ended.out
    assert "UnknownIssuer" not in ended.out


@pytest.mark.defect("a certificate that is wrong otherwise is said to be of a port that does not speak TLS")
@pytest.mark.parametrize(
    ("made", "words", "helps"),
    [
        ("other name", "its certificate is for another host name", "the name that the certificate is for"),
        ("self-signed", "its certificate is self-signed", "--ca-file"),
        ("authority", "marked as that of an authority", "CA:TRUE"),
        ("expired", "its certificate has expired", "fetch.verify_tls=false"),
        ("no TLS", "does not speak TLS", "http://"),
    ],
)
async def test_f9_what_is_wrong_with_a_secure_connection_is_said_in_plain_words(
    tmp_path: Path, made: str, words: str, helps: str
) -> None:
    certificate, trusted = tmp_path / "server.pem", tmp_path / "trusted.pem"
    make_certificate(certificate, made, trusted)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    options = {} if made == "no TLS" else {"ssl": context}
    async with listening(babble if made == "no TLS" else answer_nothing, **options) as port:
        ended = await hondius(
            *("crawl", "https://a.test/", "--into", tmp_path / "crawl", "--delay", "0"),
            *("--resolve", f"*.test=127.0.0.1:{port}", "--set", "politeness.retries=0"),
            *(() if made == "self-signed" else ("--ca-file", trusted)),
        )
    assert ended.status == 1
    assert words in ended.out
    assert helps in ended.out.partition("→")[2]
    status = await hondius("status", tmp_path / "crawl")
    explained = await hondius("explain", tmp_path / "crawl", "https://a.test/")
    for said in (ended, status, explained):
        assert words in said.out, said.out
        assert "Error(" not in said.out


@pytest.mark.defect("a seed that redirects to what is refused, or without end, is said to have been crawled, exit 0")
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"/": Answer.redirect("http://127.0.0.9:1/")}, "http://127.0.0.9:1/: its address is private or local"),
        ({"/": lambda request: Answer.redirect("/x")}, "it redirects more than five times"),
        ({"/": Answer("x", headers=(("Content-Type", "application/pdf"),))}, "its content type is not read by default"),
    ],
)
async def test_f9_a_seed_that_leads_nowhere_is_named_and_the_crawl_exits_1(
    tmp_path: Path, script: Script, words: str
) -> None:
    async with scripted_site(script, otherwise=lambda request: Answer.redirect(f"{request.path}x")) as site:
        ended = await hondius(
            *("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--delay", "0"),
            *("--set", "scope.sitemaps=false", "--resolve", f"*.test=127.0.0.1:{site.port}"),
        )
    assert ended.status == 1, ended.out
    assert "everything in reach" not in ended.out
    assert words in ended.out


async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    await answer_nothing(reader, writer)


@asynccontextmanager
async def listening(
    handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], **options: Any
) -> AsyncIterator[int]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def answer_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await reader.read(1)
    except OSError:
        pass
    finally:
        writer.close()


def make_certificate(path: Path, made: str = "", trusted: Path | None = None) -> None:
    """For a.test, signed by an authority, which goes to `trusted`; `made` says what else is wrong with it."""
    key, authority = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    alone = made in ("self-signed", "authority")
    signer = key if alone else authority
    signed = _certificate(
        "b.test" if made == "other name" else "a.test",
        "a.test" if alone else "nobody",
        key,
        signer,
        is_authority=made == "authority",
        valid=-1 if made == "expired" else 1,
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    if trusted is not None:
        root = signed if alone else _certificate("nobody", "nobody", authority, authority, is_authority=True)
        trusted.write_bytes(root.public_bytes(serialization.Encoding.PEM))


def _certificate(
    name: str,
    issuer: str,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool = False,
    valid: int = 1,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=2))
        .not_valid_after(now + datetime.timedelta(days=valid))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(signer, hashes.SHA256())
    )


@pytest.mark.defect("`blacklist` again without a reason forgets the reason")
async def test_o1_a_domain_that_is_blacklisted_again_keeps_its_reason(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    await hondius("blacklist", tmp_path / "crawl", "b.test", "--reason", "they asked us")
    await hondius("blacklist", tmp_path / "crawl", "b.test")
    assert "they asked us" in (await hondius("blacklist", tmp_path / "crawl")).out


@pytest.mark.defect("`pause` of a host that nobody knows says nothing")
async def test_o1_a_pause_of_an_unknown_host_says_so(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    assert "check the name" in (await hondius("pause", tmp_path / "crawl", "aa.test")).out
    assert "check the name" not in (await hondius("pause", tmp_path / "crawl", "a.test")).out


@pytest.mark.defect("`recrawl` of many URLs does nothing where one is not known")
async def test_r4_recrawl_takes_the_known_urls_and_lists_the_others(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    ended = await hondius("recrawl", tmp_path / "crawl", "http://a.test/1", "http://a.test/nobody", "http://a.test/2")
    assert ended.status == 0
    assert "2 URLs queued again" in ended.out
    assert "http://a.test/nobody" in ended.out


@pytest.mark.defect("`resume` takes no scope, include or exclude")
async def test_o1_resume_takes_another_scope(tmp_path: Path) -> None:
    script: Script = {
        "/": Answer.page("/1"),
        "/1": Answer.page("http://b.test/"),
        "b.test/": Answer.page("/private/x", "/open"),
        "/private/x": Answer.page(),
        "/open": Answer.page(),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/", "--max-pages", "1")
        ended = await hondius(
            *("resume", tmp_path / "crawl", "--scope", "any", "--exclude", "/private/", "--max-pages", "100", "--json")
        )
    assert ended.status == 0, ended.error
    assert {"/1", "/open"} <= set(site.paths())
    assert "/private/x" not in site.paths()


@pytest.mark.defect("`status`, the summary and `export` count different things: sitemap files are in one only")
async def test_o1_status_summary_and_export_count_the_same(tmp_path: Path) -> None:
    async with scripted_site({**SITE, "/sitemap.xml": SITEMAP}) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/")
    status = json.loads((await hondius("status", tmp_path / "crawl", "--json")).out)
    rows = [json.loads(line) for line in (await hondius("export", tmp_path / "crawl")).out.splitlines()]
    assert len(rows) == sum(status["states"].values()) + status.get("sitemaps", 0)
    assert len(rows) == sum(ended.figures["states"].values()) + ended.figures.get("sitemaps", 0)


@pytest.mark.defect("rows of `export` do not say whether they are of a page or a sitemap")
async def test_s6_every_row_says_what_it_is(tmp_path: Path) -> None:
    async with scripted_site({**SITE, "/sitemap.xml": SITEMAP}) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    rows = [json.loads(line) for line in (await hondius("export", tmp_path / "crawl")).out.splitlines()]
    kinds = {row["url"].removeprefix("http://a.test"): row.get("kind") for row in rows}
    assert kinds == {"/": "page", "/1": "page", "/2": "page", "/sitemap.xml": "sitemap"}


@pytest.mark.defect("`explain` shows port 0 as part of a host's address")
async def test_o5_an_address_without_a_port_of_its_own_is_shown_without_one(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        seed = f"http://a.test:{site.port}/"
        into = tmp_path / "crawl"
        await hondius("crawl", seed, "--into", into, "--delay", "0", "--resolve", "a.test=127.0.0.1", "--json")
    ended = await hondius("explain", into, seed)
    assert "127.0.0.1" in ended.out
    assert "127.0.0.1:0" not in ended.out


@pytest.mark.defect("neither `status` nor the summary tell of links that a cap cut off")
async def test_d2_entries_of_a_sitemap_beyond_its_cap_are_counted_everywhere(tmp_path: Path) -> None:
    entries = "".join(f"<url><loc>/{number}</loc></url>" for number in range(50_007))
    sitemap = Answer(f"<urlset>{entries}</urlset>", headers=(("Content-Type", "application/xml"),))
    async with scripted_site({"/": Answer.page(), "/sitemap.xml": sitemap}, otherwise=Answer.page()) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/", "--max-pages", "5")
    assert ended.figures.get("unread_links") == 7
    status = await hondius("status", tmp_path / "crawl")
    assert "7 links of very long pages and sitemaps were cut off" in status.out


@pytest.mark.defect("credentials of --header stand in clear in the archive")
async def test_s3_credentials_given_by_header_are_not_in_the_archive(tmp_path: Path) -> None:
    headers = ("a.test|Authorization: Basic c2VjcmV0", "Cookie: session=s3cr3t", "X-Key: k3yk3y", "Accept-Language: nl")
    options = [word for header in headers for word in ("--header", header)]
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/", *options)
    assert site.requests[0].headers["authorization"] == "Basic c2VjcmV0"
    assert site.requests[0].headers["cookie"] == "session=s3cr3t"
    kept = b"".join(gzip.decompress(file.read_bytes()) for file in (tmp_path / "crawl" / "warc").glob("*.warc.gz"))
    for secret in (b"c2VjcmV0", b"s3cr3t", b"k3yk3y"):
        assert secret not in kept
    assert b"Authorization: [redacted]" in kept
    assert b"Accept-Language: nl" in kept
    assert (await hondius("verify", tmp_path / "crawl")).status == 0
