"""What another host calls a page must not cost the page (F6, U2)."""

from pathlib import Path

import pytest

from tests.journeys.scripted_site import MISSING, Answer, Script, crawl, export_rows, hondius, scripted_site

PAGES = range(5)
HOSTS = ("robots.test", "forbidden.test", "session.test", "dot.test")
SPELLINGS = (
    "http://robots.test/{}?utm_source=x",
    "http://forbidden.test/{}?PHPSESSID=../../etc/passwd",
    "http://session.test/{};jsessionid=0123456789abcdef0123456789abcdef",
    "http://dot.test./{}",
)
EVIL = Answer.page(*(spelling.format(page) for spelling in SPELLINGS for page in PAGES))


@pytest.mark.parametrize("wait", [0.0, 0.7])
async def test_f6_a_page_that_another_host_misspells_is_fetched_by_the_name_that_its_own_host_gives_it(
    tmp_path: Path, wait: float
) -> None:
    """Whether the pages are still queued when their home page names them, or have ended."""
    script: Script = {
        "evil.test/": EVIL,
        "robots.test/robots.txt": Answer.robots("User-agent: *\nDisallow: /*?"),
        "robots.test./robots.txt": Answer.robots("User-agent: *\nDisallow: /*?"),
    }
    for host in HOSTS:
        home = Answer.page(*(f"/{page}" for page in PAGES))
        script[f"{host}/"] = Answer(home.body, delay=wait)
        script |= {f"{host}/{page}": Answer(f"<p>page {page} of {host}</p>") for page in PAGES}
    script |= {f"forbidden.test/{page}?PHPSESSID=../../etc/passwd": Answer("no", 403) for page in PAGES}
    seeds = ["http://evil.test/", *(f"http://{host}/" for host in HOSTS)]
    async with scripted_site(script, MISSING) as site:
        ended = await crawl(site, tmp_path / "c", *seeds, "--scope", "any", "--set", "politeness.address_gap=0")
    assert ended.status == 0, ended.error
    rows = await export_rows(tmp_path / "c")
    missing = [f"http://{host}/{page}" for host in HOSTS for page in PAGES]
    assert [url for url in missing if rows.get(url, {}).get("state") != "completed"] == []
    assert max(site.paths(host).count(f"/{page}") for host in HOSTS for page in PAGES) == 1
    for command in ("verify", "audit"):
        checked = await hondius(command, tmp_path / "c")
        assert checked.status == 0, checked.out


async def test_f6_a_page_that_is_missing_by_both_names_is_requested_once_by_each(tmp_path: Path) -> None:
    script: Script = {
        "evil.test/": Answer.page("http://a.test/gone?utm_source=x", "http://a.test/dead"),
        "a.test/": Answer(Answer.page("/gone", "/dead", "/more").body, delay=0.5),
        "a.test/more": Answer.page("/gone?utm_source=y", "/gone?utm_source=z", "/gone?utm_source=x", "/dead"),
    }
    async with scripted_site(script) as site:
        seeds = ("http://evil.test/", "http://a.test/")
        await crawl(site, tmp_path / "c", *seeds, "--scope", "any", "--set", "politeness.address_gap=0")
    assert site.paths("a.test").count("/dead") == 1
    assert len([path for path in site.paths("a.test") if path.startswith("/gone")]) <= 2
    explained = await hondius("explain", tmp_path / "c", "http://a.test/gone?utm_source=q")
    assert "it was crawled as http://a.test/gone, which" in explained.out
