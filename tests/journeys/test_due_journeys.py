"""Pages that are due are fetched again by the crawl itself (R1-R4)."""

import asyncio
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.journeys.scripted_site import (
    Answer,
    Request,
    Script,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)

SOON = ("--set", "recrawl.wiki=1", "--set", "recrawl.shortest=1", "--set", "recrawl.failed=1")
PLAIN = ("--set", "scope.sitemaps=false")
COLUMNS = "url,page_class,change_interval,next_fetch_at,changed"


async def until_due(rows: dict[str, dict[str, Any]], *urls: str) -> None:
    """Until these pages are due; a page that is never due does not count."""
    times = [rows[url]["next_fetch_at"] for url in urls if rows[url]["next_fetch_at"]]
    latest = max((datetime.fromisoformat(at).timestamp() for at in times), default=0.0)
    await until(lambda: time.time() > latest)


async def test_r4_a_plain_resume_fetches_what_is_due_once_and_nothing_else(tmp_path: Path) -> None:
    """Pages of a wiki are due after a second here, the others after a month."""
    rules = ("--page-class", "static /static", "--page-class", "wiki .")
    script: Script = {"/": Answer.page("/static", "/other"), "/static": Answer.page(), "/other": Answer("text")}
    async with scripted_site(script) as site:
        first = await crawl(site, tmp_path / "c", "http://a.test/", *SOON, *PLAIN, *rules)
        assert first.status == 0, first.error
        assert sorted(site.paths()) == ["/", "/other", "/static"], "the first run fetches nothing twice"
        rows = await export_rows(tmp_path / "c", "--columns", COLUMNS)
        assert rows["http://a.test/static"]["page_class"] == "static"
        assert rows["http://a.test/other"]["change_interval"] == 1.0
        script["/other"] = Answer("another text")
        await until_due(rows, "http://a.test/", "http://a.test/other")
        ended = await hondius("resume", tmp_path / "c", "--json")
        assert ended.status == 0, ended.error
        assert ended.figures["stop_reason"] == "done"
    assert sorted(site.paths()) == ["/", "/", "/other", "/other", "/static"]
    rows = await export_rows(
        tmp_path / "c", "--columns", "url,changed,change_count,fetch_count,discovered_at,depth,via"
    )
    assert (rows["http://a.test/other"]["changed"], rows["http://a.test/other"]["change_count"]) == (True, 1)
    assert (rows["http://a.test/"]["changed"], rows["http://a.test/"]["change_count"]) == (False, 0)
    assert (rows["http://a.test/other"]["depth"], rows["http://a.test/other"]["via"]) == (1, "link")
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_r4_a_continuous_crawl_goes_on_until_it_is_stopped_and_survives_a_kill(tmp_path: Path) -> None:
    counts = {"/": 0}

    def changing(request: Request) -> Answer:
        counts["/"] += 1
        return Answer.page("/a", head=f"<!-- {counts['/']} -->")

    script: Script = {"/": changing, "/a": Answer("text that stays")}
    async with scripted_site(script) as site:
        arguments = ("crawl", "http://a.test/", "--into", tmp_path / "c", "--delay", "0", "--continuous", *SOON, *PLAIN)
        process = await start_command(*arguments, "--resolve", f"*.test=127.0.0.1:{site.port}")
        await until(lambda: site.paths().count("/a") >= 2)
        process.kill()
        await process.communicate()
        fetched = len(site.paths())
        process = await start_command("resume", tmp_path / "c", "--continuous")
        await until(lambda: site.paths()[fetched:].count("/") >= 2 and "/a" in site.paths()[fetched:])
        process.send_signal(signal.SIGINT)
        _, error = await process.communicate()
        assert process.returncode == 130, error
    rows = await export_rows(tmp_path / "c", "--columns", "url,fetch_count,state")
    assert rows["http://a.test/"]["fetch_count"] >= 3
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_r3_a_page_that_is_missing_twice_is_gone_and_is_not_asked_for_again(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/missing")}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", *SOON, *PLAIN)
        states = [(await export_rows(tmp_path / "c"))["http://a.test/missing"]["state"]]
        for _ in range(2):
            await until_due(await export_rows(tmp_path / "c", "--columns", COLUMNS), "http://a.test/missing")
            ended = await hondius("resume", tmp_path / "c", "--json")
            assert ended.status in (0, 1), ended.error
            states.append((await export_rows(tmp_path / "c"))["http://a.test/missing"]["state"])
    assert states == ["failed", "gone", "gone"]
    assert site.paths().count("/missing") == 2


async def test_d2_a_page_that_its_sitemap_lists_as_modified_is_fetched_before_it_is_due(tmp_path: Path) -> None:
    def list_pages(modified: str) -> Answer:
        dates = {"/a": modified, "/b": "2001-01-01"}
        pages = "".join(f"<url><loc>{path}</loc><lastmod>{at}</lastmod></url>" for path, at in dates.items())
        return Answer(f"<urlset>{pages}</urlset>", headers=(("Content-Type", "application/xml"),))

    script: Script = {"/": Answer.page("/a", "/b"), "/a": Answer("a"), "/b": Answer("b")}
    script["/sitemap.xml"] = list_pages("2001-01-01")
    soon = ("--set", "recrawl.blog=1", "--set", "recrawl.shortest=1")
    async with scripted_site(script) as site:
        first = await crawl(site, tmp_path / "c", "http://a.test/", *soon)
        assert first.status == 0, first.error
        await asyncio.sleep(1.2)
        modified = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        script |= {"/sitemap.xml": list_pages(modified), "/a": Answer("another text")}
        await asyncio.sleep(1.2)
        ended = await hondius("resume", tmp_path / "c", "--json")
        assert ended.status == 0, ended.error
    assert sorted(site.paths()) == ["/", "/a", "/a", "/b"]
    rows = await export_rows(tmp_path / "c", "--columns", "url,changed,fetch_count")
    assert rows["http://a.test/a"]["changed"] is True
