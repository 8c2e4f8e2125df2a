"""What a URL is requested by and known by, and what leads to it."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site, start_command

SESSION = "(S(lit3py55t21z5v55vlm25s55))"
OTHER = "(S(abcdefghijklmnopqrstuvwx))"


async def key_forms(*texts: str) -> list[str]:
    ended = await hondius("url", *texts)
    assert ended.status == 0, ended.error
    return [line.split()[-1] for line in ended.out.splitlines() if line.strip().startswith("key form")]


@pytest.mark.defect("a link's query is encoded in UTF-8 on pages that are not")
async def test_u1_a_query_is_requested_in_the_encoding_of_the_page_that_links_to_it(tmp_path: Path) -> None:
    text = '<meta charset=windows-1251><a href="/s?q=\N{CYRILLIC SMALL LETTER PE}">x</a>'
    # The site writes its bodies in UTF-8: character references say the same in every encoding.
    body = text.replace("\N{CYRILLIC SMALL LETTER PE}", "&#1087;&#1088;&#1080;&#1074;&#1077;&#1090;")
    async with scripted_site({"/": Answer(body), "/s?q=%EF%F0%E8%E2%E5%F2": Answer("found")}) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/")
    assert ended.status == 0, ended.error
    assert site.paths() == ["/", "/s?q=%EF%F0%E8%E2%E5%F2"]


@pytest.mark.defect("^ in a path is not encoded")
async def test_u1_a_caret_in_a_path_is_encoded(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/a^b?c^d")}) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    assert site.paths() == ["/", "/a%5Eb?c^d"]


@pytest.mark.defect("sessions of ASP.NET and ColdFusion, and session_id, make endless URLs")
async def test_u2_session_ids_in_all_their_forms_do_not_make_new_urls(tmp_path: Path) -> None:
    script: Script = {
        "/": Answer.page(
            *(f"/{session}/x.aspx" for session in (SESSION, OTHER)),
            *(f"/y?CFID={number}&CFTOKEN={number}9" for number in range(3)),
            *(f"/z?session_id={number}" for number in range(3)),
        )
    }
    async with scripted_site(script, Answer("a page")) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    assert len(site.paths()) == 4, site.paths()


@pytest.mark.defect("brackets raw or encoded, and a host with a final dot, are other URLs")
async def test_u2_brackets_and_a_final_dot_make_no_other_url() -> None:
    raw, encoded, dotted, plain = await key_forms(
        "http://a.test/?a[]=1|2{3}^`",
        "http://a.test/?a%5B%5d=1%7C2%7b3%7D%5E%60",
        "http://a.test./x",
        "http://a.test/x",
    )
    assert (raw, dotted) == (encoded, plain)


@pytest.mark.defect("the rules of identity have no version")
async def test_u3_the_version_of_identity_is_frozen_and_another_wish_exits_2(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site({"/": Answer.page("/a")}) as site:
        await crawl(site, directory, "http://a.test/")
        assert tomllib.loads((directory / "hondius.toml").read_text())["identity"].get("version") == 2
        ended = await hondius("resume", directory, "--set", "identity.version=1")
    assert ended.status == 2
    assert "frozen" in ended.error


@pytest.mark.defect("/page/1/page/2/page/3 is no trap")
async def test_f6_a_group_of_segments_that_repeats_but_for_its_numbers_is_a_trap(tmp_path: Path) -> None:
    def deeper(request: object) -> Answer:
        path = str(getattr(request, "path", "")).rstrip("/")
        return Answer.page(*(f"{path}/page/{number}" for number in (1, 2)), "/2024/05/06", "/1/2/3/4")

    async with scripted_site({}, deeper) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/", "--exclude", "/2024/.*page|/4/page")
    paths = site.paths()
    assert {"/2024/05/06", "/1/2/3/4", "/page/1/page/2"} <= set(paths)
    assert [path for path in paths if path.count("page") > 2] == []


@pytest.mark.defect("links in noframes and srcdoc are not read")
async def test_d3_links_in_noframes_and_srcdoc_are_followed(tmp_path: Path) -> None:
    frames = "<frameset><frame src=/frame><noframes><body><a href=/plain>plain</a></body></noframes></frameset>"
    script: Script = {
        "/": Answer(f"<html><head><title>t</title></head>{frames}</html>"),
        "/frame": Answer("<body><iframe srcdoc='<p><a href=/inner>inner</a>'></iframe>"),
    }
    async with scripted_site(script, Answer("a page")) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/")
    assert sorted(site.paths()) == ["/", "/frame", "/inner", "/plain"]


@pytest.mark.defect("media and scripts cannot be crawled")
async def test_d7_media_and_scripts_are_fetched_typed_hashed_and_archived_by_setting(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    script: Script = {
        "/": Answer("<img src=/i.png><script src=/s.js></script><a href=/d.pdf>d</a><a href=/e.zip>e</a>"),
        "/i.png": Answer("\x89PNG picture", headers=(("Content-Type", "image/png"),)),
        "/s.js": Answer("let a = 1", headers=(("Content-Type", "text/javascript"),)),
        "/d.pdf": Answer("%PDF-1.7 a document", headers=(("Content-Type", "application/pdf"),)),
    }
    async with scripted_site(script) as site:
        await crawl(site, directory, "http://a.test/", "--set", "scope.media=true", "--set", "scope.scripts=true")
    assert sorted(site.paths()) == ["/", "/d.pdf", "/i.png", "/s.js"]
    rows = await export_rows(directory)
    for path, kind in (("/i.png", "image/png"), ("/s.js", "text/javascript"), ("/d.pdf", "application/pdf")):
        row = rows[f"http://a.test{path}"]
        assert (row["state"], row["type"]) == ("completed", kind)
        assert row["warc"] is not None
        assert "sha-256" in (await hondius("explain", directory, f"http://a.test{path}")).out


@pytest.mark.defect("a page's links behind the first 10,000 are not read")
async def test_d3_every_link_of_a_long_page_is_read(tmp_path: Path) -> None:
    page = tmp_path / "all.html"
    page.write_text("".join(f"<li><a href=item/{number}.html>{number}</a>" for number in range(18_000)))
    ended = await hondius("parse", page, "--base", "http://a.test/all.html")
    assert len(json.loads(ended.out)["links"]) == 18_000


@pytest.mark.defect("explain counts a page's anchors, the cap its distinct links")
async def test_o5_explain_counts_distinct_links(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site({"/": Answer.page("/a", "/a#x", "/a", "/b", "mailto:a@b.test")}) as site:
        await crawl(site, directory, "http://a.test/")
    ended = await hondius("explain", directory, "http://a.test/")
    assert "2, of which 2 were new" in ended.out


@pytest.mark.defect("the keys of the index are not those that pywb looks for")
async def test_s3_the_keys_of_the_index_are_those_of_replay_tools(tmp_path: Path) -> None:
    """The keys beside the URLs are what pywb 2 computes."""
    directory = tmp_path / "crawl"
    session = "0123456789abcdef0123456789abcdef"
    expected = {
        "/": "test,a)/",
        "/a//b/": "test,a)/a/b",
        "/kk//": "test,a)/kk",
        f"/x;jsessionid={session}": f"test,a)/x;jsessionid={session}",
        f"/{SESSION}/x.aspx": "test,a)/x.aspx",
        f"/{SESSION}/y": f"test,a)/{SESSION.lower()}/y",
        "/c?CFID=1&CFTOKEN=2": "test,a)/c",
        f"/d?a=1&sid={session}": "test,a)/d?&a=1",
    }
    async with scripted_site({"/": Answer.page(*list(expected)[1:])}, Answer("a page")) as site:
        await crawl(site, directory, "http://a.test/")
    (index,) = (directory / "warc").glob("*.cdxj")
    lines = [line.split(" ", 2) for line in index.read_text().splitlines()]
    keys = {json.loads(text)["url"].removeprefix("http://a.test"): key for key, _, text in lines}
    assert {path: keys.get(path) for path in expected} == expected


@pytest.mark.defect("resource records of an archive are not replayed")
async def test_q3_a_resource_record_is_replayed(tmp_path: Path) -> None:
    body = b"<title>kept</title>text"
    head = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
    archive, page = tmp_path / "a.warc", f"Content-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    archive.write_bytes((head + page).encode() + body + b"\r\n\r\n")
    web = await start_command("testweb", "--replay", archive, "--directory", tmp_path)
    assert web.stdout is not None
    try:
        line = await web.stdout.readline()
        assert line, "the archive is refused"
        resolve = json.loads(line)["resolve"]
        await hondius(
            "crawl", "http://a.test/", "--into", tmp_path / "crawl", "--delay", "0", "--resolve", resolve, "--json"
        )
    finally:
        if web.returncode is None:
            web.terminate()
        await web.communicate()
    row = (await export_rows(tmp_path / "crawl"))["http://a.test/"]
    assert (row["status"], row["type"], row["title"]) == (200, "text/html", "kept")
