"""What one host links to never costs another host its own pages (F6, D5)."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    MISSING,
    Answer,
    Ended,
    Request,
    Script,
    ScriptedSite,
    crawl,
    export_rows,
    hondius,
    scripted_site,
)

ITEMS = [f"/item/{number}" for number in range(1, 61)]
SOON = ("--set", "stores.commit_interval=0.01")
"""Commits often, so that a wrong verdict would take effect in time."""
SLOWLY = 0.01


def item(request: Request) -> Answer:
    return Answer(f"<title>{request.path}</title><p>{f'All about {request.path}. ' * 20}</p>")


def shop(stranger: Answer, otherwise: Answer = MISSING) -> tuple[Script, Callable[[Request], Answer]]:
    """A shop that links to its items by a chain of lists, so that the stranger's links are fetched first."""
    script: Script = {"shop.test/": Answer.page("/list/a", head="<!-- shop -->"), "stranger.test/": stranger}
    for here, then in zip("abcdefg", "bcdefgh", strict=True):
        script[f"shop.test/list/{here}"] = Answer(f'<title>{here}</title>{here} <a href="/list/{then}">{then}</a>')
    script["shop.test/list/h"] = Answer.page(*ITEMS)

    def answer(request: Request) -> Answer:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        return replace(item(request) if request.path in ITEMS else otherwise, delay=SLOWLY)

    return script, answer


async def crawl_both(site: ScriptedSite, into: Path, *arguments: str) -> Ended:
    return await crawl(site, into, "http://shop.test/", "http://stranger.test/", *SOON, *arguments)


def junk(count: int) -> list[str]:
    return [f"http://shop.test/item/{number}" for number in range(900_000, 900_000 + count)]


GONE = Answer("<title>Oops</title><p>This item is gone, see our other offers.</p>")


@pytest.mark.defect("links of a stranger to pages that do not exist lost a host its own pages")
@pytest.mark.parametrize("otherwise", [MISSING, GONE], ids=["404", "soft 404"])
async def test_f6_links_of_a_stranger_to_what_does_not_exist_cost_a_host_no_page(
    tmp_path: Path, otherwise: Answer
) -> None:
    script, answer = shop(Answer.page(*junk(300)), otherwise)
    async with scripted_site(script, answer) as site:
        ended = await crawl_both(site, tmp_path / "c")
    asked = site.paths("shop.test")
    assert set(ITEMS) <= set(asked)
    assert ended.figures["stop_reason"] == "done"
    assert len([path for path in asked if path.startswith("/item/9000")]) < 200
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


@pytest.mark.defect("links of a stranger that lead to missing pages by a redirect lost a host its own pages")
async def test_f6_links_of_a_stranger_that_are_redirected_to_what_does_not_exist_cost_a_host_no_page(
    tmp_path: Path,
) -> None:
    script, answer = shop(Answer.page(*(href.replace("/item/", "/go/") for href in junk(100))))

    def answer_or_redirect(request: Request) -> Answer:
        if request.path.startswith("/go/"):
            return Answer.redirect(request.path.replace("/go/", "/item/"))
        return answer(request)

    async with scripted_site(script, answer_or_redirect) as site:
        await crawl_both(site, tmp_path / "c")
    assert set(ITEMS) <= set(site.paths("shop.test"))


@pytest.mark.defect("a page that a stranger named before its own host did was refused for the stranger's other links")
async def test_f6_a_page_that_a_stranger_names_first_is_fetched_when_its_own_host_names_it(tmp_path: Path) -> None:
    named = [f"http://shop.test{path}" for path in ITEMS]
    script, answer = shop(Answer.page(*junk(200), *named))
    async with scripted_site(script, answer) as site:
        await crawl_both(site, tmp_path / "c")
    assert set(ITEMS) <= set(site.paths("shop.test"))
    assert sorted(site.paths("shop.test")) == sorted(set(site.paths("shop.test")))
    rows = await export_rows(tmp_path / "c")
    assert {rows[href]["state"] for href in named} == {"completed"}
    assert (await hondius("verify", tmp_path / "c")).status == 0
    assert (await hondius("rebuild", tmp_path / "c")).status == 0
    assert (await hondius("verify", tmp_path / "c")).status == 0


@pytest.mark.defect("copies of a host's pages on another host lost it its other pages")
async def test_f6_copies_of_its_pages_on_another_host_cost_a_host_no_page(tmp_path: Path) -> None:
    script, answer = shop(Answer.page(*ITEMS[:55]))
    async with scripted_site(script, answer) as site:
        await crawl_both(site, tmp_path / "c")
    assert set(ITEMS[:55]) <= set(site.paths("stranger.test"))
    assert set(ITEMS) <= set(site.paths("shop.test"))


