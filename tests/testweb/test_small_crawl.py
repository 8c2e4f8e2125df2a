"""A crawl by two hundred lines of standard library, which share nothing with the planner or with Hondius: it must find
what the manifest says, and nothing else (Q3)."""

import asyncio
import gzip
import hashlib
import http.client
import re
import socket
import ssl
import xml.etree.ElementTree as ElementTree
from collections import Counter, deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import pytest

from hondius.testweb.access_log import read_access_log
from hondius.testweb.command import RunningTestWeb, TestWebOptions, run_testweb
from hondius.testweb.judge import judge

DROPPED = re.compile(r"(utm_\w+|gclid|fbclid|msclkid|phpsessid|jsessionid|sessionid|sid)=", re.IGNORECASE)
KEPT_SID = re.compile(r"sid=.{0,8}$")
TEXT_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/rss+xml")
Outcome = tuple[str, str]


class LinkParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base: str | None = None
        self.hrefs: list[str] = []
        self.nofollow = False
        self._in_textarea = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        rel = found.get("rel", "").lower().split()
        if tag == "textarea":
            self._in_textarea = True
        if self._in_textarea:
            return
        if tag == "base":
            self.base = found["href"]
        elif (tag in ("a", "area") and "href" in found and "nofollow" not in rel) or (
            tag == "link" and {"canonical", "alternate", "next", "prev"} & set(rel)
        ):
            self.hrefs.append(found["href"])
        elif tag in ("frame", "iframe"):
            self.hrefs.append(found["src"])
        elif tag == "meta":
            self._meta(found)

    def handle_endtag(self, tag: str) -> None:
        self._in_textarea = self._in_textarea and tag != "textarea"

    def _meta(self, found: dict[str, str]) -> None:
        if found.get("name", "").lower() in ("robots", "hondius"):
            self.nofollow |= bool(re.search("nofollow|none", found["content"].lower()))
        if found.get("http-equiv", "").lower() == "refresh":
            self.hrefs.append(found["content"].partition("url=")[2])


