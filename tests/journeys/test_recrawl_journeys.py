"""Fetching again what is known (H4, R4)."""

from pathlib import Path

from tests.journeys.scripted_site import Answer, Request, Script, crawl, exported, hondius, scripted_site

TAGGED = (("Content-Type", "text/html"), ("ETag", '"v1"'), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))


def conditional(request: Request) -> Answer:
    if request.headers.get("if-none-match") == '"v1"':
        return Answer(status=304)
    return Answer("<title>first</title>words", headers=TAGGED)


async def test_h4_a_recrawl_asks_conditionally_and_an_unchanged_page_stays_as_it_was(tmp_path: Path) -> None:
    async with scripted_site({"/": conditional}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        first = (await exported(tmp_path / "c"))["http://a.test/"]
        wanted = await hondius("recrawl", tmp_path / "c", "http://a.test/")
        assert wanted.status == 0, wanted.error
        again = await hondius("resume", tmp_path / "c", "--json")
        assert again.status == 0, again.error
    asked = [request for request in site.requests if request.path == "/"]
    assert len(asked) == 2
    assert asked[1].headers["if-modified-since"] == "Sun, 06 Nov 1994 08:49:37 GMT"
    row = (await exported(tmp_path / "c"))["http://a.test/"]
    assert (row["state"], row["cause"], row["status"], row["title"]) == ("completed", "unchanged", 304, "first")
    assert row["simhash"] == first["simhash"] is not None
    verified = await hondius("verify", tmp_path / "c")
    assert verified.status == 0, verified.out


async def test_r4_a_changed_page_is_kept_anew_and_is_no_copy_of_its_own_past(tmp_path: Path) -> None:
    script: Script = {"/": Answer("<title>old</title>old")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        for title in ("new", "old"):
            script["/"] = Answer(f"<title>{title}</title>{title}")
            await hondius("recrawl", tmp_path / "c", "http://a.test/")
            await hondius("resume", tmp_path / "c", "--json")
            row = (await exported(tmp_path / "c"))["http://a.test/"]
            assert (row["state"], row["title"]) == ("completed", title)
    assert site.paths() == ["/", "/", "/"]
