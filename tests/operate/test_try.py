"""`explain --try`: what the crawl would do now, done politely, and nothing of it kept (O1, P1, P7)."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    Answer,
    Ended,
    Script,
    ScriptedSite,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)

PATIENCE = 60.0
SITE: Script = {
    "/robots.txt": Answer.robots("User-agent: *\nDisallow: /private\n"),
    "/": Answer.page("/1", "/private/2"),
    "/1": Answer.page("/new"),
    "/moved": Answer.redirect("http://b.test/target"),
}


async def crawl_site(site: ScriptedSite, directory: Path, *options: str, delay: str = "0") -> None:
    ended = await crawl(site, directory, "http://a.test/", *options, delay=delay)
    assert ended.status == 0, ended.error
    site.requests.clear()


async def try_url(directory: Path, url: str) -> dict[str, object]:
    ended = await hondius("explain", directory, url, "--try", "--json")
    assert ended.status == 0, ended.error
    found: dict[str, object] = json.loads(ended.out)["tried"]
    return found


async def proven(directory: Path) -> Ended:
    for command in ("audit", "verify"):
        ended = await hondius(command, directory)
        assert ended.status == 0, ended.out + ended.error
    return ended


async def test_o1_a_url_is_asked_for_and_nothing_of_the_answer_is_kept(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site(dict(SITE)) as site:
        await crawl_site(site, directory)
        before, archived = await export_rows(directory), _count_archived(directory)
        site.script["/1"] = Answer("<title>another</title>", 200)
        site.script["/never-seen"] = Answer("gone", 410)
        changed, unknown = await try_url(directory, "http://a.test/1"), await try_url(directory, "a.test/never-seen")
        assert site.paths() == ["/1"], "without a scheme, https is meant, and nobody answers there"
    assert changed["summary"] == "the crawl would end it as completed"
    assert changed["ending"]["title"] == "another"  # type: ignore[index]
    assert "robots.txt was requested, and it cannot be fetched" in str(unknown["summary"])
    assert (await export_rows(directory), _count_archived(directory)) == (before, archived)
    await proven(directory)


async def test_p1_the_next_run_knows_of_the_request(tmp_path: Path) -> None:
    """The host is asked again no earlier than its delay allows, counted from the end of the try."""
    directory = tmp_path / "crawl"
    async with scripted_site(dict(SITE)) as site:
        await crawl_site(site, directory, delay="2")
        await hondius("recrawl", directory, "http://a.test/1")
        told = await hondius("explain", directory, "http://a.test/", "--try")
        assert "the crawl would end it as completed" in told.out
        await hondius("resume", directory, "--json")
        first, second = (request.at for request in site.requests)
    assert second - first >= 2.0
    assert "explain --try" not in (await hondius("status", directory)).out
    await proven(directory)


@pytest.mark.parametrize(
    ("url", "order", "said"),
    [
        ("http://a.test/private/2", (), "the crawl would end it as blocked, robots"),
        ("http://b.test/", (), "the crawl refuses this URL (scope)"),
        ("http://a.test/1", ("blacklist", "a.test"), "the crawl refuses this URL (blacklisted)"),
        ("http://a.test/1", ("pause", "a.test"), "its host is not contacted now"),
    ],
)
async def test_b4_what_the_crawl_would_not_request_is_not_requested(
    tmp_path: Path, url: str, order: tuple[str, ...], said: str
) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site(dict(SITE)) as site:
        await crawl_site(site, directory)
        if order:
            await hondius(order[0], directory, *order[1:])
        assert said in str((await try_url(directory, url))["summary"])
        assert site.requests == []
    await proven(directory)


async def test_b2_a_robots_txt_that_is_not_known_is_read_first_and_kept(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site(dict(SITE)) as site:
        await crawl_site(site, directory, "--scope", "any")
        forbidden = await try_url(directory, "http://b.test/private/")
        assert [request.path for request in site.requests] == ["/robots.txt"]
        assert (forbidden["summary"], forbidden["robots"]["line"]) == (  # type: ignore[index]
            "the crawl would end it as blocked, robots",
            2,
        )
        moved = await try_url(directory, "http://b.test/moved")
        assert moved["ending"]["redirect_to"] == "http://b.test/target"  # type: ignore[index]
        assert [request.path for request in site.requests] == ["/robots.txt", "/moved"]
    assert "b.test" not in str(await export_rows(directory))
    await proven(directory)


async def test_o1_a_running_crawl_is_not_disturbed(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site({**SITE, "/1": Answer("", delay=100.0)}) as site:
        options = ("--into", directory, "--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json")
        running = await start_command("crawl", "http://a.test/", *options)
        try:
            await until(lambda: "/1" in site.paths(), PATIENCE)
            refused = await hondius("explain", directory, "http://a.test/", "--try")
        finally:
            running.terminate()
            await running.wait()
    assert (refused.status, refused.out) == (2, "")
    assert "--try needs a crawl that is not running" in refused.error


async def test_p1_a_try_that_is_killed_still_counts(tmp_path: Path) -> None:
    """Killed while the server thinks: the attempt record tells the next run when the host was asked."""
    directory = tmp_path / "crawl"
    async with scripted_site(dict(SITE)) as site:
        await crawl_site(site, directory, delay="2")
        await hondius("recrawl", directory, "http://a.test/")
        site.script["/1"] = Answer("", delay=100.0)
        trying = await start_command("explain", directory, "http://a.test/1", "--try")
        await until(lambda: site.paths() == ["/1"], PATIENCE)
        trying.kill()
        await trying.wait()
        killed_at = asyncio.get_running_loop().time()
        await hondius("resume", directory, "--json")
        assert site.paths()[1] == "/"
        assert asyncio.get_running_loop().time() - killed_at >= 2.0
        assert site.requests[1].at - site.requests[0].at >= 2.0
    await proven(directory)


async def test_p7_audit_and_status_know_a_url_that_was_only_tried(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site({**SITE, "/new": Answer("new")}) as site:
        await crawl(site, directory, "http://a.test/", "--set", "scope.max_depth=0", "--set", "scope.sitemaps=false")
        await try_url(directory, "http://a.test/new")
        assert site.paths() == ["/", "/new"]
    audited = json.loads((await hondius("audit", directory, "--json")).out)
    status = json.loads((await hondius("status", directory, "--json")).out)
    assert audited["requests"] == status["requests"] == len(site.requests)
    assert audited["unnamed"] == 0
    visits = await hondius("audit", directory, "--site", "a.test")
    assert visits.out.count("http://a.test/new, 200") == 1, visits.out
    assert "every request obeyed robots.txt and the delays" in visits.out
    await proven(directory)


async def test_o1_a_try_of_the_past_is_wrong_use(tmp_path: Path) -> None:
    ended = await hondius("explain", tmp_path, "http://a.test/", "--try", "--at", "-2h")
    assert (ended.status, "choose one of them" in ended.error) == (2, True)


def _count_archived(directory: Path) -> int:
    return sum(file.stat().st_size for file in (directory / "warc").iterdir())
