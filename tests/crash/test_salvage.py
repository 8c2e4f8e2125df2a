"""S10: `hondius rebuild --salvage` keeps what can be read of a damaged log; the next run repairs the rest."""

from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site

PAGES = 12
LINKS: Script = {f"/{n}": Answer.page(f"/{n + 1}") for n in range(PAGES)}
SITE: Script = {**LINKS, "/": Answer.page("/0")}


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    """Each page is linked only from the one before it, so each is in a separate frame."""
    async with scripted_site(SITE) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--set", "stores.commit_changes=1")
    assert ended.status == 0
    return tmp_path / "c"


async def resume_crawl(directory: Path) -> None:
    async with scripted_site(SITE) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        ended = await hondius("resume", directory, "http://a.test/", "--resolve", resolve, "--json")
    assert ended.status == 0, ended.error


def log_of(directory: Path) -> Path:
    return next((directory / "log").glob("*.log"))


@pytest.mark.parametrize("where", [0.2, 0.5, 0.8])
async def test_a_flipped_byte_loses_no_page_for_good(directory: Path, where: float) -> None:
    before = await export_rows(directory)
    warc = sum(file.stat().st_size for file in (directory / "warc").glob("*.warc.gz"))
    data = bytearray(log_of(directory).read_bytes())
    data[int(len(data) * where)] ^= 1
    log_of(directory).write_bytes(data)
    refused = await hondius("resume", directory)
    assert refused.status == 1
    assert "--salvage" in refused.error
    saved = await hondius("rebuild", directory, "--salvage")
    assert saved.status == 0, saved.error
    assert "lost: frame " in saved.out
    assert sum(file.stat().st_size for file in (directory / "warc").glob("*.warc.gz")) == warc
    await resume_crawl(directory)
    assert {url: row["state"] for url, row in (await export_rows(directory)).items()} == {
        url: row["state"] for url, row in before.items()
    }
    assert (await hondius("verify", directory)).status == 0


async def test_a_log_that_lost_its_end_goes_on_with_what_is_left(directory: Path) -> None:
    before = await export_rows(directory)
    log_of(directory).write_bytes(log_of(directory).read_bytes()[: log_of(directory).stat().st_size // 2])
    saved = await hondius("rebuild", directory, "--salvage")
    assert saved.status == 0, saved.error
    assert "lost: " in saved.out
    await resume_crawl(directory)
    assert (await export_rows(directory)).keys() == before.keys()
    assert (await hondius("verify", directory)).status == 0


async def test_a_whole_log_has_nothing_to_be_saved(directory: Path) -> None:
    saved = await hondius("rebuild", directory, "--salvage")
    assert (saved.status, "first frame to its last" in saved.out) == (0, True)
    assert (await hondius("verify", directory)).status == 0
