"""Malformed answers: no byte of a head or body stops a crawl (A3, P2, B2, H4, H2)."""

import asyncio
import gzip
import time
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Request, Script, crawl, export_rows, hondius, scripted_site

COMMENTS = Answer("<!---->" * 60 + "<a href=/x>x</a>")


def answer(head: bytes, body: bytes = b"", status: bytes = b"200 OK") -> Answer:
    length = b"" if b"content-length" in head.lower() else b"\r\nContent-Length: %d" % len(body)
    return Answer(raw=b"HTTP/1.1 " + status + b"\r\n" + head + length + b"\r\n\r\n" + body)


@pytest.mark.defect("comments in an HTML answer to /sitemap.xml made a regular expression backtrack for ever")
async def test_a3_a_flood_of_comments_where_a_sitemap_was_looked_for_does_not_stop_the_crawl(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/a"), "/a": Answer.page(), "/x": Answer.page(), "/sitemap.xml": COMMENTS}
    async with scripted_site(script) as site:
        try:
            ended = await asyncio.wait_for(crawl(site, tmp_path / "c", "http://a.test/"), 15)
        except TimeoutError:
            pytest.fail("the crawl does not end")
    assert ended.status == 0, ended.error
    assert ended.figures["pages"] == 3


@pytest.mark.defect("a superscript two for Retry-After ended the crawl, and again on resume")
async def test_p2_a_retry_after_that_is_no_number_is_none(tmp_path: Path) -> None:
    def busy_at_first(request: Request) -> Answer:
        asked = [seen for seen in site.requests if seen.path == "/a"]
        if len(asked) > 1:
            return Answer.page()
        return answer(b"Retry-After: \xb2", b"busy", b"503 Busy")

    async with scripted_site({"/": Answer.page("/a"), "/a": busy_at_first}) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert ended.status == 0, ended.error
    assert (await export_rows(tmp_path / "c"))["http://a.test/a"]["state"] == "completed"


@pytest.mark.defect("a superscript two for max-age of robots.txt ended the crawl, and again on resume")
async def test_b2_a_max_age_that_is_no_number_is_none(tmp_path: Path) -> None:
    robots = answer(b"Content-Type: text/plain\r\nCache-Control: max-age=\xb2", b"User-agent: *\nDisallow: /b\n")
    async with scripted_site({"/robots.txt": robots, "/": Answer.page("/a", "/b"), "/a": Answer.page()}) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert ended.status == 0, ended.error
    assert site.paths() == ["/", "/a"]


@pytest.mark.defect("an ETag with a control character: recrawl lost the whole batch, each URL of it for ever")
async def test_h4_a_validator_that_cannot_be_sent_costs_no_other_url_its_answer(tmp_path: Path) -> None:
    bad = answer(b'Content-Type: text/html\r\nETag: "a\x01b"', b"<title>t</title>bad")
    good = answer(b'Content-Type: text/html\r\nETag: "good"', b"<title>t</title>good")
    urls = ("http://bad.test/", "http://good.test/")
    async with scripted_site({"bad.test/": bad, "good.test/": good}) as site:
        await crawl(site, tmp_path / "c", *urls)
        await hondius("recrawl", tmp_path / "c", *urls)
        try:
            again = await asyncio.wait_for(hondius("resume", tmp_path / "c", "--json"), 20)
        except TimeoutError:
            pytest.fail("the recrawl does not end")
    assert again.status == 0, again.error
    asked = {
        host: [seen for seen in site.requests if seen.host == host and seen.path == "/"]
        for host in ("bad.test", "good.test")
    }
    assert [len(seen) for seen in asked.values()] == [2, 2]
    assert "if-none-match" not in asked["bad.test"][1].headers
    assert asked["good.test"][1].headers["if-none-match"] == '"good"'


@pytest.mark.defect("an ETag of other bytes than ASCII was sent back as other bytes")
async def test_h4_a_validator_goes_back_byte_for_byte(tmp_path: Path) -> None:
    tagged = answer(b'Content-Type: text/html\r\nETag: "\xe9\xd0\xbf\xff"', b"<title>t</title>words")
    async with scripted_site({"/": tagged}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        await hondius("recrawl", tmp_path / "c", "http://a.test/")
        await hondius("resume", tmp_path / "c", "--json")
    asked = [seen for seen in site.requests if seen.path == "/"]
    assert len(asked) == 2
    assert asked[1].headers["if-none-match"].encode("latin-1") == b'"\xe9\xd0\xbf\xff"'


@pytest.mark.defect("a negative or absurd Content-Length cost the read time-out")
@pytest.mark.parametrize("length", [b"-1", b"99999999999999999999999", b"9223372036854775807"])
async def test_h2_a_length_that_no_body_can_have_is_malformed_at_once(tmp_path: Path, length: bytes) -> None:
    lying = answer(b"Content-Type: text/html\r\nContent-Length: " + length, b"<p>words")
    async with scripted_site({"/": Answer.page("/a"), "/a": lying}) as site:
        started = time.monotonic()
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "fetch.read_timeout=8")
        took = time.monotonic() - started
    row = (await export_rows(tmp_path / "c"))["http://a.test/a"]
    assert (row["state"], row["cause"]) == ("failed", "http_malformed")
    assert took < 7


URLSET = (
    '<?xml version="1.0"?><urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>'
)
RSS = "<rss version='2.0'><channel><link>http://a.test/</link><item><guid>http://a.test/1</guid></item></channel></rss>"
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>http://a.test/1</id></entry></feed>"
INDEX = "<sitemapindex><sitemap><loc>http://a.test/more.xml</loc></sitemap></sitemapindex>"
LIST = "http://a.test/1\nhttp://a.test/2\n"


@pytest.mark.defect("a sitemap or a feed given as a seed yielded nothing")
@pytest.mark.parametrize(
    ("path", "kind", "body", "expected"),
    [
        ("/map.xml", "application/xml", URLSET.encode(), {"/1", "/2"}),
        ("/map.xml", "text/xml", gzip.compress(URLSET.encode()), {"/1", "/2"}),
        ("/map", "application/gzip", gzip.compress(URLSET.encode()), {"/1", "/2"}),
        ("/map.xml.gz", "application/x-gzip", gzip.compress(URLSET.encode()), {"/1", "/2"}),
        ("/rss", "application/rss+xml", RSS.encode(), {"/1"}),
        ("/atom", "text/html", ATOM.encode(), {"/1"}),
        ("/index.xml", "application/xml", INDEX.encode(), {"/more.xml", "/1", "/2"}),
        ("/list.txt", "text/plain", LIST.encode(), {"/1", "/2"}),
    ],
    ids=["urlset", "gzip as XML", "gzip", "gz", "RSS", "Atom as HTML", "index", "list"],
)
async def test_d1_a_seed_that_is_a_sitemap_or_a_feed_is_read_as_one(
    tmp_path: Path, path: str, kind: str, body: bytes, expected: set[str]
) -> None:
    script: Script = {
        path: answer(b"Content-Type: " + kind.encode(), body),
        "/more.xml": answer(b"Content-Type: application/xml", URLSET.encode()),
        "/1": Answer("<title>one</title>one"),
        "/2": Answer("<title>two</title>two"),
    }
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", f"http://a.test{path}", "--set", "scope.sitemaps=false")
    assert ended.status == 0, ended.error
    assert set(site.paths()) == {path} | expected
    assert ended.figures["pages"] == len(expected - {"/more.xml"})
