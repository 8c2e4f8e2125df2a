"""A link to the host of a seed that was not read yet is followed later: the set of fetched pages does not depend on
when seeds come (D1)."""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    Answer,
    Request,
    Script,
    ScriptedSite,
    export_rows,
    hondius,
    scripted_site,
    until,
)

LOST = "a link to the host of a seed that had not been read yet was lost"
EARLY, LATE = b"http://a.test/\n", b"http://b.test/in/\n"
NO_SITEMAPS = ("--set", "scope.sitemaps=false")


def links_ahead(*, head: str = "") -> Script:
    """The page of the first seed links to the host of the last one."""
    return {
        "a.test/": Answer.page("http://b.test/in/linked", "http://c.test/never", head=head),
        "b.test/in/": Answer.page(),
        "b.test/in/linked": Answer.page("/in/further"),
        "b.test/in/further": Answer.page(),
    }


def own_page(request: Request) -> Answer:
    """A page with a unique body."""
    return Answer(
        f"<html><body><p>The text of {request.host} at {request.path} and of no other place.</p></body></html>"
    )


ALL_OF_B = ["/in/", "/in/further", "/in/linked"]


class Loading:
    """`hondius crawl -`, and the seeds that a test gives it one by one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    def give(self, seeds: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(seeds)

    async def end(self, seeds: bytes = b"") -> str:
        """Gives the last seeds; returns the output when the command has ended."""
        out, error = await asyncio.wait_for(self._process.communicate(seeds), 60)
        assert self._process.returncode == 0, error.decode()
        return out.decode()

    async def kill(self, how: int = signal.SIGKILL) -> None:
        self._process.send_signal(how)
        await asyncio.wait_for(self._process.communicate(), 20)


@asynccontextmanager
async def loading(site: ScriptedSite, into: Path, *options: str) -> AsyncIterator[Loading]:
    resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}", "--delay", "0")
    command = ("crawl", "-", "--into", str(into), *resolve, *options)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hondius", *command, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        yield Loading(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def has_ended(into: Path, url: str) -> bool:
    """Whether the catalog shows the end of this URL."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{into}/crawl.db?mode=ro", uri=True)) as db:
        return db.execute("SELECT 1 FROM pages WHERE url = ?", (url,)).fetchone() is not None
    return False


def _log(into: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((into / "log").glob("*.log"))]


@pytest.mark.defect(LOST)
@pytest.mark.parametrize("scope", ["host", "domain", "prefix"])
async def test_d1_a_link_to_the_host_of_a_later_seed_is_followed(tmp_path: Path, scope: str) -> None:
    into = tmp_path / "c"
    async with scripted_site(links_ahead()) as site, loading(site, into, "--scope", scope, *NO_SITEMAPS) as crawl:
        crawl.give(EARLY)
        await until(lambda: has_ended(into, "http://a.test/"))
        await crawl.end(LATE)
        assert sorted(site.paths("b.test")) == ALL_OF_B
        assert site.paths("a.test") == ["/"], "read again from the archive"
        assert site.paths("c.test") == []
    rows = await export_rows(into)
    assert rows["http://b.test/in/linked"]["depth"] == 1
    assert (await hondius("verify", into)).status == 0


@pytest.mark.defect(LOST)
async def test_d1_a_link_to_the_host_of_the_last_of_many_seeds_is_followed(tmp_path: Path) -> None:
    """Thousands of seeds, in several frames; only the first and the last are fetched."""
    into, between = tmp_path / "c", b"".join(b"http://f%d.test/\n" % number for number in range(3_500))
    options = ("--exclude", r"//f\d+\.test/", *NO_SITEMAPS)
    async with scripted_site(links_ahead()) as site, loading(site, into, *options) as crawl:
        crawl.give(EARLY)
        await until(lambda: has_ended(into, "http://a.test/"))
        await crawl.end(between + LATE)
        assert sorted(site.paths("b.test")) == ALL_OF_B
        assert {request.host for request in site.requests} == {"a.test", "b.test"}


@pytest.mark.defect(LOST)
async def test_d1_f5_a_link_to_the_host_of_a_later_seed_survives_kills(tmp_path: Path) -> None:
    """Killed while seeds come; resumed without them; killed again; then given all of them."""
    into = tmp_path / "c"
    async with scripted_site(links_ahead()) as site:
        async with loading(site, into, *NO_SITEMAPS) as crawl:
            crawl.give(EARLY)
            await until(lambda: has_ended(into, "http://a.test/"))
            await crawl.kill()
        assert (await hondius("resume", into)).status == 0
        async with loading(site, into, *NO_SITEMAPS) as crawl:
            crawl.give(EARLY)
            crawl.give(b"http://d.test/\n")
            await until(lambda: site.paths("d.test") != [])
            await crawl.kill()
        assert site.paths("b.test") == []
        async with loading(site, into, *NO_SITEMAPS) as crawl:
            await crawl.end(EARLY + LATE)
        assert sorted(site.paths("b.test")) == ALL_OF_B
        assert site.paths("a.test") == ["/"]
    assert (await hondius("verify", into)).status == 0


