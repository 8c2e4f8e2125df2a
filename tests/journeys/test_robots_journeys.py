"""robots.txt on the way of real requests (B2-B4)."""

from pathlib import Path

from tests.journeys.scripted_site import Answer, Request, Script, crawl, export_rows, hondius, scripted_site

PAGES: Script = {"/": Answer.page("/open", "/closed/x"), "/open": Answer.page(), "/closed/x": Answer.page()}
CLOSED = Answer.robots("User-agent: *\nDisallow: /closed/\n")


async def test_b3_a_disallowed_url_is_never_sent_and_keeps_its_rule(tmp_path: Path) -> None:
    async with scripted_site({**PAGES, "/robots.txt": CLOSED}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert site.requests[0].path == "/robots.txt"
    assert sorted(site.paths()) == ["/", "/open"]
    row = (await export_rows(tmp_path / "c"))["http://a.test/closed/x"]
    assert (row["state"], row["cause"]) == ("blocked", "robots")


async def test_b2_while_robots_cannot_be_had_nothing_is_sent_and_nothing_ends(tmp_path: Path) -> None:
    async with scripted_site({**PAGES, "/robots.txt": Answer(status=503)}) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert (ended.status, ended.figures["stop_reason"]) == (1, "waiting")  # there never was a good answer (F9)
    assert site.paths() == []
    assert await export_rows(tmp_path / "c") == {}


async def test_b2_the_last_good_copy_is_in_force_across_restarts(tmp_path: Path) -> None:
    kept_short = Answer(CLOSED.body, headers=(("Content-Type", "text/plain"), ("Cache-Control", "max-age=60")))
    async with scripted_site({**PAGES, "/robots.txt": kept_short}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        site.script["/robots.txt"] = Answer(status=500)
        await hondius("resume", tmp_path / "c", "--max-pages", "9", "--json")
    assert sorted(site.paths()) == ["/", "/open"]


async def test_b2_a_robots_redirect_is_followed_across_hosts(tmp_path: Path) -> None:
    script: Script = {
        **PAGES,
        "a.test/robots.txt": Answer.redirect("http://b.test/rules.txt"),
        "b.test/rules.txt": CLOSED,
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert sorted(site.paths("a.test")) == ["/", "/open"]


async def test_b2_too_many_robots_redirects_mean_no_rules(tmp_path: Path) -> None:
    def onwards(request: Request) -> Answer:
        return Answer.redirect(f"/robots.txt?{len(request.path)}{request.path[-1]}")

    script: Script = {**PAGES, "/robots.txt": onwards}
    async with scripted_site(script) as site:
        site.script |= {f"/robots.txt?{n}": Answer.redirect(f"/robots.txt?{n + 1}") for n in range(20)}
        site.script["/robots.txt"] = Answer.redirect("/robots.txt?0")
        await crawl(site, tmp_path / "c", "http://a.test/")
    asked = [request.path for request in site.requests if request.path.startswith("/robots.txt")]
    assert len(asked) == 6
    assert "/closed/x" in site.paths()


async def test_b1_the_group_of_our_own_name_counts_before_the_group_of_all(tmp_path: Path) -> None:
    rules = Answer.robots("User-agent: hondius\nDisallow: /open\n\nUser-agent: *\nDisallow: /closed\n")
    async with scripted_site({**PAGES, "/robots.txt": rules}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert sorted(site.paths()) == ["/", "/closed/x"]


async def test_b4_a_robots_redirect_to_what_another_site_forbids_is_not_followed(tmp_path: Path) -> None:
    script: Script = {
        **PAGES,
        "v.test/robots.txt": CLOSED,
        "a.test/robots.txt": Answer.redirect("http://v.test/closed/rules.txt"),
        "b.test/robots.txt": Answer.redirect("http://v.test/rules.txt"),
        "v.test/rules.txt": Answer.robots(""),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://v.test/")
        await hondius("resume", tmp_path / "c", "http://a.test/", "http://b.test/", "--json")
    assert sorted(site.paths("v.test")) == ["/", "/open", "/rules.txt"]
    assert site.paths("a.test") == []
    assert "/closed/x" in site.paths("b.test")
    told = await hondius("status", tmp_path / "c")
    assert (
        "http://a.test redirects it to http://v.test/closed/rules.txt, which the robots.txt there forbids" in told.out
    )
    assert (await hondius("audit", tmp_path / "c")).status == 0


REDIRECTING = 24


def redirected_here(script: Script, to: str) -> list[str]:
    """Seeds whose robots.txt redirects to `to`, each with a number of its own."""
    names = [f"r{number}.test" for number in range(REDIRECTING)]
    for number, name in enumerate(names):
        script[f"{name}/robots.txt"] = Answer.redirect(f"{to}{number}")
        script[f"{name}/"] = Answer.page()
    return [f"http://{name}/" for name in names]


async def test_f1_redirected_robots_files_do_not_starve_the_pages_of_the_host_they_lead_to(tmp_path: Path) -> None:
    pages = [f"/{number}" for number in range(6)]
    script: Script = {f"v.test{path}": Answer.page() for path in pages}
    seeds = [*redirected_here(script, "http://v.test/robots.txt?"), *(f"http://v.test{path}" for path in pages)]
    async with scripted_site(script, otherwise=Answer.robots("")) as site:
        ended = await crawl(site, tmp_path / "c", *seeds, "--set", "politeness.address_gap=0", delay="0.2")
    assert ended.status == 0, ended.error
    turns = [request.path.startswith("/robots.txt?") for request in site.requests if request.host == "v.test"]
    assert turns.count(True) == REDIRECTING
    last_own = len(turns) - 1 - turns[::-1].index(False)
    own, claims = turns[: last_own + 1].count(False), turns[: last_own + 1].count(True)
    assert own == 2 + len(pages)  # and robots.txt, and the guessed sitemap
    assert own - 6 <= claims <= own + 6, turns  # one after the other; a queue may come late on a busy machine
