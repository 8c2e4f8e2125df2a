"""The quality of pages, and what it decides (A4)."""

from pathlib import Path

import pytest

from hondius.opening import open_crawl
from hondius.use.content import Contents
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site

PARAGRAPH = "<p>The plates of the atlas were bought at an auction, engraved anew where the old names had worn thin.</p>"
LINKS = "".join(f"<li><a href=/n/{number}>number {number}</a>" for number in range(30))
SITE: Script = {
    "/": Answer(f"<title>Numbers</title><ul><li><a href=/good>atlas</a>{LINKS}</ul>"),
    "/good": Answer(f"<html lang=en><title>The atlas</title><h1>The atlas</h1>{PARAGRAPH * 30}"),
    **{f"/n/{number}": Answer(f"<p>{number}</p>") for number in range(30)},
}
HOST = "http://a.test/"


async def test_a4_poor_pages_are_stored_without_bodies_and_their_links_are_followed(tmp_path: Path) -> None:
    async with scripted_site(dict(SITE)) as site:
        await crawl(site, tmp_path / "crawl", HOST, "--set", "quality.store_above=0.6")
        assert len(site.paths()) == 32
    with open_crawl(tmp_path / "crawl") as ended:
        contents = Contents(ended)
        pages = [page for page in ended.catalog.pages() if page["kind"] == "page"]
        stored = {page["url"] for page in pages if contents.read(page) is not None}
    assert stored == {f"{HOST}good"}
    assert (await hondius("verify", tmp_path / "crawl")).status == 0


async def test_a4_poor_pages_are_neither_indexed_nor_exported_by_default(tmp_path: Path) -> None:
    pytest.importorskip("tantivy")
    async with scripted_site(dict(SITE)) as site:
        await crawl(site, tmp_path / "crawl", HOST, "--set", "quality.index_above=0.6")
    exported = await export_rows(tmp_path / "crawl", "--columns", "url,quality", "--kind", "page")
    assert set(exported) == {f"{HOST}good"}
    assert exported[f"{HOST}good"]["quality"] > 0.7
    everything = await export_rows(tmp_path / "crawl", "--columns", "url,quality", "--least-quality", "0")
    assert len(everything) == 32
    assert 0 < everything[HOST]["quality"] < 0.6
    for word, found in (("atlas", True), ("number", False)):
        assert (f"{HOST}" in (await hondius("search", tmp_path / "crawl", word)).out) == found
    assert "quality" in (await hondius("explain", tmp_path / "crawl", HOST)).out