@pytest.mark.defect(LOST)
async def test_d1_f5_a_kill_right_behind_the_last_seed_loses_no_link(tmp_path: Path) -> None:
    into, linked = tmp_path / "c", [f"http://b.test/in/{number}" for number in range(100)]
    script = links_ahead() | {f"a.test/{number}": Answer.page(linked[number]) for number in range(100)}
    script["a.test/"] = Answer.page(*(f"/{number}" for number in range(100)))
    async with scripted_site(script, otherwise=own_page) as site:
        async with loading(site, into, *NO_SITEMAPS) as crawl:
            crawl.give(EARLY)
            await until(lambda: len(site.paths("a.test")) == 101)
            crawl.give(LATE)
            await until(lambda: site.paths("b.test") != [])
            await crawl.kill()
        before = len(site.paths("b.test"))
        async with loading(site, into, *NO_SITEMAPS) as crawl:
            await crawl.end(EARLY + LATE)
        assert set(site.paths("b.test")) == {"/in/", *(f"/in/{number}" for number in range(100))}
        assert before < 101, "the kill came too late to tell anything"


@pytest.mark.defect("redirects, sitemaps and pages that may not be kept led nowhere while seeds still came")
async def test_d1_redirects_sitemaps_and_pages_that_may_not_be_kept_lead_to_later_seeds_too(tmp_path: Path) -> None:
    into = tmp_path / "c"
    entries = "".join(f"<url><loc>http://b.test/listed/{number}</loc></url>" for number in range(2_100))
    script: Script = {
        "a.test/robots.txt": Answer.robots("Sitemap: http://a.test/map.xml\nSitemap: http://b.test/page-for-a-map\n"),
        "a.test/map.xml": Answer(f"<urlset>{entries}</urlset>", headers=(("Content-Type", "text/xml"),)),
        "a.test/": Answer.page("/moved", "/secret"),
        "a.test/moved": Answer.redirect("http://b.test/in/target"),
        "a.test/secret": Answer.page("http://b.test/in/secret", head='<meta name="robots" content="noarchive">'),
        "b.test/robots.txt": Answer.robots("Sitemap: http://b.test/map.xml\n"),
        "b.test/page-for-a-map": Answer.page("/in/of-a-page"),
        "b.test/map.xml": Answer(
            "<urlset><url><loc>http://b.test/in/own</loc></url></urlset>", headers=(("Content-Type", "text/xml"),)
        ),
    }
    async with scripted_site(script, otherwise=own_page) as site, loading(site, into) as crawl:
        crawl.give(EARLY)
        await until(lambda: all(has_ended(into, f"http://a.test/{name}") for name in ("map.xml", "moved", "secret")))
        await until(lambda: has_ended(into, "http://b.test/page-for-a-map"))
        await crawl.end(LATE)
        asked = set(site.paths("b.test"))
    assert {"/in/target", "/in/secret", "/in/of-a-page", "/in/own"} <= asked
    assert {f"/listed/{number}" for number in range(2_100)} <= asked
    assert (await hondius("verify", into)).status == 0


@pytest.mark.defect(LOST)
async def test_d1_d5_a_late_link_is_as_deep_as_if_the_seed_had_been_known(tmp_path: Path) -> None:
    """With a limit on depth: the page is found closer before its link is inside."""
    into = tmp_path / "c"
    script: Script = {
        "a.test/": Answer.page("/1", "/slow"),
        "a.test/1": Answer.page("/2"),
        "a.test/2": Answer.page("http://b.test/in/linked"),
        "a.test/slow": Answer.redirect("http://e.test/slow"),
        "e.test/slow": Answer(Answer.page("http://a.test/2").body, delay=1.5),
        "b.test/in/": Answer.page(),
        "b.test/in/linked": Answer.page("/in/at-the-limit"),
        "b.test/in/at-the-limit": Answer.page("/in/beyond"),
    }
    options = ("--max-depth", "3", *NO_SITEMAPS)
    async with scripted_site(script) as site, loading(site, into, *options) as crawl:
        crawl.give(EARLY + b"http://e.test/slow\n")
        await until(lambda: has_ended(into, "http://a.test/2") and has_ended(into, "http://e.test/slow"))
        await crawl.end(LATE)
        assert "/in/at-the-limit" in site.paths("b.test")
        assert "/in/beyond" not in site.paths("b.test")
    assert (await export_rows(into))["http://b.test/in/linked"]["depth"] == 2


async def test_d1_seeds_that_come_at_once_list_nothing(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(links_ahead()) as site, loading(site, into, *NO_SITEMAPS) as crawl:
        await crawl.end(EARLY + LATE)
        assert sorted(site.paths("b.test")) == ALL_OF_B
    assert not any(b"left_out" in block for block in _log(into))
