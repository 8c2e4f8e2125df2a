"""O1: a crawl that met only what it does not read names the setting that reads it."""

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
        assert "--set scope.media=true" in plain.out + plain.error
        helped = ("--set", "scope.media=true", "--json")
        media = await hondius("crawl", f"http://a.test{path}", "--into", tmp_path / "media", *options, *helped)
        assert media.figures["pages"] == 1


async def test_o1_a_seed_that_no_setting_for_media_lets_in_names_none(tmp_path: Path) -> None:
    plain = await hondius("crawl", "http://a.test/x.zip", "--into", tmp_path / "c", "--exclude", "nothing")
    assert plain.status == 2
    assert "scope.media" not in plain.error
