"""Redirects: each hop a URL of its own (H3, D1)."""

from pathlib import Path

from tests.journeys.scripted_site import MISSING, Answer, Request, Script, crawl, export_rows, hondius, scripted_site


async def test_d1_a_seed_that_redirects_takes_the_scope_along(tmp_path: Path) -> None:
    script: Script = {
        "example.test/": Answer.redirect("http://www.example.test/"),
        "www.example.test/": Answer.page("/more", "http://other.test/"),
        "www.example.test/more": Answer.page(),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://example.test/")
    assert site.paths("www.example.test") == ["/", "/more"]
    assert site.paths("other.test") == []


async def test_u1_a_host_that_looks_like_punycode_is_crawled_like_any_other(tmp_path: Path) -> None:
    """B1, D5, S3: its robots.txt, scope, archive too."""
    script: Script = {
        "a.test/": Answer.redirect("http://XN--a.test/"),
        "xn--a.test/robots.txt": Answer("User-agent: *\nDisallow: /no", headers=(("Content-Type", "text/plain"),)),
        "xn--a.test/": Answer.page("more", "no"),
        "xn--a.test/more": Answer.page(),
    }
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert ended.status == 0, ended.error
    assert site.paths("xn--a.test") == ["/", "/more"]
    assert (await export_rows(tmp_path / "c"))["http://xn--a.test/no"]["state"] == "blocked"
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_h3_a_redirect_out_of_scope_is_not_followed(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/away"), "/away": Answer.redirect("http://other.test/")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert site.paths("other.test") == []
    assert (await export_rows(tmp_path / "c"))["http://a.test/away"]["state"] == "redirected"


async def test_h3_headers_for_one_host_never_reach_another(tmp_path: Path) -> None:
    script: Script = {"a.test/": Answer.redirect("http://b.test/"), "b.test/": Answer.page()}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--header", "a.test|Authorization: Bearer secret")
    seen = {request.host: request.headers.get("authorization") for request in site.requests if request.path == "/"}
    assert seen == {"a.test": "Bearer secret", "b.test": None}


async def test_h3_a_redirect_that_only_drops_a_session_id_is_the_same_url_under_its_new_name(tmp_path: Path) -> None:
    script: Script = {
        "/": Answer.page("/x?PHPSESSID=0123456789abcdef0123456789abcdef"),
        "/x?PHPSESSID=0123456789abcdef0123456789abcdef": Answer.redirect("/x", 302),
        "/x": Answer.page("/y"),
        "/y": Answer.page(),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    rows = await export_rows(tmp_path / "c")
    assert site.paths()[-1] == "/y"
    assert {row["state"] for row in rows.values()} == {"completed"}


async def test_a_redirect_to_another_scheme_than_http_is_refused(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/f"), "/f": Answer.redirect("file:///etc/passwd")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    row = (await export_rows(tmp_path / "c"))["http://a.test/f"]
    assert (row["state"], row["cause"]) == ("failed", "bad_redirect")


DISALLOWED = Answer.robots("User-agent: *\nDisallow: /")


async def test_b1_a_redirect_to_the_same_url_on_another_origin_obeys_the_robots_txt_of_that_origin(
    tmp_path: Path,
) -> None:
    """H3, N2, P1: a final dot or `www.` makes another origin, with its own rules, clock and address."""
    script: Script = {
        "dot.test/robots.txt": Answer.robots("User-agent: *\nDisallow: /*?"),
        "dot.test./robots.txt": Answer.robots("User-agent: *\nDisallow: /*?"),
        "dot.test/a": Answer.redirect("http://dot.test./a?utm_source=x"),
        "closed.test/a": Answer.redirect("http://www.closed.test/a"),
        "www.closed.test/robots.txt": DISALLOWED,
        "open.test/a": Answer.redirect("http://www.open.test/a"),
        "www.open.test/a": Answer.page("/b"),
        "www.open.test/b": Answer.page(),
    }
    hosts = ("dot.test", "closed.test", "open.test")
    async with scripted_site(script) as site:
        seeds = [f"http://{host}/a" for host in hosts]
        ended = await crawl(site, tmp_path / "c", *seeds, "--set", "identity.drop_www=true")
    assert ended.status == 0, ended.error
    assert {host: site.paths(host) for host in hosts} == {host: ["/a"] for host in hosts}
    assert site.paths("dot.test.") == site.paths("www.closed.test") == []
    assert site.paths("www.open.test") == ["/a", "/b"]
    rows = await export_rows(tmp_path / "c")
    assert {row["state"] for url, row in rows.items() if "open" in url} == {"completed"}
    assert {row["cause"] for url, row in rows.items() if "open" not in url} == {"robots"}
    for command in ("audit", "verify"):
        checked = await hondius(command, tmp_path / "c")
        assert checked.status == 0, checked.out


async def test_b4_a_redirect_to_the_same_url_on_a_blacklisted_host_is_not_followed(tmp_path: Path) -> None:
    script: Script = {"w.test/": Answer.page("/p"), "w.test/p": Answer.redirect("http://www.w.test/p")}
    async with scripted_site(script) as site:
        drop_www = ("--set", "identity.drop_www=true")
        await crawl(site, tmp_path / "c", "http://w.test/", *drop_www, "--scope", "any", "--max-pages", "1")
        await hondius("blacklist", tmp_path / "c", "www.w.test")
        await hondius("resume", tmp_path / "c", "--max-pages", "100")
    assert {request.host for request in site.requests} == {"w.test"}
    (row,) = [row for url, row in (await export_rows(tmp_path / "c")).items() if url.endswith("/p")]
    assert (row["state"], row["cause"]) == ("refused", "blacklisted")


async def test_h3_two_origins_that_redirect_the_same_url_to_each_other_end_after_a_few_hops(tmp_path: Path) -> None:
    def answer(request: Request) -> Answer:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        other = "loop.test" if request.host == "loop.test." else "loop.test."
        return Answer.redirect(f"http://{other}/?utm_source={request.at}")

    async with scripted_site({}, otherwise=answer) as site:
        await crawl(site, tmp_path / "c", "http://loop.test/")
    assert len(site.paths()) == 6
    rows = await export_rows(tmp_path / "c")
    assert [row["cause"] for row in rows.values()] == ["too_many_redirects"]
