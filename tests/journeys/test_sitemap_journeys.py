"""What is found by sitemaps, or where one was looked for and a page lies (D2, D5, F2, X1)."""

from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    MISSING,
    Answer,
    Script,
    ScriptedSite,
    crawl,
    export_rows,
    hondius,
    scripted_site,
)

NAMES_A_PAGE = Answer.robots("Sitemap: http://a.test/de/\n")


def sitemap(*hrefs: str) -> Answer:
    listed = "".join(f"<url><loc>{href}</loc></url>" for href in hrefs)
    return Answer(f"<?xml version='1.0'?><urlset>{listed}</urlset>", headers=(("Content-Type", "application/xml"),))


def list_requests(site: ScriptedSite, host: str) -> list[str]:
    return [request.path for request in site.requests if request.host == host]


@pytest.mark.parametrize("first", ["named", "redirected"])
async def test_d2_a_page_that_was_first_met_as_a_sitemap_is_read_as_the_page_it_is(tmp_path: Path, first: str) -> None:
    """It is asked for once, its links are followed and it is one of the pages, whoever links to it later."""
    script: Script = {
        "/": Answer.page("/list"),
        "/list": Answer.page("/last"),
        "/last": Answer.page("/de/"),
        "/de/": Answer.page("/de/a", "/de/b"),
        "/de/a": Answer.page(head="a"),
        "/de/b": Answer.page(head="b"),
    }
    script |= {"/robots.txt": NAMES_A_PAGE} if first == "named" else {"/sitemap.xml": Answer.redirect("/de/", 302)}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    paths = site.paths()
    assert paths.index("/de/") < paths.index("/last"), "it was not met as a sitemap first"
    assert paths.count("/de/") == 1
    assert {"/de/a", "/de/b"} <= set(paths)
    home = (await export_rows(tmp_path / "c"))["http://a.test/de/"]
    assert (home["state"], home["title"]) == ("completed", "t")
    assert ended.figures["pages"] == 6
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_d2_a_sitemap_that_is_served_as_html_is_a_sitemap_all_the_same(tmp_path: Path) -> None:
    listed = sitemap("http://a.test/only-here")
    script: Script = {
        "/": Answer.page(),
        "/sitemap.xml": Answer(listed.body),
        "/only-here": Answer.page(head="here"),
    }
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert site.paths() == ["/", "/only-here"]
    assert ended.figures["pages"] == 2


async def test_d5_a_page_out_of_scope_that_robots_txt_calls_a_sitemap_is_no_page(tmp_path: Path) -> None:
    script: Script = {
        "a.test/robots.txt": Answer.robots("Sitemap: http://b.test/\n"),
        "a.test/": Answer.page(),
        "b.test/": Answer.page("http://b.test/more", "http://a.test/from-b"),
    }
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert site.paths("b.test") == ["/"]
    assert site.paths("a.test") == ["/"]
    assert ended.figures["pages"] == 1


async def test_x1_no_page_is_a_copy_of_what_was_answered_for_a_sitemap(tmp_path: Path) -> None:
    """Many sites answer with their home page for whatever they do not have."""
    home = Answer.page("/a", "/b")
    script: Script = {"/start": Answer.page("/"), "/": home, "/sitemap.xml": home}
    script |= {path: Answer.page(head=path) for path in ("/a", "/b")}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/start")
    everything = list_requests(site, "a.test")
    assert everything.index("/sitemap.xml") < everything.index("/")
    rows = await export_rows(tmp_path / "c")
    assert {url: row["state"] for url, row in rows.items()} == dict.fromkeys(
        [f"http://a.test/{path}" for path in ("", "a", "b", "start")], "completed"
    )
    assert ended.figures["pages"] == 4


async def test_d5_a_guessed_sitemap_leads_to_no_foreign_host(tmp_path: Path) -> None:
    script: Script = {"a.test/": Answer.page(), "a.test/sitemap.xml": Answer.redirect("http://foreign.test/login", 302)}
    async with scripted_site(script, Answer.page()) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert {request.host for request in site.requests} == {"a.test"}


async def test_d5_what_is_excluded_is_excluded_for_sitemaps_too(tmp_path: Path) -> None:
    robots = Answer.robots("Sitemap: http://a.test/private/map.xml\nSitemap: http://a.test/moved.xml\n")
    script: Script = {
        "/robots.txt": robots,
        "/": Answer.page(),
        "/moved.xml": Answer.redirect("/private/moved.xml"),
    }
    async with scripted_site(script, Answer.page()) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--exclude", "/private/")
    assert sorted(list_requests(site, "a.test")) == ["/", "/moved.xml", "/robots.txt"]


