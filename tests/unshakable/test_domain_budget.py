"""How many pages of a registrable domain are requested (D5)."""

import json
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, crawl, hondius, scripted_site


async def budget_of_domain(directory: Path) -> list[int | None]:
    facts = json.loads((await hondius("explain", directory, "http://a.test/", "--json")).out)
    counted: list[int | None] = facts["budget"]["fetched_of_domain"]
    return counted


@pytest.mark.defect("pages a domain were not limited by default")
async def test_d5_a_domain_is_asked_for_a_million_pages_by_default(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false")
    assert await budget_of_domain(tmp_path / "c") == [1, 1_000_000]


@pytest.mark.defect("recrawls counted against the limit of pages a domain")
async def test_d5_recrawls_do_not_count_against_a_domain(tmp_path: Path) -> None:
    arguments = ["--set", "scope.sitemaps=false", "--set", "scope.max_pages_per_domain=100"]
    async with scripted_site({"/": Answer.page("/x"), "/x": Answer.page(head="x")}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", *arguments)
        await hondius("recrawl", tmp_path / "c", "http://a.test/", "http://a.test/x")
        await hondius("resume", tmp_path / "c", "--json")
        assert len(site.paths()) == 4
    assert await budget_of_domain(tmp_path / "c") == [2, 100]
