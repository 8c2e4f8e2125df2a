"""`hondius seeds`: the seeds of a crawl, shown and added, also while it runs (D1, O1)."""

import gzip
import json
from pathlib import Path

from tests.journeys.scripted_site import (
    Answer,
    Script,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)

PATIENCE = 60.0
SITE: Script = {
    "a.test/": Answer.page("/1"),
    "/1": Answer.page(),
    "b.test/": Answer.page("/2"),
    "/2": Answer.page(),
    "c.test/": Answer("gone", 404),
    "d.test/robots.txt": Answer("", 500),
}


async def test_o1_the_seeds_of_a_crawl_are_shown_with_what_became_of_them(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site(SITE) as site:
        await crawl(site, directory, "http://a.test/", "http://c.test/", "http://d.test/", "http://a.test/no/1")
        shown = await hondius("seeds", directory)
        assert shown.out.splitlines() == [
            "http://a.test/\tcompleted",
            "http://c.test/\tfailed\thttp_404",
            "http://d.test/\tqueued\thttp_500",
            "http://a.test/no/1\tfailed\thttp_404",
        ]
        rows = json.loads((await hondius("seeds", directory, "--json")).out)["seeds"]
    assert [(row["url"], row["state"]) for row in rows] == [
        ("http://a.test/", "completed"),
        ("http://c.test/", "failed"),
        ("http://d.test/", "queued"),
        ("http://a.test/no/1", "failed"),
    ]
    assert rows[2]["detail"].startswith("robots.txt: ")


async def test_o1_a_seed_that_is_refused_is_named_with_the_reason(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site(SITE) as site:
        await crawl(site, directory, "http://a.test/")
    await hondius("blacklist", directory, "b.test")
    added = await hondius("seeds", directory, "http://b.test/")
    assert added.out.startswith("0 seeds added, 1 refused: ")
    assert "refused: http://b.test/ (its host is on the blacklist)\n" in added.out


async def test_o1_seeds_are_added_to_a_crawl_that_rests_and_open_its_scope(tmp_path: Path) -> None:
    directory, more = tmp_path / "crawl", tmp_path / "more.gz"
    more.write_bytes(gzip.compress(b"http://b.test/\tlow\nhttp://a.test/\n# none\n://\n"))
    async with scripted_site(SITE) as site:
        await crawl(site, directory, "http://a.test/")
        added = await hondius("seeds", directory, "http://c.test/", "--seeds", more)
        assert added.out == f"2 seeds added, 1 already known: `hondius resume {directory}` fetches what is queued\n"
        assert "1 line of arguments, more.gz skipped" in added.error
        assert (await hondius("seeds", directory)).out.splitlines()[1:] == [
            "http://c.test/\tqueued",
            "http://b.test/\tqueued",
        ]
        assert "2 URLs were queued" in (await hondius("status", directory)).out
        again = json.loads((await hondius("seeds", directory, "http://b.test/", "--json")).out)
        assert again == {"seeds": 1, "added": 0, "running": False}
        await hondius("resume", directory, "--json")
    rows = await export_rows(directory)
    assert "http://b.test/2" in rows
    assert (rows["http://b.test/"]["depth"], rows["http://b.test/2"]["depth"]) == (0, 1)
    (found,) = json.loads((await hondius("explain", directory, "http://b.test/", "--json")).out)["discovery"]
    assert found["via"] == "seed"
    assert (await hondius("verify", directory)).status == 0


async def test_o1_a_running_crawl_takes_new_seeds_at_once(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    slow = Answer("", delay=100.0)  # the crawl waits for it
    async with scripted_site({**SITE, "a.test/": Answer.page("/slow"), "a.test/slow": slow}) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        running = await start_command(
            "crawl",
            "http://a.test/",
            "--into",
            directory,
            "--delay",
            "0",
            *resolve,
            "--json",
            "--max-time",
            "100s",
            "--set",
            "fetch.read_timeout=90.0",
            "--set",
            "fetch.total_timeout=90.0",
        )
        try:
            await until(lambda: "/slow" in site.paths("a.test"), PATIENCE)
            told = await hondius("seeds", directory, "http://b.test/")
            assert told.out == f"sent to the running crawl of {directory}: 1 seed\n", told.error
            await until(lambda: "/2" in site.paths("b.test"), PATIENCE)
        finally:
            running.terminate()
            await running.wait()
    assert "http://b.test/\tcompleted" in (await hondius("seeds", directory)).out


async def test_o1_a_seed_that_the_crawl_would_refuse_is_told(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site(SITE) as site:
        await crawl(site, directory, "http://a.test/", "--exclude", "/private/")
        refused = await hondius("seeds", directory, "http://b.test/private/1")
        assert (refused.status, "--exclude matches it" in refused.error) == (2, True)
        unreadable = await hondius("seeds", directory, "http://")
        assert (unreadable.status, "cannot be crawled" in unreadable.error) == (2, True)
        await hondius("blacklist", directory, "b.test")
        kept_out = await hondius("seeds", directory, "http://b.test/", "http://c.test/")
        assert "1 seed added, 1 refused" in kept_out.out
