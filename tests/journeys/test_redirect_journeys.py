"""Redirects: each hop a URL of its own (H3, D1)."""

from pathlib import Path

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site


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


async def test_b1_a_redirect_to_the_same_url_on_another_origin_is_not_requested_by_the_rules_of_the_first(
    tmp_path: Path,
) -> None:
    """robots.txt forbids the target by its query; cut at the wrong place, its path would look allowed."""
    script: Script = {
        "/robots.txt": Answer(body=b"User-agent: *\nDisallow: /*?\n"),
        "/": Answer.page("/a"),
        "/a": Answer.redirect("http://a.test./a?utm_source=x", 302),
        "/a?utm_source=x": Answer.page(),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    row = (await export_rows(tmp_path / "c"))["http://a.test/a"]
    assert (row["state"], row["cause"]) == ("failed", "same_identity_elsewhere")
    assert "/a?utm_source=x" not in site.paths()


async def test_a_redirect_to_another_scheme_than_http_is_refused(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/f"), "/f": Answer.redirect("file:///etc/passwd")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    row = (await export_rows(tmp_path / "c"))["http://a.test/f"]
    assert (row["state"], row["cause"]) == ("failed", "bad_redirect")