class Client:
    """Connections by host, kept alive, to where the resolve file says."""

    def __init__(self, web: RunningTestWeb) -> None:
        self._addresses = dict(line.split("=") for line in web.resolve_file.read_text().split())
        self._context = ssl.create_default_context(cafile=str(web.ca_file))
        self._connections: dict[str, http.client.HTTPConnection] = {}

    def get(self, url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        parts = urlsplit(url)
        host = str(parts.hostname)
        connection = self._connections.setdefault(host, http.client.HTTPConnection(host))
        if connection.sock is None:
            ip, port = self._addresses[host].split(":")
            plain = socket.create_connection((ip, int(port)))
            secure = parts.scheme == "https"
            connection.sock = self._context.wrap_socket(plain, server_hostname=host) if secure else plain
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", target, headers={"Host": host, "Accept-Encoding": "gzip", "User-Agent": "hondius"})
        response = connection.getresponse()
        body = response.read()
        return (
            response.status,
            response.headers,
            gzip.decompress(body) if response.headers["Content-Encoding"] else body,
        )

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()


class SmallCrawl:
    def __init__(self, client: Client, seeds: list[str]) -> None:
        self.client = client
        self.outcomes: dict[str, Outcome] = {}
        self.bodies: dict[bytes, str] = {}
        self.rules: dict[str, list[tuple[bool, str]]] = {}
        self.queue: deque[tuple[str, int, bool]] = deque()
        self.known: set[str] = set()
        for seed in seeds:
            self.discover(seed)

    def discover(self, href: str, hops: int = 0, *, sitemap: bool = False) -> None:
        if href and key_form(href) not in self.known:
            self.known.add(key_form(href))
            self.queue.append((href, hops, sitemap))

    def run(self) -> None:
        while self.queue:
            href, hops, sitemap = self.queue.popleft()
            self.outcomes[key_form(href)] = self.visit(href, hops, sitemap)

    def visit(self, href: str, hops: int, sitemap: bool) -> Outcome:
        if cause := "" if sitemap else refusal(href):
            return "refused", cause
        if not self.allowed(href):
            return "blocked", "robots"
        for _ in range(4):
            status, headers, body = self.client.get(href)
            if status < 500:
                break
        if status >= 400:
            return "failed", f"http_{status}"
        if 300 <= status < 400:
            return self.redirect(href, hops, status, headers["Location"])
        return self.read_sitemap(body) if sitemap else self.read(href, headers, body)

    def redirect(self, href: str, hops: int, status: int, location: str) -> Outcome:
        to = absolute(href, location)
        if not to:
            return "failed", "bad_redirect"
        if to == href:
            return "failed", "redirect_loop"
        if key_form(to) == key_form(href):
            return self.visit(to, hops, False)
        if hops == 5:
            return "failed", "too_many_redirects"
        self.discover(to, hops + 1)
        return "redirected", f"http_{status}"

    def read(self, href: str, headers: http.client.HTTPMessage, body: bytes) -> Outcome:
        if headers.get_content_type() not in TEXT_TYPES:
            return "refused", "type"
        if self.bodies.setdefault(hashlib.sha256(body).digest(), href) != href:
            return "duplicate", "copy"
        page = LinkParser()
        page.feed(decode_body(headers.get_content_charset(), body))
        base = absolute(href, page.base or "")
        directive = headers["X-Robots-Tag"] or ""
        if not page.nofollow and directive not in ("nofollow", "hondius: nofollow"):
            for link in (*page.hrefs, *re.findall("<(.*?)>", headers["Link"] or "")):
                self.discover(absolute(base, link))
        return "completed", ""

    def read_sitemap(self, body: bytes) -> Outcome:
        text = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        if text.startswith(b"http"):
            locations = text.decode().split()
        else:
            locations = [str(found.text).strip() for found in ElementTree.fromstring(text).iter() if "loc" in found.tag]
        for location in locations:
            self.discover(location, sitemap=b"<sitemapindex" in text)
        return "completed", ""

    def allowed(self, href: str) -> bool:
        parts = urlsplit(href)
        origin = f"{parts.scheme}://{parts.hostname}"
        if origin not in self.rules:
            self.rules[origin] = self.read_robots(origin)
        path = re.sub("%(61)", "a", parts.path) + (f"?{parts.query}" if parts.query else "")
        matches = [(len(rule), allows) for allows, rule in self.rules[origin] if re.match(pattern(rule), path)]
        return max(matches, default=(0, True))[1]

    def read_robots(self, origin: str) -> list[tuple[bool, str]]:
        status, headers, body = self.client.get(f"{origin}/robots.txt")
        if status == 301:
            status, headers, body = self.client.get(origin + headers["Location"])
        text = body.decode("utf-8-sig") if status == 200 else ""
        sitemaps = re.findall(r"Sitemap: (\S+)", text) or [f"{origin}/sitemap.xml"]
        groups: dict[str, list[tuple[bool, str]]] = {}
        agent = ""
        for name, value in re.findall(r"^([\w-]+):[ ]*([^\s#]*)", text, re.MULTILINE):
            if name.lower() == "user-agent":
                agent = value.lower()
            elif name in ("Allow", "Disallow") and value:
                groups.setdefault(agent, []).append((name == "Allow", quote(value, safe="/*$?=")))
        rules = self.rules[origin] = groups.get("hondius") or groups.get("*", [])
        for sitemap in sitemaps:
            self.discover(sitemap, sitemap=True)
        return rules


def pattern(rule: str) -> str:
    return re.escape(rule).replace(r"\*", ".*").replace(r"\$", "$")


def refusal(href: str) -> str:
    segments = urlsplit(href).path.split("/")[1:]
    repeated = any(
        segments[at : at + n] * 3 == segments[at : at + 3 * n] for n in (1, 2) for at in range(len(segments))
    )
    checks = {
        "too_long": len(href) > 2000,
        "too_many_segments": len(segments) > 15,
        "repeated_segments": repeated and len(segments) > 3,
        "too_many_parameters": href.count("&") >= 20,
        "extension": href.endswith((".zip", ".exe", ".mp4", ".jpg")),
    }
    return next((cause for cause, applies in checks.items() if applies), "")


def absolute(base: str, href: str) -> str:
    """The href, or nothing where it is none to request."""
    try:
        parts = urlsplit(urljoin(base, href.strip()))
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return ""
    path: list[str] = []
    for segment in parts.path.split("/")[1:]:
        path = path[:-1] if segment == ".." else [*path, segment]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.hostname}/{quote('/'.join(path), safe='/%;=~')}{query}"


def key_form(href: str) -> str:
    parts = urlsplit(href)
    path = re.sub(r";jsessionid=\w+", "", parts.path)
    path = re.sub("%[0-9a-fA-F]{2}", lambda found: unescape(found[0]), path)
    kept = sorted(p for p in parts.query.split("&") if p and (not DROPPED.match(p) or KEPT_SID.match(p)))
    return f"{parts.scheme}://{parts.hostname}{path}" + (f"?{'&'.join(kept)}" if kept else "")


def unescape(escape: str) -> str:
    letter = chr(int(escape[1:], 16))
    return letter if letter.isascii() and (letter.isalnum() or letter in "-._~") else escape.upper()


def decode_body(charset: str | None, body: bytes) -> str:
    if body[:2] == b"\xff\xfe":
        return body.decode("utf-16")
    meta = re.search(rb'charset="(.*?)"', body[:200])
    return body.decode(charset or (meta[1].decode() if meta else "utf-8-sig"))


@pytest.mark.parametrize(("hosts", "pages", "seed"), [(1, 1, 1), (2, 3, 5), (16, 3, 1), (14, 12, 2)])
async def test_a_crawl_finds_exactly_what_the_manifest_says(tmp_path: Path, hosts: int, pages: int, seed: int) -> None:
    """Q3, D2, D3, D4, U1, U2, H3, F6, B1."""
    async with run_testweb(TestWebOptions(hosts, pages, seed, directory=tmp_path, slowest=0.02)) as web:
        client = Client(web)
        crawl = SmallCrawl(client, web.seeds[:1])
        await asyncio.to_thread(crawl.run)
        client.close()
        web.log.flush()
        accesses = read_access_log(web.access_log)
    export = [{"key_form": key, "state": state, "cause": cause} for key, (state, cause) in crawl.outcomes.items()]
    verdict = judge(web.manifest, accesses, export)
    assert verdict.faults == {}
    assert max(Counter(access.url for access in accesses if access.status == 200).values()) == 1
