"""A view that is broken, or of another version, is made anew by the command that needs it (S10)."""

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, exported, hondius, scripted_site

SITE: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page("/3"), "/2": Answer.page("/1"), "/3": Answer.page()}


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    """A crawl that has pages left to fetch."""
    async with scripted_site(SITE) as site:
        assert (await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "2")).status == 0
    return tmp_path / "c"


def outdate(directory: Path) -> None:
    database = apsw.Connection(str(directory / "crawl.db"))
    database.execute("UPDATE meta SET value = value + 1 WHERE name = 'schema'")
    database.close()


def scribble(directory: Path) -> None:
    (directory / "crawl.db").write_bytes(b"no database at all " * 500)


def cut_a_run(directory: Path) -> None:
    for file in (directory / "urls" / "runs").glob("*.run"):
        file.write_bytes(file.read_bytes()[:-3] + b"???")


def replace_by_a_file(directory: Path) -> None:
    shutil.rmtree(directory / "urls")
    (directory / "urls").write_text("no directory")


def lose(directory: Path) -> None:
    shutil.rmtree(directory / "urls")
    (directory / "crawl.db").unlink()


async def go_on(directory: Path, *arguments: str) -> tuple[int, str]:
    async with scripted_site(SITE) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        ended = await hondius("resume", directory, "--max-pages", "100", "--resolve", resolve, "--json", *arguments)
    return ended.status, ended.error


@pytest.mark.parametrize("harm", [outdate, scribble, cut_a_run, replace_by_a_file])
async def test_resume_makes_a_broken_view_anew_says_so_and_goes_on(
    directory: Path, harm: Callable[[Path], None]
) -> None:
    harm(directory)
    status, said = await go_on(directory)
    assert status == 0, said
    assert "rebuilt from the log" in said
    assert len(await exported(directory)) == 4
    assert (await hondius("verify", directory)).status == 0


async def test_lost_views_come_back_without_a_word(directory: Path) -> None:
    lose(directory)
    assert (await go_on(directory))[0] == 0
    assert len(await exported(directory)) == 4


async def test_an_order_to_a_crawl_with_an_outdated_catalog_is_kept(directory: Path) -> None:
    outdate(directory)
    assert (await hondius("blacklist", directory, "b.test")).status == 0
    assert "b.test" in (await hondius("blacklist", directory)).out
