"""Fetching again what is known (H4, R4)."""

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

TAGGED = (("Content-Type", "text/html"), ("ETag", '"v1"'), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))


def conditional(request: Request) -> Answer:
    if request.headers.get("if-none-match") == '"v1"':
        return Answer(status=304)
    return Answer("<title>first</title>words", headers=TAGGED)


async def test_h4_a_recrawl_asks_conditionally_and_an_unchanged_page_stays_as_it_was(tmp_path: Path) -> None:
    async with scripted_site({"/": conditional}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        first = (await export_rows(tmp_path / "c"))["http://a.test/"]
        wanted = await hondius("recrawl", tmp_path / "c", "http://a.test/")
        assert wanted.status == 0, wanted.error
        again = await hondius("resume", tmp_path / "c", "--json")
        assert again.status == 0, again.error
    asked = [request for request in site.requests if request.path == "/"]
    assert len(asked) == 2
    assert asked[1].headers["if-modified-since"] == "Sun, 06 Nov 1994 08:49:37 GMT"
    row = (await export_rows(tmp_path / "c"))["http://a.test/"]
    assert (row["state"], row["cause"], row["status"], row["title"]) == ("completed", "unchanged", 304, "first")
    assert row["simhash"] == first["simhash"] is not None
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_r4_a_changed_page_is_kept_anew_and_is_no_copy_of_its_own_past(tmp_path: Path) -> None:
    script: Script = {"/": Answer("<title>old</title>old")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        for title in ("new", "old"):
            script["/"] = Answer(f"<title>{title}</title>{title}")
            await hondius("recrawl", tmp_path / "c", "http://a.test/")
            await hondius("resume", tmp_path / "c", "--json")
            row = (await export_rows(tmp_path / "c"))["http://a.test/"]
            assert (row["state"], row["title"]) == ("completed", title)
    assert site.paths() == ["/", "/", "/"]


async def recrawl_urls(directory: Path, *urls: str) -> dict[str, dict[str, Any]]:
    """Rows of the export after it, by URL, with the text of each page."""
    wanted = await hondius("recrawl", directory, *urls)
    assert wanted.status == 0, wanted.error
    again = await hondius("resume", directory, "--json")
    assert again.status == 0, again.error
    return await export_rows(directory, "--text")


async def test_x3_h4_a_copy_that_has_not_changed_stays_a_copy_and_has_its_text(tmp_path: Path) -> None:
    """However often it is asked, and whatever became of its original."""
    script: Script = {"/": conditional}
    one, two = "http://one.test/", "http://two.test/"
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", one, two)
        before = await export_rows(tmp_path / "c", "--text")
        original, copy = sorted((one, two), key=lambda url: str(before[url]["state"]))
        assert [before[url]["state"] for url in (original, copy)] == ["completed", "duplicate"]
        for _ in range(2):
            rows = await recrawl_urls(tmp_path / "c", original, copy)
            assert (rows[original]["state"], rows[original]["cause"]) == ("completed", "unchanged")
            assert (rows[copy]["state"], rows[copy]["cause"]) == ("duplicate", "copy")
            assert (rows[copy]["status"], rows[copy]["copy_of"]) == (304, original)
            assert [rows[url]["text"] for url in (original, copy)] == ["words", "words"]
        script[f"{original.split('/')[2]}/"] = Answer("<title>new</title>other words")
        rows = await recrawl_urls(tmp_path / "c", original)
        assert [rows[url]["text"] for url in (original, copy)] == ["other words", "words"]
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_h4_a_304_that_nobody_asked_for_is_a_failure_at_every_recrawl(tmp_path: Path) -> None:
    """Also where it comes with a validator: there is no body that it could stand for."""
    never = Answer(status=304, headers=(("ETag", '"v1"'),))
    async with scripted_site({"/": Answer.page("/never"), "/never": never}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        rows = await export_rows(tmp_path / "c")
        for _ in range(2):
            row = rows["http://a.test/never"]
            assert (row["state"], row["cause"]) == ("failed", "http_304")
            rows = await recrawl_urls(tmp_path / "c", "http://a.test/never")
    assert not any("if-none-match" in request.headers for request in site.requests)


async def test_r4_a_running_crawl_fetches_what_is_wanted_before_anything_else_of_its_host(tmp_path: Path) -> None:
    """The server's view: between the moment in which the order is taken and the request for its URL at most one other
    request comes, which was under way."""
    script: Script = {"/": Answer.page(*(f"/{number}" for number in range(200)))}
    async with scripted_site(script, lambda request: Answer.page(head=request.path)) as site:
        process = await start_command(
            *("crawl", "http://a.test/", "--into", tmp_path / "c", "--delay", "0.4", "--set", "scope.sitemaps=false"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}"),
        )
        await until(lambda: len(site.paths()) >= 3)
        told = await hondius("recrawl", tmp_path / "c", "http://a.test/")
        assert "sent to the running crawl" in told.out, told.error
        await until(lambda: not list((tmp_path / "c" / "control").glob("*.json")))
        taken = len(site.paths())
        await until(lambda: site.paths().count("/") == 2)
        process.kill()
        await process.communicate()
    second = len(site.paths()) - 1 - site.paths()[::-1].index("/")
    assert second <= taken + 1


async def test_r4_d5_a_recrawled_url_keeps_its_depth_and_its_path_to_the_seed(tmp_path: Path) -> None:
    """So its links are as deep as before, and the depth limit holds."""

    def month(request: Request) -> Answer:
        return Answer.page(f"/cal/{int(request.path.rsplit('/', 1)[1]) + 1}")

    async with scripted_site({"/robots.txt": Answer(status=404)}, month) as site:
        await crawl(site, tmp_path / "c", "http://a.test/cal/1", "--max-depth", "3", "--set", "scope.sitemaps=false")
        assert site.paths() == [f"/cal/{number}" for number in range(1, 5)]
        before = (await export_rows(tmp_path / "c"))["http://a.test/cal/4"]
        after = (await recrawl_urls(tmp_path / "c", "http://a.test/cal/4"))["http://a.test/cal/4"]
        explained = await hondius("explain", tmp_path / "c", "http://a.test/cal/4")
    assert site.paths() == [f"/cal/{number}" for number in (1, 2, 3, 4, 4)]
    assert before["depth"] == after["depth"] == 3
    assert all(f"http://a.test/cal/{number}" in explained.out for number in (1, 2, 3)), explained.out
