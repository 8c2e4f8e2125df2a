"""Sites that write a new session id into each link: a crawl of them ends, and every page is fetched (F6)."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.journeys.scripted_site import (
    MISSING,
    Answer,
    Request,
    ScriptedSite,
    crawl,
    export_rows,
    hondius,
    scripted_site,
)

MOST_REQUESTS = 2_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = "amber birch cedar delta ember fjord grove heron island juniper kelp lagoon meadow north orchard".split()
PAGES = ("", *WORDS, *(f"{word}-notes" for word in WORDS))
assert len(PAGES) == 31

Scheme = Callable[[str, Random], str]
"""Writes a link to a page, with a new token."""


def token(random: Random, length: int, letters: str = LETTERS + "0123456789") -> str:
    return "".join(random.choices(letters, k=length))


SCHEMES: dict[str, Scheme] = {
    "segment": lambda page, random: f"/~{token(random, 14)}/{page}",
    "words": lambda page, random: f"/{token(random, random.randint(5, 12), LETTERS)}/{page}",
    "parameter": lambda page, random: f"/{page}?zz={token(random, 10)}",
    "bare query": lambda page, random: f"/{page}?{token(random, 20, LETTERS)}",
    "two": lambda page, random: f"/{page}?visit={token(random, 12)}&stamp={token(random, 8)}",
    "asp": lambda page, random: f"/(S({token(random, 24)}))/{page}.aspx",
}


def prose(page: str) -> str:
    return " ".join(f"The {page or 'home'} page tells of {word} in its own words." for word in WORDS[:6])


def session_site(scheme: Scheme) -> Callable[[Request], Answer]:
    random = Random(7)

    def answer(request: Request) -> Answer:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        page = page_of(request.path)
        links = "".join(f'<li><a href="{scheme(other, random)}">{other or "home"}</a></li>' for other in PAGES)
        return Answer(f"<html><title>{page}</title><body><ul>{links}</ul><p>{prose(page)}</p></body></html>")

    return answer


def page_of(path: str) -> str:
    found = re.search(r"([a-z-]*)(?:\.aspx)?(?:\?.*)?$", path)
    assert found is not None
    return found[1]


def fetched_pages(site: ScriptedSite) -> set[str]:
    return {page_of(path) for path in site.paths()}


@pytest.mark.defect("a site with a new session id in each link was never done")
@pytest.mark.parametrize("scheme", SCHEMES)
async def test_f6_a_session_id_of_an_unknown_scheme_ends_within_2000_requests(tmp_path: Path, scheme: str) -> None:
    async with scripted_site({}, session_site(SCHEMES[scheme])) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", str(MOST_REQUESTS + 500))
    assert fetched_pages(site) == set(PAGES)
    assert len(site.requests) <= MOST_REQUESTS
    assert ended.figures["stop_reason"] == "done"


@pytest.mark.defect("a session id was no reason to refuse a link, so no refusal could tell of it")
async def test_f6_a_refusal_of_a_session_id_keeps_its_reason(tmp_path: Path) -> None:
    async with scripted_site({}, session_site(SCHEMES["parameter"])) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "2500")
    refused = [url for url, row in (await export_rows(tmp_path / "c")).items() if row["cause"] == "no_novelty"]
    assert refused
    facts = json.loads((await hondius("explain", tmp_path / "c", refused[0], "--json")).out)
    assert (facts["ending"]["state"], facts["ending"]["cause"]) == ("refused", "no_novelty")
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


def shop(request: Request, random: Random) -> Answer:
    """50 categories of 100 products, which differ only in a number; each link has its own session id."""
    if request.path in ("/robots.txt", "/sitemap.xml"):
        return MISSING

    def link(path: str) -> str:
        return f'<a href="{path}?visit={token(random, 12)}">{path}</a>'

    path = request.path.partition("?")[0]
    numbers = [int(number) for number in re.findall(r"\d+", path)]
    if path == "/":
        links = [link(f"/category/{n}") for n in range(50)]
    elif path.startswith("/category/"):
        links = [link("/"), *(link(f"/product/{100 * numbers[0] + n}") for n in range(100))]
    else:
        links = [link("/"), link(f"/category/{numbers[0] // 100}")]
    name = f"<h1>Mug {numbers[0]}</h1>" if path.startswith("/product/") else ""
    text = "A mug of stoneware, glazed by hand, safe in the dishwasher. We send it within two days, well packed."
    return Answer(f"<html><title>The mug shop</title><body>{name}<p>{text}</p><p>{' '.join(links)}</p></body></html>")


@pytest.mark.defect("a shop with a new session id in each link was never done", minutes=True)
async def test_f6_a_shop_of_5000_products_that_look_alike_is_crawled_whole_despite_its_session_ids(
    tmp_path: Path,
) -> None:
    random = Random(11)
    async with scripted_site({}, lambda request: shop(request, random)) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "9000", patience=600)
    pages = {path.partition("?")[0] for path in site.paths()}
    assert {f"/product/{n}" for n in range(5_000)} <= pages
    assert len(site.requests) <= 5_051 + MOST_REQUESTS
