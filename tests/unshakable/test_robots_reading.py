"""robots.txt as sites write it (B1, B3)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, hondius, scripted_site


def site_with(robots: Answer) -> Script:
    return {
        "/": Answer.page("/open", "/private"),
        "/open": Answer.page(head="open"),
        "/private": Answer.page(head="private"),
        "/robots.txt": robots,
    }


async def explain_url(directory: Path, url: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((await hondius("explain", directory, url, "--json")).out)
    return facts


@pytest.mark.defect("a product token with a digit was not bound by its own group")
async def test_b1_a_token_with_a_digit_is_bound_by_the_group_of_its_name(tmp_path: Path) -> None:
    robots = Answer.robots("User-agent: bot1\nDisallow: /private\n\nUser-agent: *\nDisallow: /open\n")
    async with scripted_site(site_with(robots)) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--user-agent", "bot1/1.0")
    assert sorted(site.paths()) == ["/", "/open"]


@pytest.mark.defect("`hondius robots` did not match a token with a digit")
async def test_b1_the_robots_command_knows_tokens_with_digits(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("User-agent: MJ12bot\nDisallow: /\n")
    verdicts = {
        agent: (await hondius("robots", tmp_path / "robots.txt", "http://a.test/x", "--agent", agent)).out
        for agent in ("mj12bot", "MJ12bot/v1.4.8", "mj12")
    }
    assert [text.startswith("allowed") for text in verdicts.values()] == [False, False, True], verdicts


@pytest.mark.defect("the Crawl-delay of another agent's group was taken for ours")
async def test_b3_a_crawl_delay_belongs_to_its_own_group(tmp_path: Path) -> None:
    robots = Answer.robots("User-agent: *\nCrawl-delay: 1\n\nUser-agent: other\nCrawl-delay: 20\n")
    async with scripted_site(site_with(robots)) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    facts = await explain_url(tmp_path / "c", "http://a.test/open")
    assert facts["robots"]["crawl_delay"] == 1


@pytest.mark.defect("a no-break space before a Sitemap URL made it a relative one")
async def test_b3_a_no_break_space_is_no_part_of_a_sitemap_url(tmp_path: Path) -> None:
    script = site_with(Answer.robots("User-agent: *\nAllow: /\nSitemap: \u00a0http://a.test/map.xml\n"))
    script["/map.xml"] = Answer(
        "<urlset><url><loc>http://a.test/listed</loc></url></urlset>", headers=(("Content-Type", "text/xml"),)
    )
    script["/listed"] = Answer.page(head="listed")
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert "/listed" in site.paths()


@pytest.mark.defect("a robots.txt in UTF-16 was read as if it said nothing")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_b1_a_robots_txt_in_utf_16_is_read(tmp_path: Path, encoding: str) -> None:
    robots = Answer.robots("\ufeffUser-agent: *\r\nDisallow: /private\r\n".encode(encoding))
    async with scripted_site(site_with(robots)) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert sorted(site.paths()) == ["/", "/open"]
