"""Fetching pages again whose archived body is damaged (S10, H4), or that failed (R4)."""

from pathlib import Path

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site
from tests.journeys.test_recrawl_journeys import conditional


async def test_s10_h4_the_advice_of_verify_brings_a_damaged_body_back(tmp_path: Path) -> None:
    """`verify` names the page. A conditional request would be answered with 304, and the body would stay lost."""
    script: Script = {"/": Answer.page("/tagged"), "/tagged": conditional}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false")
        (file,) = (tmp_path / "c" / "warc").glob("*.warc.gz")
        data = file.read_bytes()
        body = data.rindex(b"<title>first</title>")
        file.write_bytes(data[:body] + b"<title>wrong</title>" + data[body + 20 :])
        damaged = await hondius("verify", tmp_path / "c")
        assert damaged.status == 1
        assert "  http://a.test/tagged\n" in damaged.out, damaged.out
        assert "  http://a.test/\n" not in damaged.out
        assert "hondius recrawl DIR --fresh" in damaged.out
        told = await hondius("recrawl", tmp_path / "c", "--fresh", "http://a.test/tagged")
        assert told.status == 0, told.error
        assert (await hondius("resume", tmp_path / "c", "--json")).status == 0
    asked = [request for request in site.requests if request.path == "/tagged"]
    assert len(asked) == 2
    assert "if-none-match" not in asked[1].headers
    row = (await export_rows(tmp_path / "c", "--text"))["http://a.test/tagged"]
    assert (row["state"], row["status"], row["text"], row["depth"]) == ("completed", 200, "words", 1)


async def test_r4_all_urls_that_failed_for_a_cause_or_that_a_file_names_are_queued_again(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1", "/2", "/3"), "/3": Answer("three")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false")
        script |= {"/1": Answer("one"), "/2": Answer("two")}
        again = await hondius("recrawl", tmp_path / "c", "--failed", "http_404")
        assert "2 URLs queued again" in again.out, again.error
        await hondius("resume", tmp_path / "c", "--json")
        (tmp_path / "urls").write_text("http://a.test/3\nhttp://a.test/unknown\n")
        named = await hondius("recrawl", tmp_path / "c", "--from", tmp_path / "urls")
        assert "1 URL queued again" in named.out, named.error
        assert "http://a.test/unknown has not been fetched yet" in named.out
        await hondius("resume", tmp_path / "c", "--json")
    rows = await export_rows(tmp_path / "c")
    assert {url: (row["state"], row["depth"]) for url, row in rows.items() if row["depth"]} == {
        f"http://a.test/{number}": ("completed", 1) for number in (1, 2, 3)
    }
    assert sorted(site.paths()) == ["/", "/1", "/1", "/2", "/2", "/3", "/3"]
    wrong = await hondius("recrawl", tmp_path / "c", "--failed", "http_500")
    assert wrong.status == 2
    assert "no URL failed for http_500" in wrong.error
