"""Sitemaps (D2): the files of other crawlers are read as they expect, and hostile ones harm nobody."""

import gzip
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from hondius.native import Identity, read_sitemap
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.use.static_site import ADDRESS, serve_directory
from tests.native.suites import suite
from tests.native.test_sitemap import URL, expectations, find_faults

MOST_SECONDS, MOST_BYTES = 3.0, 400 * 2**20
GIGABYTE = 10**9
DEVIATIONS: dict[str, str] = {}
"""Files that are read in another way on purpose, and why."""
URLSET = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"


def figures() -> Iterator[Figure]:
    yield from _check_suite()
    for name, make in HOSTILE.items():
        yield _read_alone(name, make())
    yield _crawl_bombs()


def _check_suite() -> Iterator[Figure]:
    wrong: list[str] = []
    cases = [case for case in expectations("cases") if case["file"] not in DEVIATIONS]
    for case in cases:
        entries, _ = read_sitemap(suite(f"sitemaps/{case['file']}").read_bytes(), case.get("url", URL), Identity())
        kinds = {"index" if entry.is_sitemap else "urlset" for entry in entries}
        is_kind = kinds == (set() if case["kind"] == "error" else {"index" if case["kind"] == "index" else "urlset"})
        if find_faults(case, entries) or not is_kind:
            wrong.append(case["file"])
    scrapy = expectations("scrapy_cases")
    for case in scrapy:
        entries, _ = read_sitemap(suite(f"sitemaps/{case['file']}").read_bytes(), URL, Identity())
        if [entry.href for entry in entries] != case["locs"]:
            wrong.append(case["file"])
    dates = [*expectations("w3c_dates"), *expectations("rss_dates")]
    for text, expected in dates:
        body = f"<urlset><url><loc>/a</loc><lastmod>{text}</lastmod></url></urlset>".encode()
        if read_sitemap(body, URL, Identity())[0][0].last_modified != (expected or ""):
            wrong.append(text)
    total = len(cases) + len(scrapy) + len(dates)
    measured = f"{total - len(wrong)} of {total}" + (f"; not {', '.join(wrong)}" if wrong else "")
    yield Figure("files and dates of other crawlers", not wrong, measured, "all")


def _make_entity_bomb() -> bytes:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE u [<!ENTITY e0 "http://a.test/">{entities}]>{URLSET}<url><loc>&e11;</loc></url></urlset>'
    return text.encode()


def _make_quadratic_bomb() -> bytes:
    entity = "x" * 100_000
    return f'<!DOCTYPE u [<!ENTITY e "{entity}">]>{URLSET}<url><loc>{"&e;" * 100_000}</loc></url></urlset>'.encode()


def _make_external_entities() -> bytes:
    declared = '<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;'
    included = "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file:///etc/passwd' parse='text'/>"
    entries = f"<url><loc>/&f;</loc></url><url><loc>{included}</loc></url>"
    return f"<!DOCTYPE u [{declared}]>{URLSET}{entries}</urlset>".encode()


