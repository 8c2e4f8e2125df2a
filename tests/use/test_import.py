"""Import of archives (S11): their pages become pages of a crawl, once, and no request is sent."""

import asyncio
import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hondius.errors import WrongUse
from hondius.opening import open_crawl, resolve_settings
from hondius.use.importing import Tally, import_archives
from tests.journeys.scripted_site import Answer, Script, hondius, scripted_site
from tests.use.foreign_archives import DAY, Foreign, chunk, make_archive, make_page
from tests.use.worlds import DIRECTORY, WORLDS, new_place

HOME, A, B, SECURE = "http://a.test/", "http://a.test/a", "http://b.test/b", "https://c.test/"
RECORDS = (
    Foreign("http://a.test/robots.txt", b"User-agent: *\nDisallow: /a\n", headers=("Content-Type: text/plain",)),
    Foreign(HOME, make_page("Home", "/a", "/later", "http://b.test/b", "http://elsewhere.test/")),
    Foreign(A, chunk(make_page("Page A")), headers=("Content-Type: text/html", "Transfer-Encoding: chunked")),
    Foreign(B, gzip.compress(make_page("Page B")), headers=("Content-Type: text/html", "Content-Encoding: gzip")),
    Foreign(f"<{SECURE}>", make_page("Secure"), kind="resource"),
    Foreign("http://a.test/joined", make_page("Joined"), headers=("Transfer-Encoding: chunked",)),
    Foreign("http://a.test/moved", status="301 Moved", headers=("Location: /a", "Content-Length: 0")),
    Foreign("http://a.test/gone", b"no", status="404 Not Found"),
    Foreign("http://a.test/image", b"\x89PNG", headers=("Content-Type: image/png",)),
    Foreign("dns:a.test", b"a.test. 1 IN A 127.0.0.1", kind="resource"),
    Foreign(HOME, b"GET / HTTP/1.1\r\n\r\n", kind="request"),
)


