"""What another host calls a page must not cost the page (F6, U2)."""

from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site

PAGES = range(5)
NO_QUERY = Answer.robots("User-agent: *\nDisallow: /*?")


def make_web(*, home_first: bool) -> Script:
    """Two hosts: one names the pages of the other with a tracking parameter, which that host's robots.txt forbids.

    With `home_first`, the pages are still queued when their home page names them. Otherwise they had their turn."""
    pages = [f"http://a.test/{page}?utm_source=x" for page in PAGES]
    links = ["http://a.test/", *pages] if home_first else [*pages, "http://a.test/"]
    script: Script = {
        "evil.test/": Answer.page(*links),
        "a.test/robots.txt": NO_QUERY,
        "a.test/": Answer.page(*(f"/{page}" for page in PAGES), "/own?utm_source=y"),
    }
    return script | {f"a.test/{page}": Answer(f"<p>page {page}</p>") for page in PAGES}


@pytest.mark.defect("a page that another host named by a forbidden href was blocked, although its own name is allowed")
@pytest.mark.parametrize("home_first", [False, True])
async def test_f6_a_page_that_another_host_names_by_a_forbidden_href_is_fetched_by_its_plain_name(
    tmp_path: Path, home_first: bool
) -> None:
    """B1: no request has the forbidden name, and a name that the host itself gives is not changed."""
    async with scripted_site(make_web(home_first=home_first)) as site:
        ended = await crawl(site, tmp_path / "c", "http://evil.test/", "--scope", "any")
    assert ended.status == 0, ended.error
    assert sorted(path for path in site.paths("a.test") if path != "/sitemap.xml") == ["/", *map("/{}".format, PAGES)]
    rows = await export_rows(tmp_path / "c")
    assert {rows[f"http://a.test/{page}"]["state"] for page in PAGES} == {"completed"}
    assert rows["http://a.test/own?utm_source=y"]["state"] == "blocked"
    for command in ("verify", "audit"):
        checked = await hondius(command, tmp_path / "c")
        assert checked.status == 0, checked.out


async def test_f6_b1_a_page_whose_plain_name_is_forbidden_too_is_blocked(tmp_path: Path) -> None:
    script = make_web(home_first=False) | {"a.test/robots.txt": Answer.robots("User-agent: *\nDisallow: /")}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://evil.test/", "--scope", "any")
    assert ended.status == 0, ended.error
    assert site.paths("a.test") == []
    rows = await export_rows(tmp_path / "c")
    assert {row["state"] for url, row in rows.items() if "a.test" in url} == {"blocked"}