async def test_d2_a_sitemap_that_is_named_may_lie_and_lead_anywhere_and_nothing_else_is_asked_for_there(
    tmp_path: Path,
) -> None:
    script: Script = {
        "a.test/robots.txt": Answer.robots("Sitemap: http://a.test/maps\n"),
        "a.test/": Answer.page(),
        "a.test/maps": Answer.redirect("http://a.test/maps/all.xml"),
        "a.test/maps/all.xml": Answer.redirect("http://files.test/all.xml"),
        "files.test/all.xml": sitemap("http://a.test/only-here", "http://files.test/not-here"),
        "a.test/only-here": Answer.page(head="here"),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert list_requests(site, "files.test") == ["/robots.txt", "/all.xml"]
    assert site.paths("a.test")[-1] == "/only-here"


async def test_d2_a_crawl_of_a_part_of_a_host_reads_the_sitemap_of_the_whole(tmp_path: Path) -> None:
    script: Script = {
        "/docs/": Answer.page(),
        "/sitemap.xml": Answer.redirect("/maps/all.xml.gz"),
        "/maps/all.xml.gz": sitemap("http://a.test/docs/only-here", "http://a.test/elsewhere"),
        "/docs/only-here": Answer.page(head="here"),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/docs/", "--scope", "prefix")
    assert site.paths() == ["/docs/", "/maps/all.xml.gz", "/docs/only-here"]


async def test_f2_seeds_come_before_whatever_a_sitemap_lists(tmp_path: Path) -> None:
    """But for one in eight, by which no class is starved (F1)."""
    listed = [f"http://a.test/listed/{number}" for number in range(50)]
    seeds = [f"http://a.test/seed/{number}" for number in range(20)]
    script: Script = {"/sitemap.xml": sitemap(*listed), "/robots.txt": MISSING}
    async with scripted_site(script, lambda request: Answer.page(head=request.path)) as site:
        await crawl(site, tmp_path / "c", *seeds, "--max-pages", "24", delay="0.05")
    assert {f"/seed/{number}" for number in range(20)} <= set(site.paths())


async def test_r4_a_sitemap_that_is_wanted_again_is_read_as_a_sitemap(tmp_path: Path) -> None:
    script: Script = {
        "/robots.txt": Answer.robots("Sitemap: http://a.test/maps.xml\n"),
        "/": Answer.page(),
        "/maps.xml": sitemap("http://a.test/old"),
        "/old": Answer.page(head="old"),
        "/new": Answer.page(head="new"),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        script["/maps.xml"] = sitemap("http://a.test/old", "http://a.test/new")
        wanted = await hondius("recrawl", tmp_path / "c", "http://a.test/maps.xml")
        assert wanted.status == 0, wanted.error
        again = await hondius("resume", tmp_path / "c", "--json")
        assert again.status == 0, again.error
    assert site.paths().count("/maps.xml") == 2
    assert "/new" in site.paths()


async def test_d1_a_seed_that_is_a_page_stays_a_page(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer("<html><title>t</title><urlset><a href=/1>1</a>")}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    row = (await export_rows(tmp_path / "c"))["http://a.test/"]
    assert (row["state"], row["title"]) == ("completed", "t")
    assert site.paths() == ["/", "/1"]


async def test_d2_a_large_sitemap_is_taken_in_pieces_and_whole(tmp_path: Path) -> None:
    hrefs = [f"http://a.test/{number}" for number in range(2_500)]
    script: Script = {"/map.xml": sitemap(*hrefs)}
    async with scripted_site(script, otherwise=lambda request: Answer(f"<title>{request.path}</title>words")) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/map.xml", "--set", "scope.sitemaps=false")
    assert ended.status == 0, ended.error
    assert sorted(site.paths()) == sorted(["/map.xml", *(href.removeprefix("http://a.test") for href in hrefs)])
    assert ended.figures["pages"] == len(hrefs)


async def test_d2_a_stranger_sends_few_requests_to_another_site_by_robots_txt_index_and_redirects(
    tmp_path: Path,
) -> None:
    """Q2: his robots.txt, his index of several thousand files, and his own sitemaps that redirect there."""
    named = [f"http://victim.test/named/{number}.xml" for number in range(200)]
    own = [f"http://a.test/own/{number}.xml" for number in range(60)]
    listed = [f"http://victim.test/listed/{number}.xml" for number in range(5_000)]
    spread = [f"http://v{number}.test/map.xml" for number in range(300)]
    index = "".join(f"<sitemap><loc>{href}</loc></sitemap>" for href in [*own, *listed, *spread])
    xml = (("Content-Type", "application/xml"),)
    script: Script = {
        "a.test/robots.txt": Answer.robots("".join(f"Sitemap: {href}\n" for href in ["/index.xml", *named])),
        "a.test/index.xml": Answer(f"<sitemapindex>{index}</sitemapindex>", headers=xml),
        "a.test/": Answer.page(),
    }
    script |= {
        f"a.test/own/{number}.xml": Answer.redirect(f"http://victim.test/moved/{number}") for number in range(60)
    }
    async with scripted_site(script, sitemap()) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    at_victim = [path for path in list_requests(site, "victim.test") if path != "/robots.txt"]
    assert len(at_victim) == 20
    assert len([path for path in at_victim if path.startswith("/named")]) == 10
    assert len({request.host for request in site.requests}) <= 12
    assert len([path for path in list_requests(site, "a.test") if path.startswith("/own")]) == 60
    explained = await hondius("explain", tmp_path / "c", "http://a.test/")
    assert ended.figures["refused_more"] == 190 + 4_990 + 300 + 60
    assert "5,540 more links of this host: foreign_sitemaps" in explained.out