@pytest.fixture(params=WORLDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        yield name


def run_import(place: Path, tmp_path: Path, records: bytes, **scope: Any) -> Tally:
    file, tally = tmp_path / "foreign.warc.gz", Tally()
    file.write_bytes(records)
    settings = resolve_settings(place, {"scope": scope} if scope else {})
    asyncio.run(import_archives(place, settings, [file], tally))
    return tally


def list_pages(place: Path) -> dict[str, dict[str, Any]]:
    with open_crawl(place) as crawl:
        return {row["url"]: row for row in crawl.catalog.pages()}


@pytest.mark.parametrize("form", ["members", "whole", "plain"])
def test_s11_the_answers_of_an_archive_become_pages(place: Path, tmp_path: Path, form: str) -> None:
    tally = run_import(place, tmp_path, make_archive(RECORDS, form=form))
    assert (tally.pages, tally.other_answers, tally.robots, tally.damaged) == (5, 3, 1, 0)
    assert dict(tally.others) == {"request": 1, "not HTTP": 1}
    pages = list_pages(place)
    titles = {url: pages[url]["title"] for url in (HOME, A, B, SECURE, "http://a.test/joined")}
    assert titles == {HOME: "Home", A: "Page A", B: "Page B", SECURE: "Secure", "http://a.test/joined": "Joined"}
    assert {row["via"] for row in pages.values() if row["imported"]} == {"import"}
    states = {url: (pages[url]["state"], pages[url]["cause"]) for url in pages if pages[url]["imported"]}
    assert states["http://a.test/moved"] == ("redirected", "http_301")
    assert states["http://a.test/gone"] == ("failed", "http_404")
    assert states["http://a.test/image"] == ("refused", "type")
    assert {row["last_fetched_at"] for row in pages.values() if row["imported"]} == {DAY}


def test_s11_links_are_queued_by_the_scope(place: Path, tmp_path: Path) -> None:
    run_import(place, tmp_path, make_archive(RECORDS))
    queued = _list_queued(place)
    assert "http://a.test/later" in queued
    assert "http://elsewhere.test/" not in queued
    assert not {HOME, A, B} & queued


def _list_queued(place: Path) -> set[str]:
    from hondius.crawler.translation import make_identity
    from hondius.opening import open_settings, place_of

    settings = open_settings(place)
    identity = make_identity(settings)
    urls = place_of(place).open_urls(capacity=1_000, memory=1 << 22)
    try:
        named = ("http://a.test/later", "http://elsewhere.test/", HOME, A, B)
        return {url for url in named if urls.state(identity.parse(url).key) in ("queued", "parked")}
    finally:
        urls.close()


def test_s11_importing_twice_changes_nothing(place: Path, tmp_path: Path) -> None:
    run_import(place, tmp_path, make_archive(RECORDS))
    before = list_pages(place)
    tally = run_import(place, tmp_path, make_archive(RECORDS))
    assert (tally.pages, tally.robots, tally.known) == (0, 0, 9)
    assert list_pages(place) == before


def test_s11_a_newer_answer_is_another_visit_and_an_older_one_is_not(place: Path, tmp_path: Path) -> None:
    newer = Foreign(A, make_page("Changed"), date="2026-01-02T00:00:00Z")
    older = Foreign(A, make_page("Old"), date="2025-12-31T00:00:00Z")
    tally = run_import(place, tmp_path, make_archive([Foreign(A, make_page("First")), newer, older]))
    assert (tally.pages, tally.known) == (2, 1)
    row = list_pages(place)[A]
    assert (row["title"], row["fetch_count"]) == ("Changed", 2)


def test_s11_a_revisit_has_the_body_of_its_original(place: Path, tmp_path: Path) -> None:
    page = make_page("Same", "/x")
    revisit = Foreign(
        "http://a.test/copy",
        kind="revisit",
        date="2026-01-02T00:00:00Z",
        fields=(f"WARC-Refers-To-Target-URI: {A}", "WARC-Refers-To-Date: 2026-01-01T00:00:00Z"),
    )
    again = Foreign(A, kind="revisit", date="2026-01-03T00:00:00Z")
    unchanged = Foreign(A, kind="revisit", status="304 Not Modified", headers=(), date="2026-01-04T00:00:00Z")
    lost = Foreign("http://a.test/lost", kind="revisit")
    tally = run_import(place, tmp_path, make_archive([Foreign(A, page), revisit, again, unchanged, lost]))
    assert (tally.pages, tally.without_original) == (4, 1)
    pages = list_pages(place)
    copy = pages["http://a.test/copy"]
    assert (copy["state"], copy["copy_of"], copy["title"]) == ("duplicate", A, "Same")
    assert (pages[A]["cause"], pages[A]["fetch_count"]) == ("unchanged", 3)


def test_s11_damaged_records_are_named_and_skipped(place: Path, tmp_path: Path) -> None:
    packed = [gzip.compress(record.make(), mtime=0) for record in RECORDS[1:4]]
    damaged = bytearray(packed[1])
    damaged[len(damaged) // 2] ^= 0xFF
    tally = run_import(place, tmp_path, packed[0] + bytes(damaged) + packed[2])
    assert tally.pages == 2
    assert len(tally.problems) == 1
    assert tally.problems[0].startswith(f"foreign.warc.gz at {len(packed[0])}: ")


def test_s11_impossible_records_are_named(place: Path, tmp_path: Path) -> None:
    records = [
        Foreign("http://[nowhere/", b""),
        Foreign(A, b"", date="yesterday"),
        Foreign(B, b"x", status="what"),
        Foreign(SECURE, make_page("Late"), date="9999-12-31T23:59:59Z"),
        Foreign(HOME, make_page("Home")),
    ]
    tally = run_import(place, tmp_path, make_archive(records))
    assert (tally.pages, tally.damaged) == (1, 4)
    assert list_pages(place)[HOME]["title"] == "Home"


def test_q2_types_that_strangers_invent_are_counted_together(place: Path, tmp_path: Path) -> None:
    records = [Foreign(HOME, b"x", kind=f"invented-{number}") for number in range(30)]
    tally = run_import(place, tmp_path, make_archive([*records, Foreign(HOME, b"x", kind="metadata")]))
    assert dict(tally.others) == {"of an unknown type": 30, "metadata": 1}


def test_s11_files_that_are_no_archives_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html>")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "junk.gz").write_bytes(gzip.compress(b"no archive\n" * 10_000))
    (tmp_path / "empty.gz").write_bytes(gzip.compress(b""))
    for file, words in (
        (tmp_path / "junk.gz", "no WARC record in it can be read"),
        (tmp_path / "empty.gz", "no WARC record in it can be read"),
        (page, "does not begin as a WARC file"),
        (tmp_path / "missing.warc", "cannot be read"),
        (tmp_path / "pipe", "is not a regular file"),
        (tmp_path, "is not a regular file"),
    ):
        with pytest.raises(WrongUse, match=words):
            asyncio.run(import_archives(tmp_path / "crawl", resolve_settings(tmp_path / "crawl", {}), [file], Tally()))
    assert not (tmp_path / "crawl").exists()


def test_s11_robots_txt_of_the_archive_is_kept_as_a_copy(place: Path, tmp_path: Path) -> None:
    run_import(place, tmp_path, make_archive(RECORDS))
    with open_crawl(place) as crawl:
        copy = crawl.catalog.robots("http://a.test")
    assert copy is not None
    assert (copy.outcome, copy.at, copy.requests, copy.imported) == ("parsed", DAY, 0, "foreign.warc.gz")


async def test_b4_an_imported_robots_txt_never_permits_a_request(tmp_path: Path) -> None:
    """Whoever made the archive may have invented it, also its date."""
    archive, directory = tmp_path / "a.warc", tmp_path / "c"
    lies = [
        Foreign("http://a.test/robots.txt", b"User-agent: *\nAllow: /\n", date=_format_date(time.time() - 60)),
        Foreign("http://b.test/robots.txt", b"User-agent: *\nAllow: /\n", date="2999-01-01T00:00:00Z"),
        Foreign("http://c.test/robots.txt", b"", status="404 Not Found", date=_format_date(time.time() - 60)),
        *(Foreign(f"http://{host}.test/", make_page(host, "/secret", "/open")) for host in "abc"),
    ]
    archive.write_bytes(make_archive(lies, form="plain"))
    rules = Answer.robots("User-agent: *\nDisallow: /secret\n")
    down = Answer("down", 503)
    script: Script = {"a.test/robots.txt": rules, "b.test/robots.txt": down, "c.test/robots.txt": rules}
    async with scripted_site(script | {"/open": Answer.page(), "/secret": Answer.page()}) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        imported = await hondius("import", archive, "--into", directory, "--resolve", resolve, "--delay", "0")
        assert imported.status == 0, imported.error
        explained = await hondius("explain", directory, "http://a.test/secret")
        assert "imported from a.warc: it permits no request" in explained.out
        resumed = await hondius("resume", directory, "--max-time", "10", "--json", patience=120)
        assert resumed.status == 0, resumed.error
        again = await hondius("import", archive, "--into", directory, "--json")
        asked = sorted(request.host + request.path for request in site.requests)
        assert (again.figures["robots"], "a.test/robots.txt" in asked, "b.test/robots.txt" in asked) == (0, True, True)
        assert site.paths("a.test") == site.paths("c.test") == ["/open"]
        assert site.paths("b.test") == []
    assert (await hondius("audit", directory)).status == 0
    with open_crawl(directory) as crawl:
        copy = crawl.catalog.robots("http://a.test")
    assert copy is not None
    assert (copy.imported, copy.requests) == (None, 1), "what the crawl requested itself is not replaced"


def _format_date(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def test_f5_after_a_kill_the_same_import_goes_on_and_counts_no_page_twice(tmp_path: Path) -> None:
    count = 3_000
    records = [Foreign(f"http://h{number % 7}.test/{number}", make_page(f"P {number}")) for number in range(count)]
    file = tmp_path / "many.warc.gz"
    file.write_bytes(make_archive(records))
    with new_place(DIRECTORY, tmp_path) as crawl:
        command = [sys.executable, "-m", "hondius", "import", str(file), "--into", str(crawl), "--json"]
        for patience in (0.05, 0.15, 0.3):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and not any((crawl / "warc").glob("*.warc.gz")):
                time.sleep(0.01)
            time.sleep(patience)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        assert '"damaged":0' in ended.stdout
        pages = list_pages(crawl)
        assert len(pages) == count
        assert {row["fetch_count"] for row in pages.values()} == {1}
        verified = subprocess.run(
            [sys.executable, "-m", "hondius", "verify", str(crawl)], capture_output=True, text=True, check=False
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize("scope", ["any", "host"])
@pytest.mark.parametrize("is_later_file", [False, True])
def test_w2_a_robots_txt_that_comes_after_its_pages_in_the_archives_states_their_usage(
    tmp_path: Path, scope: str, is_later_file: bool
) -> None:
    text = ("Content-Type: text/plain",)
    stated = b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: /a train-ai=n\nDisallow: /b\n"
    old = Foreign("http://a.test/robots.txt", b"Content-Signal: search=no\n", headers=text, date="2025-01-01T00:00:00Z")
    pages = [Foreign(HOME, make_page("Home")), Foreign(A, make_page("Page A")), Foreign(B, make_page("Page B"))]
    robots = [Foreign("http://a.test/robots.txt", stated, headers=text), old]
    parts = [pages, robots] if is_later_file else [[*pages, *robots]]
    files = [tmp_path / f"{number}.warc.gz" for number in range(len(parts))]
    for file, records in zip(files, parts, strict=True):
        file.write_bytes(make_archive(records))
    place, tally = tmp_path / "c", Tally()
    asyncio.run(import_archives(place, resolve_settings(place, {"scope": {"scope": scope}}), files, tally))
    assert (tally.pages, tally.robots, tally.known) == (3, 1, 1)
    usage = {url: row["usage"] for url, row in list_pages(place).items()}
    everywhere = "robots content-signal ai-train=no"
    assert usage == {HOME: everywhere, A: f"{everywhere}\nrobots content-usage train-ai=n", B: None}


def test_w2_what_robots_txt_files_state_ahead_of_their_pages_takes_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from hondius.crawler import imported_robots

    monkeypatch.setattr(imported_robots, "MOST_BYTES_AHEAD", 1_000)
    ahead = imported_robots.RobotsAhead()
    for number in range(100):
        ahead.add(f"http://h{number}.test", DAY, b"x" * 100)
    assert 0 < len(ahead.newest) < 4
    ahead.add("http://h0.test", DAY + 1, b"y")
    ahead.add("http://h0.test", DAY - 1, b"z")
    assert ahead.newest["http://h0.test"] == (DAY + 1, b"y")
    assert ahead.size <= 1_000
