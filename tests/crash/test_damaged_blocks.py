"""Damaged blocks of the URL store: any read detects them, and the crawl itself repairs them (S10)."""

import asyncio
import errno
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hondius.crawler.commit import find_broken_view
from hondius.model import PageFilter
from hondius.native import Identity, NativeError
from hondius.opening import open_settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify import verify_crawl
from tests.journeys.scripted_site import Answer, Ended, Request, Script, crawl, hondius, scripted_site

PAGES = 200
HREFS = ["http://a.test/", *(f"http://a.test/p/{number:04}" for number in range(PAGES))]


def page(request: Request) -> Answer:
    """Links to two other pages."""
    number = int(request.path[-4:])
    return Answer.page(f"/p/{(number + 1) % PAGES:04}", f"/p/{(number * 7) % PAGES:04}")


SITE: Script = {"/": Answer.page(*(f"/p/{number:04}" for number in range(PAGES)))}
SITE |= {f"/p/{number:04}": page for number in range(PAGES)}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("begun") / "c"


@pytest.fixture
async def directory(begun: Path, tmp_path: Path) -> Path:
    """A crawl with most of its pages left, whose store has several blocks."""
    if not await asyncio.to_thread(begun.exists):
        async with scripted_site(SITE) as site:
            assert (await crawl(site, begun, "http://a.test/", "--max-pages", "10")).status == 0
    return Path(shutil.copytree(begun, tmp_path / "a crawl"))


def flip(directory: Path, wanted: bytes) -> bool:
    """Flips a bit of these bytes in every sorted run, in place: the crawl may have the file open."""
    changed = bytes([wanted[0] ^ 1]) + wanted[1:]
    found = False
    for path in (directory / "urls" / "runs").glob("*.run"):
        with path.open("r+b") as file:
            data = file.read()
            if wanted in data:
                found = True
                file.seek(0)
                file.write(data.replace(wanted, changed))
    return found


def queued_urls(directory: Path) -> None:
    """Damages rows that `take` reads."""
    assert flip(directory, b"/p/0100")


def seen_keys(directory: Path) -> None:
    """Damages rows that `admit` reads for a link."""
    assert flip(directory, b"s" + Identity().parse("http://a.test/p/0150").key)


async def resume_crawl(directory: Path, script: Script = SITE, *arguments: str) -> tuple[Ended, Counter[str]]:
    async with scripted_site(script) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        ended = await hondius("resume", directory, "--max-pages", "100000", "--resolve", resolve, "--json", *arguments)
    return ended, Counter(site.paths())


def assert_whole(directory: Path, requests: Counter[str]) -> None:
    with closing(EmbeddedCatalog.open(directory / "crawl.db", read_only=True)) as catalog:
        pages = {row["url"] for row in catalog.pages(PageFilter(states=("completed",))) if row["kind"] == "page"}
        last_run = catalog.last_run()
    assert pages == set(HREFS)
    assert last_run is not None
    assert last_run["reason"] == "done"
    assert max(requests.values()) <= 2, "what was under way when the damage was met is asked for once more"
    assert sum(count - 1 for count in requests.values()) <= 10
    report = verify_crawl(directory, open_settings(directory))
    assert report.clean, "\n".join(report.format_lines())
    assert not (directory / "urls.old").exists()


@pytest.mark.parametrize("harm", [queued_urls, seen_keys])
async def test_a_damaged_block_is_found_by_verify_and_mended_by_the_crawl_that_meets_it(
    directory: Path, harm: Callable[[Path], None]
) -> None:
    harm(directory)
    verified = await hondius("verify", directory)
    assert verified.status == 1
    assert "1 of " in verified.out
    assert "WARC records" in verified.out, "the rest is checked all the same"
    ended, requests = await resume_crawl(directory)
    assert ended.status == 0, ended.error
    assert ended.error.count("rebuilt from the log") == 1, ended.error
    damage = f"hondius: {directory}/urls is damaged (a block is not as it was written): it is"
    assert [line.startswith(damage) for line in ended.error.splitlines()[:2]] == [False, True], ended.error
    assert ended.figures["stop_reason"] == "done"
    assert ended.figures["pages_this_run"] == PAGES + 1 - 10, "before the damage was met and after it"
    assert_whole(directory, requests)


async def test_damage_that_comes_while_the_crawl_runs_is_mended_too(directory: Path) -> None:
    def harmful(request: Request) -> Answer:
        queued_urls(directory)
        return page(request)

    ended, requests = await resume_crawl(directory, SITE | {"/p/0050": harmful})
    assert ended.status == 0, ended.error
    assert ended.error.count("rebuilt from the log") == 1, ended.error
    assert_whole(directory, requests)


def runs_of(directory: Path) -> list[str]:
    with closing(EmbeddedCatalog.open(directory / "crawl.db", read_only=True)) as catalog:
        return [row[4] for row in catalog.table("runs")]


