"""`/.well-known/tdmrep.json`, from a site to exports (W1-W3)."""

import asyncio
import json
from itertools import pairwise
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from tests.journeys.scripted_site import (
    Answer,
    Script,
    ScriptedSite,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)

PATH = "/.well-known/tdmrep.json"
ON = ("--set", "usage.tdmrep=true")
HTML = ("Content-Type", "text/html")
RULES = [
    {"location": "/open/", "tdm-reservation": 0},
    {"location": "/*.html$", "tdm-reservation": 1, "tdm-policy": "https://a.test/policy.json"},
    {"location": "/closed/", "tdm-reservation": 1},
]
FILE = Answer(json.dumps(RULES), headers=(("Content-Type", "application/json"),))
OPEN, CLOSED = "tdmrep tdm-reservation 0", "tdmrep tdm-reservation 1"
PAGES: dict[str, tuple[tuple[tuple[str, str], ...], list[str]]] = {
    "/plain": ((), []),
    "/open/x.html": ((), [OPEN]),
    "/x.html": ((), [CLOSED, "tdmrep tdm-policy https://a.test/policy.json"]),
    "/closed/x": ((), [CLOSED]),
    "/closed/granted": ((("tdm-reservation", "0"),), [CLOSED, "header tdm-reservation 0"]),
    "/open/reserved": ((("tdm-reservation", "1"),), [OPEN, "header tdm-reservation 1"]),
    "/open/signal": ((), ["robots content-usage train-ai=n", OPEN]),
}
RESERVED = {"/x.html", "/closed/x", "/closed/granted", "/open/reserved", "/open/signal"}
SCRIPT: Script = {
    "/robots.txt": Answer.robots("User-agent: *\nContent-Usage: /open/signal train-ai=n\nDisallow: /forbidden\n"),
    PATH: FILE,
    "/": Answer.page(*PAGES),
    **{
        path: Answer(f"<title>t</title><p>words of {path}", headers=(HTML, *headers))
        for path, (headers, _) in PAGES.items()
    },
}


def count_asked(site: ScriptedSite) -> int:
    return [request.path for request in site.requests].count(PATH)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    async def run() -> Path:
        directory = tmp_path_factory.mktemp("tdmrep") / "c"
        async with scripted_site(SCRIPT) as site:
            ended = await crawl(site, directory, "http://a.test/", *ON)
            assert ended.status == 0, ended.error
            assert [request.path for request in site.requests][:2] == ["/robots.txt", PATH]
            assert count_asked(site) == 1
            again = await hondius("resume", directory, "http://a.test/new")
            assert again.status == 0, again.error
            assert count_asked(site) == 1
        return directory

    return asyncio.run(run())


async def test_w1_w2_each_page_has_the_rule_of_its_path(crawled: Path) -> None:
    rows = await export_rows(crawled)
    assert {path: rows[f"http://a.test{path}"]["usage"] for path in PAGES} == {
        path: "\n".join(signals) or None for path, (_, signals) in PAGES.items()
    }


async def test_w3_the_strictest_of_file_header_and_robots_txt_wins(crawled: Path) -> None:
    exported = set(await export_rows(crawled, "--for", "ai-train"))
    assert {path for path in PAGES if f"http://a.test{path}" not in exported} == RESERVED


async def test_w2_the_archive_has_the_file_and_the_metadata_of_its_pages(crawled: Path) -> None:
    found: dict[tuple[str, str], str] = {}
    for file in (crawled / "warc").glob("*.warc.gz"):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                uri = record.rec_headers.get_header("WARC-Target-URI")
                found[(record.rec_type, uri)] = record.content_stream().read().decode()
    assert json.loads(found[("response", f"http://a.test{PATH}")]) == RULES
    assert f"usage: {CLOSED}" in found[("metadata", "http://a.test/closed/x")].splitlines()


async def test_w2_markdown_has_it_in_the_front_matter(crawled: Path, tmp_path: Path) -> None:
    ended = await hondius("export", crawled, "--format", "markdown", "--match", "/closed/x", "-o", tmp_path / "m")
    assert ended.status == 0, ended.error
    (file,) = (tmp_path / "m").rglob("*.md")
    assert CLOSED in file.read_text()


