"""Sitemap locations as sites write them (D2)."""

from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, scripted_site


@pytest.mark.defect("a sitemap location without a scheme was taken for a path")
async def test_d2_a_location_without_a_scheme_is_read_as_meant(tmp_path: Path) -> None:
    locations = ("www.a.test/listed", "a.test/named", "/rooted", "plain.html")
    entries = "".join(f"<url><loc>{location}</loc></url>" for location in locations)
    script: Script = {
        "/": Answer.page(),
        "/sitemap.xml": Answer(f"<urlset>{entries}</urlset>", headers=(("Content-Type", "text/xml"),)),
    }
    async with scripted_site(script, Answer.page(head="a page")) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--scope", "domain")
    asked = {request.host + request.path for request in site.requests}
    wanted = {"www.a.test/listed", "a.test/named", "a.test/rooted", "a.test/plain.html"}
    assert wanted <= asked
    assert not any("www" in path or "a.test" in path for path in site.paths())
