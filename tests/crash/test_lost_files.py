"""Missing or damaged files of a crawl: nothing makes it worse, and a message reports it."""

import shutil
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site

SITE: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page("/1")}


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    return tmp_path / "c"


def warc_bytes(directory: Path) -> dict[str, int]:
    return {file.name: file.stat().st_size for file in (directory / "warc").glob("*.warc.gz")}


@pytest.mark.parametrize("command", ["resume", "rebuild"])
async def test_a_log_that_lost_frames_is_told_and_nothing_else_is_touched(directory: Path, command: str) -> None:
    segment = next((directory / "log").glob("*.log"))
    segment.write_bytes(segment.read_bytes()[: segment.stat().st_size // 2])
    before = warc_bytes(directory)
    ended = await hondius(command, directory)
    assert ended.status == 1
    assert "log/ back from a copy" in ended.error
    assert warc_bytes(directory) == before
    assert (directory / "crawl.db").exists()


async def test_a_lost_log_never_costs_the_archive(directory: Path) -> None:
    for name in ("log", "urls"):
        shutil.rmtree(directory / name)
    (directory / "crawl.db").unlink()
    before = warc_bytes(directory)
    ended = await hondius("resume", directory)
    assert ended.status == 1
    assert "the log is empty" in ended.error
    assert f"`hondius rebuild {directory} --salvage`" in ended.error
    assert warc_bytes(directory) == before


async def test_s10_what_is_advised_for_a_lost_log_helps(directory: Path) -> None:
    (log,) = (directory / "log").glob("*.log")
    log.unlink()
    saved = await hondius("rebuild", directory, "--salvage")
    assert saved.status == 0, saved.error
    (lost,) = (line for line in saved.out.splitlines() if line.startswith("lost: "))
    assert lost.startswith(("lost: frame 1", "lost: frames 1 to "))
    assert (await hondius("verify", directory)).status == 0


async def test_a_damaged_record_costs_one_row_its_text_and_is_told(directory: Path) -> None:
    rows = await export_rows(directory)
    place = rows["http://a.test/1"]["warc"]
    warc = directory / "warc" / place["file"]
    data = bytearray(warc.read_bytes())
    data[place["offset"] + 40 : place["offset"] + 60] = b"x" * 20
    warc.write_bytes(bytes(data))
    ended = await hondius("export", directory, "--format", "jsonl", "--text")
    assert ended.status == 1
    assert "http://a.test/1" in ended.error
    assert len(ended.out.splitlines()) == len(rows) + 1
    verified = await hondius("verify", directory)
    assert verified.status == 1


async def test_settings_that_are_gone_can_be_written_anew(directory: Path) -> None:
    (directory / "hondius.toml").unlink()
    refused = await hondius("resume", directory)
    assert refused.status == 2
    assert "lines `format = 2`, `[identity]` and `version = 2`" in refused.error
    assert "All other settings are the defaults" in refused.error
    (directory / "hondius.toml").write_text("format = 2\n[identity]\nversion = 2\n")
    assert (await hondius("status", directory)).status == 0


async def test_u3_settings_that_would_give_known_urls_other_keys_are_refused(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    site: Script = {"/": Answer.page("/x?session_id=1"), "/x?session_id=1": Answer("x")}
    async with scripted_site(site) as served:
        await crawl(served, directory, "http://a.test/")
    (directory / "hondius.toml").write_text("format = 1\n")
    for command in ("status", "resume"):
        refused = await hondius(command, directory)
        assert refused.status == 2, refused
        assert "http://a.test/x?session_id=1 would get another key" in refused.error
        assert "the lines `[identity]` and `version = 2`" in refused.error
    (directory / "hondius.toml").write_text("format = 2\n[identity]\nversion = 2\n")
    assert (await hondius("status", directory)).status == 0
