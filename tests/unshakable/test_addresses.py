"""A host with several addresses, of which the first does not answer."""

from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, hondius, scripted_site

PAGES: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}
REFUSES = "127.0.0.2"
"""Nobody listens there."""


@pytest.mark.defect("only the first address of a host is ever tried")
async def test_p3_a_host_whose_first_address_refuses_connections_is_crawled_at_its_second(tmp_path: Path) -> None:
    async with scripted_site(PAGES) as site:
        addresses = f"{REFUSES}:{site.port},127.0.0.1:{site.port}"
        ended = await hondius(
            *("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--resolve", f"*.test={addresses}", "--json")
        )
    assert sorted(site.paths()) == ["/", "/1", "/2"], ended.error
    assert ended.status == 0
    assert (await hondius("audit", tmp_path / "crawl")).status == 0