async def test_w3_explain_and_audit_show_it(crawled: Path) -> None:
    explained = (await hondius("explain", crawled, "http://a.test/closed/x")).out
    assert CLOSED in explained
    assert "tdmrep.json: /closed/ tdm-reservation 1" in explained
    audited = await hondius("audit", crawled, "--site", "a.test", "--json")
    assert audited.status == 0, audited.error
    assert "tdmrep.json: /closed/ tdm-reservation 1" in audited.out
    assert (await hondius("verify", crawled)).status == 0


async def test_w2_rebuilt_from_the_log_it_is_the_same(crawled: Path) -> None:
    before = await export_rows(crawled)
    (crawled / "crawl.db").unlink()
    assert (await hondius("rebuild", crawled)).status == 0
    assert await export_rows(crawled) == before


async def test_w1_it_is_not_requested_unless_it_is_set(tmp_path: Path) -> None:
    async with scripted_site(SCRIPT) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
        assert ended.status == 0, ended.error
        assert count_asked(site) == 0
        ended = await hondius("config", tmp_path / "c", "usage.tdmrep=true")
        assert ended.status == 0, ended.error
        ended = await hondius("resume", tmp_path / "c", "http://a.test/closed/new")
        assert ended.status == 0, ended.error
        assert count_asked(site) == 1
    rows = await export_rows(tmp_path / "c")
    assert rows["http://a.test/closed/x"]["usage"] is None
    assert rows["http://a.test/closed/new"]["usage"] == CLOSED


@pytest.mark.parametrize(
    "answer",
    [
        Answer("missing", 404),
        Answer("broken", 500),
        Answer(swallowed=True),
        Answer.redirect("/closed/x"),
        Answer("<html>no JSON"),
        Answer("[" * 100_000),
    ],
    ids=["404", "500", "no answer", "redirect", "HTML", "deep"],
)
async def test_w1_a_file_that_cannot_be_had_reserves_nothing_and_ends_no_url(tmp_path: Path, answer: Answer) -> None:
    async with scripted_site({**SCRIPT, PATH: answer}) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *ON)
        assert ended.status == 0, ended.error
        # A kept connection that the server closes is tried once more, as for every request.
        assert count_asked(site) == (2 if answer.swallowed else 1)
    rows = await export_rows(tmp_path / "c")
    assert {path for path in PAGES if rows[f"http://a.test{path}"]["state"] == "completed"} == set(PAGES)
    assert rows["http://a.test/closed/x"]["usage"] is None
    assert (await hondius("audit", tmp_path / "c")).status == 0


async def test_w1_b1_robots_txt_may_forbid_it(tmp_path: Path) -> None:
    robots = Answer.robots("User-agent: *\nDisallow: /.well-known/\n")
    async with scripted_site({**SCRIPT, "/robots.txt": robots}) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *ON)
        assert ended.status == 0, ended.error
        assert count_asked(site) == 0
    assert (await export_rows(tmp_path / "c"))["http://a.test/closed/x"]["usage"] is None
    assert (await hondius("audit", tmp_path / "c")).status == 0


async def test_w1_each_origin_is_asked_for_its_own(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/closed/x"), "/closed/x": Answer.page(), f"a.test{PATH}": FILE}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "http://b.test/", *ON)
        assert ended.status == 0, ended.error
        assert count_asked(site) == 2
    rows = await export_rows(tmp_path / "c")
    assert rows["http://a.test/closed/x"]["usage"] == CLOSED
    assert rows["http://b.test/closed/x"]["usage"] is None


async def test_f5_w1_after_kill_9_it_is_not_requested_again(tmp_path: Path) -> None:
    """Also politely: with a delay, a second lies before and after it."""
    async with scripted_site(SCRIPT) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        process = await start_command("crawl", "http://a.test/", "--into", tmp_path / "c", *ON, *resolve)
        await until(lambda: len(site.paths()) >= 4)
        process.kill()
        await process.wait()
        ended = await hondius("resume", tmp_path / "c", "--json")
        assert ended.status == 0, ended.error
        assert count_asked(site) == 1
    times = [request.at for request in site.requests]
    assert min(later - earlier for earlier, later in pairwise(times)) > 0.99
    rows = await export_rows(tmp_path / "c")
    assert rows["http://a.test/closed/x"]["usage"] == CLOSED
    audited = await hondius("audit", tmp_path / "c")
    assert audited.status == 0, audited.out