@pytest.mark.defect("more URLs of a shape than a host may have, all named by a stranger, left no room for its own")
async def test_f6_a_stranger_does_not_use_up_the_urls_of_a_shape(tmp_path: Path) -> None:
    script, answer = shop(Answer.page(*junk(300)))
    async with scripted_site(script, answer) as site:
        await crawl_both(site, tmp_path / "c", "--set", "traps.max_urls_per_shape=100")
    assert set(ITEMS) <= set(site.paths("shop.test"))


async def test_f6_a_trap_of_two_hosts_that_link_to_each_other_ends(tmp_path: Path) -> None:
    def trap(request: Request) -> Answer:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        other = "b.test" if request.host == "a.test" else "a.test"
        number = int(re.sub(r"\D", "", request.path) or 1)
        links = "".join(f'<a href="http://{other}/room/{3 * number + n}">on</a>' for n in range(3))
        return replace(Answer(f"<title>room</title><p>The same room again.</p>{links}"), delay=SLOWLY)

    async with scripted_site({}, trap) as site:
        arguments = (*SOON, "--max-pages", "3000")
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "http://b.test/", *arguments)
    assert ended.figures["stop_reason"] == "done"
    assert len(site.paths()) < 1_500


@pytest.mark.defect("names that do not exist used up the hosts that a domain may have")
async def test_d5_names_that_do_not_exist_are_no_hosts_of_their_domain(tmp_path: Path) -> None:
    real = [f"s{number}.shop.test" for number in range(5)]
    script: Script = {
        "stranger.test/": Answer.page(*(f"http://j{number}.shop.test/" for number in range(30))),
        "www.shop.test/": Answer.page("/a"),
        "www.shop.test/a": Answer.page("/b", head="<!-- a -->"),
        "www.shop.test/b": Answer.page(*(f"http://{name}/" for name in real)),
        **{f"{name}/": Answer.page(head=f"<!-- {name} -->") for name in real},
    }
    async with scripted_site(script) as site:
        names = ["stranger.test", "www.shop.test", *real]
        resolve = [part for name in names for part in ("--resolve", f"{name}=127.0.0.1:{site.port}")]
        seeds = ("http://stranger.test/", "http://www.shop.test/")
        limit = ("--scope", "any", "--set", "scope.max_hosts_per_domain=10")
        ended = await hondius("crawl", *seeds, "--into", tmp_path / "c", "--delay", "0", *resolve, *limit, "--json")
    assert {request.host for request in site.requests} == set(names)
    assert ended.figures["stop_reason"] == "done"


REAL = [f"s{number}.shop.test" for number in range(5)]


def shop_of_many_hosts(named_by_stranger: list[str]) -> Script:
    """`www.shop.test` names the other hosts of the shop on its third page. Every name below `shop.test` resolves."""
    return {
        "stranger.test/": Answer.page(*(f"http://{name}/" for name in named_by_stranger)),
        "www.shop.test/": Answer.page("/a"),
        "www.shop.test/a": Answer.page("/b", head="<!-- a -->"),
        "www.shop.test/b": Answer.page(*(f"http://{name}/" for name in REAL)),
        **{f"{name}/": Answer.page("/more", head=f"<!-- {name} -->") for name in named_by_stranger + REAL},
        **{f"{name}/more": Answer.page(head=f"<!-- more of {name} -->") for name in named_by_stranger + REAL},
    }


JUNK = [f"aaa{number}.shop.test" for number in range(30)]


@pytest.mark.defect("links of a stranger to invented hosts of a domain used up the hosts that the domain may have")
@pytest.mark.parametrize("named", [JUNK, [*JUNK, *REAL]], ids=["invented hosts", "its own, too"])
async def test_d5_hosts_that_only_strangers_name_cost_a_domain_none_of_its_own(
    tmp_path: Path, named: list[str]
) -> None:
    limit = ("--scope", "any", "--set", "scope.max_hosts_per_domain=8")
    async with scripted_site(shop_of_many_hosts(named)) as site:
        ended = await crawl(site, tmp_path / "c", "http://stranger.test/", "http://www.shop.test/", *SOON, *limit)
        asked = {request.host for request in site.requests}
        assert set(REAL) <= asked
        assert len(asked & set(JUNK)) <= 8
        assert ended.figures["stop_reason"] == "max_hosts_per_domain"
        await hondius("resume", tmp_path / "c", "--json")
        assert {request.host for request in site.requests} == asked, "a restart counts them in the same way"
    assert (await hondius("verify", tmp_path / "c")).status == 0
