"""Pages with more links than are admitted at once."""

from pathlib import Path

from hondius.crawler.page.links import PIECE
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, scripted_site

PATHS = [f"/{number}" for number in range(PIECE + 500)]


async def test_d3_the_links_of_a_large_page_are_admitted_in_pieces_and_all_of_them(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page(*PATHS)}
    async with scripted_site(script, otherwise=lambda request: Answer(f"<title>{request.path}</title>words")) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false")
    assert ended.status == 0, ended.error
    assert sorted(site.paths()) == sorted(["/", *PATHS])
    rows = await export_rows(tmp_path / "c")
    assert [row["state"] for row in rows.values()] == ["completed"] * (1 + len(PATHS))


async def test_d4_nothing_of_a_large_page_is_admitted_that_says_nofollow(tmp_path: Path) -> None:
    links = "".join(f'<a href="{path}">x</a>' for path in PATHS)
    script: Script = {"/": Answer(f"<meta name=robots content=nofollow><title>t</title>{links}")}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false")
    assert (ended.status, site.paths()) == (0, ["/"])
