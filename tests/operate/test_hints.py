"""O1: a crawl that met only what it does not read names the setting that reads it."""

import re
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, hondius, scripted_site

PDF = Answer(b"%PDF-1.7", headers=(("Content-Type", "application/pdf"),))


@pytest.mark.parametrize("path", ["/paper", "/paper.pdf"])
async def test_o1_a_seed_that_is_a_document_names_the_setting_that_helps(tmp_path: Path, path: str) -> None:
    """By its type, and by its extension alone, for which nothing is asked of the server."""
    async with scripted_site({path: PDF}) as site:
        options = ("--resolve", f"*.test=127.0.0.1:{site.port}", "--delay", "0")
        plain = await hondius("crawl", f"http://a.test{path}", "--into", tmp_path / "plain", *options)
        assert "--media" in plain.out + plain.error
        helped = ("--set", "scope.media=true", "--json")
        media = await hondius("crawl", f"http://a.test{path}", "--into", tmp_path / "media", *options, *helped)
        assert media.figures["pages"] == 1


async def test_o1_a_seed_that_no_setting_for_media_lets_in_names_none(tmp_path: Path) -> None:
    plain = await hondius("crawl", "http://a.test/x.zip", "--into", tmp_path / "c", "--exclude", "nothing")
    assert plain.status == 2
    assert "--media" not in plain.error


async def test_d7_the_commands_that_the_summary_names_fetch_what_was_refused_for_its_type(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/paper"), "/paper": PDF}) as site:
        options = ("--resolve", f"*.test=127.0.0.1:{site.port}", "--delay", "0")
        first = await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", *options)
        recrawl, resume = re.findall("`hondius ([^`]+)`", first.out)
        for command in (recrawl, resume):
            ended = await hondius(*command.split())
            assert ended.status == 0, ended.error
    assert site.paths() == ["/", "/paper", "/paper"]
    assert "2 pages" in ended.out
    assert "--media" not in ended.out


async def test_o1_nothing_fetched_is_explained_once_and_nothing_is_advised_that_needs_pages(tmp_path: Path) -> None:
    ended = await hondius("crawl", "http://127.0.0.1:1/", "--into", tmp_path / "c")
    assert (ended.out + ended.error).count("--allow-private") == 1
    assert "hondius export" not in ended.out
    assert "hondius verify" not in ended.out
    missing = await hondius("crawl", "http://nowhere.test/", "--into", tmp_path / "d")
    assert "names under .test are never looked up in DNS" in missing.out