async def test_a_damaged_page_of_the_catalog_that_a_run_meets_is_mended_in_the_same_way(directory: Path) -> None:
    with closing(apsw.Connection(str(directory / "crawl.db"))) as database:
        root, size = (
            int(str(database.execute(query).get))
            for query in ("SELECT rootpage FROM sqlite_schema WHERE name = 'hosts'", "PRAGMA page_size")
        )
    with (directory / "crawl.db").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"?" * size)
    ended, requests = await resume_crawl(directory)
    assert ended.status == 0, ended.error
    assert ended.error.count("rebuilt from the log") == 1, ended.error
    assert f"{directory}/crawl.db is damaged (" in ended.error
    assert_whole(directory, requests)
    assert runs_of(directory) == ["max_pages", "reopened", "done"]


def test_what_the_disk_cannot_read_any_more_is_damage_and_want_of_room_is_none() -> None:
    def refused(number: int) -> NativeError:
        error = NativeError("URL store")
        error.kind, error.errno = "io", number
        return error

    found = find_broken_view(refused(errno.EIO))
    assert found is not None
    assert found.view.name == "urls"
    assert find_broken_view(refused(errno.ENOSPC)) is None
    assert find_broken_view(ValueError("another thing")) is None


async def test_explain_tells_of_damage_and_asks_the_log(directory: Path) -> None:
    queued_urls(directory)
    ended = await hondius("explain", directory, "http://a.test/p/0150")
    assert ended.status == 0, ended.error
    assert "queued" in ended.out
    assert "a block is not as it was written" in ended.out + ended.error


async def test_an_order_to_a_crawl_with_a_damaged_store_is_kept(directory: Path) -> None:
    """R4: a recrawl looks the URL up in the store."""
    assert flip(directory, b"s" + Identity().parse("http://a.test/p/0003").key)
    ended = await hondius("recrawl", directory, "http://a.test/p/0003")
    assert ended.status == 0, ended.error
    assert "1 URL queued again" in ended.out
    assert "rebuilt from the log" in ended.error
    assert (await hondius("verify", directory)).status == 0


async def test_a_disk_that_damages_the_store_again_and_again_ends_the_crawl_with_a_reason(tmp_path: Path) -> None:
    long = "x" * 150
    hubs = [f"/hub/{number}" for number in range(10)]
    directory = tmp_path / "c"

    def harmful(request: Request) -> Answer:
        flip(directory, f"/page/{long}".encode())
        return Answer.page(f"/found/on/{request.path.rpartition('/')[2]}")

    script: Script = {"/": Answer.page(*hubs)}
    script |= {hub: Answer.page(*(f"/page/{long}/{hub[5:]}-{number}" for number in range(900))) for hub in hubs}
    async with scripted_site(script, harmful) as site:
        ended = await crawl(site, directory, "http://a.test/", "--set", "stores.store_memory=4194304")
    assert ended.status == 1
    assert ended.error.count("rebuilt from the log") == 3, ended.error
    assert "was rebuilt 3 times before: check the disk" in ended.error
    assert "Traceback" not in ended.error
    told = (await hondius("status", directory)).out
    assert "while a view was rebuilt" in told, told


async def test_a_store_that_cannot_be_saved_is_told_of_once_and_loses_nothing(tmp_path: Path) -> None:
    """S5"""
    directory = tmp_path / "c"

    def obstructive(request: Request) -> Answer:
        (directory / "urls" / "runs" / "00000000.run").mkdir()
        return page(request)

    async with scripted_site(SITE | {"/p/0003": obstructive}) as site:
        ended = await crawl(site, directory, "http://a.test/", "--max-pages", "10")
    assert ended.status == 0, ended.error
    assert ended.error.count("could not be saved") == 1, ended.error
    assert f"{directory}/urls could not be saved" in ended.error
    assert "nothing is lost" in ended.error
    ended, requests = await resume_crawl(directory)
    assert ended.status == 0, ended.error
    assert_whole(directory, requests)


@pytest.mark.parametrize("view", ["urls", "crawl.db"])
async def test_a_view_of_another_crawl_is_not_taken_for_this_ones(directory: Path, tmp_path: Path, view: str) -> None:
    other = tmp_path / "other"
    async with scripted_site({"/": Answer.page("/1", "/2")}, Answer.page()) as site:
        assert (await crawl(site, other, "http://b.test/")).status == 0
    if view == "urls":
        shutil.rmtree(directory / view)
        shutil.copytree(other / view, directory / view)
    else:
        shutil.copyfile(other / view, directory / view)
    verified = await hondius("verify", directory)
    assert verified.status == 1
    assert "is of another crawl" in verified.out
    ended, requests = await resume_crawl(directory)
    assert ended.status == 0, ended.error
    assert f"{directory}/{view} is of another crawl: it is rebuilt from the log" in ended.error
    assert_whole(directory, requests)
