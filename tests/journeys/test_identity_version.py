"""A crawl keeps the version of identity that it was made with (U3)."""

import re
from pathlib import Path

from tests.journeys.scripted_site import Answer, crawl, hondius, scripted_site


async def test_u3_a_crawl_made_before_versions_goes_on_with_its_own_keys(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    links = ("/a^b", "/x?session_id=1", "/x?session_id=2", "/z?a[]=1", "/z?a%5B%5D=1")
    async with scripted_site({"/": Answer.page(*links)}, Answer("a page")) as site:
        await crawl(site, directory, "http://a.test/", "--max-pages", "1", "--set", "identity.version=1")
        settings = directory / "hondius.toml"
        as_before, count = re.subn(r"\nversion = 1", "", settings.read_text())
        assert count == 1
        settings.write_text(as_before.replace("[fetch]\n", "[fetch]\nmax_links = 10000\n"))
        ended = await hondius("resume", directory, "--max-pages", "100")
        assert ended.status == 0, ended.error
        assert sorted(site.paths()) == sorted(["/", *links])
        told = await hondius("explain", directory, "http://a.test/a^b")
    assert "it ended: " in told.out