def _make_gzip_bomb(layers: int = 1) -> bytes:
    """A gigabyte of entries."""
    entry = b"<url><loc>http://www.example.com/a</loc></url>\n"
    packer = zlib.compressobj(9, wbits=31)
    parts = [packer.compress(URLSET.encode())]
    parts += [packer.compress(entry * 20_000) for _ in range(GIGABYTE // (20_000 * len(entry)))]
    body = b"".join((*parts, packer.flush()))
    for _ in range(layers - 1):
        body = gzip.compress(body)
    return body


def _make_deep() -> bytes:
    return URLSET.encode() + b"<url>" * 9_000_000


def _make_extensions() -> bytes:
    """A thousand images, a video, news and alternates of each page; only its own location is one."""
    images = "".join(f"<image:image><image:loc>/i{n}.png</image:loc></image:image>" for n in range(1_000))
    others = "<video:video><video:content_loc>/v.mp4</video:content_loc></video:video>"
    news = "<news:news><news:title>t</news:title></news:news><xhtml:link rel='alternate' hreflang='de' href='/de'/>"
    pages = "".join(f"<url><loc>/{n}</loc>{images}{others}{news}</url>" for n in range(500))
    return f"{URLSET}{pages}</urlset>".encode()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "entities within entities": _make_entity_bomb,
    "a long entity, 100,000 times": _make_quadratic_bomb,
    "external entities and XInclude": _make_external_entities,
    "a gzip file of 1 GB": _make_gzip_bomb,
    "a gzip file in a gzip file, of 1 GB": lambda: _make_gzip_bomb(2),
    "9 million open tags": _make_deep,
    "images, videos, news and alternates": _make_extensions,
}
EXPECTED = {
    "entities within entities": (0, 0),
    "a long entity, 100,000 times": (0, 1),
    "external entities and XInclude": (1, 1),
    "a gzip file of 1 GB": (50_000, 50_000),
    "a gzip file in a gzip file, of 1 GB": (50_000, 50_000),
    "9 million open tags": (0, 0),
    "images, videos, news and alternates": (500, 500),
}
"""How many entries they have at least and at most."""
READ = """
import resource, sys, time
from hondius.native import Identity, read_sitemap
body = sys.stdin.buffer.read()
began = time.monotonic()
entries, cut = read_sitemap(body, "http://www.example.com/sitemap.xml", Identity())
print(len(entries), time.monotonic() - began, any("root:" in entry.href for entry in entries))
"""


def _read_alone(name: str, body: bytes) -> Figure:
    """In a process of its own, for its memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with tempfile.TemporaryFile() as file:
        file.write(body)
        file.seek(0)
        ran = subprocess.run([sys.executable, "-c", READ], stdin=file, capture_output=True, check=True, text=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    count, seconds, leaked = ran.stdout.split()
    least, most = EXPECTED[name]
    memory = f"{'at most ' if peak // 1024 == before else ''}{peak / 2**20:.0f} MiB"
    measured = f"{int(count):,} entries, {float(seconds):.2f} s, {memory}"
    is_met = least <= int(count) <= most and float(seconds) <= MOST_SECONDS and leaked == "False" and peak <= MOST_BYTES
    return Figure(name, is_met, measured, f"{least:,} entries, {MOST_SECONDS:.0f} s, {MOST_BYTES >> 20} MiB")


def _crawl_bombs() -> Figure:
    """Through the whole crawl: an index names bombs, itself, and a page."""
    with tempfile.TemporaryDirectory(prefix="hondius-sitemaps-") as name:
        site = Path(name) / "site"
        site.mkdir()
        (site / "index.html").write_text("<title>root</title><p>text</p>")
        (site / "listed.html").write_text("<title>listed</title><p>other text</p>")
        (site / "bomb.xml.gz").write_bytes(_make_gzip_bomb())
        (site / "entities.xml").write_bytes(_make_entity_bomb())
        with serve_directory(site) as root:
            named = ("sitemap.xml", "bomb.xml.gz", "entities.xml", "pages.xml")
            listed = "".join(f"<sitemap><loc>{root}/{file}</loc></sitemap>" for file in named)
            (site / "sitemap.xml").write_text(f"<sitemapindex>{listed}</sitemapindex>")
            (site / "pages.xml").write_text(f"<urlset><url><loc>{root}/listed.html</loc></url></urlset>")
            began = time.monotonic()
            options = ("--delay", 0, "--allow-private", ADDRESS, "--json")
            ended = commands.run_well("crawl", f"{root}/", "--into", Path(name) / "crawl", *options)
    pages = ended.summary["pages"]
    measured = f"{pages} pages, {time.monotonic() - began:.1f} s, {ended.peak_bytes / 2**20:.0f} MiB"
    is_met = pages == 2 and ended.peak_bytes <= MOST_BYTES
    return Figure("a crawl of an index of bombs", is_met, measured, f"2 pages, {MOST_BYTES >> 20} MiB")
