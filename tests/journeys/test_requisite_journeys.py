"""What pages need to be shown is fetched with them, and leads no further (D7)."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from hondius import open as open_archived
from hondius.native import Identity
from hondius.opening import open_crawl
from hondius.use.sql.limits import Limits
from hondius.use.sql.result import ask
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site

CSS, PNG, FONT = (
    (("Content-Type", "text/css"),),
    (("Content-Type", "image/png"),),
    (("Content-Type", "font/woff2"),),
)
SITE: Script = {
    "a.test/": Answer(
        "<link rel=stylesheet href=/s.css><script src='http://cdn.test/x.js'></script><img src=/i.png>"
        "<a href=/two>two</a><a href=/linked.png>image</a><a href=http://other.test/>out</a>"
    ),
    "a.test/two": Answer("<img src=/linked.png><img src=/private.png><img src=/three><img src=/moved.png>"),
    "a.test/three": Answer("<a href=/four>four</a>"),
    "a.test/four": Answer("<p>four"),
    "a.test/robots.txt": Answer.robots("User-agent: *\nDisallow: /private"),
    "a.test/s.css": Answer("@import '/t.css'; a { b: url(http://cdn.test/f.woff2) }", headers=CSS),
    "a.test/t.css": Answer("c { d: url(/u.png) } e { f: url(/frame.html) }", headers=CSS),
    "a.test/i.png": Answer(b"\x89PNG i", headers=PNG),
    "a.test/linked.png": Answer(b"\x89PNG linked", headers=PNG),
    "a.test/u.png": Answer(b"\x89PNG u", headers=PNG),
    "a.test/moved.png": Answer.redirect("http://cdn.test/moved.png"),
    "cdn.test/moved.png": Answer(b"\x89PNG moved", headers=PNG),
    "cdn.test/x.js": Answer("fetch('/y.js')", headers=(("Content-Type", "text/javascript"),)),
    "cdn.test/f.woff2": Answer(b"wOF2", headers=FONT),
    "cdn.test/robots.txt": Answer.robots("User-agent: *\nDisallow: /none"),
}


async def test_d7_requisites_come_with_their_pages_also_from_other_hosts(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites")
        rows = await export_rows(tmp_path / "crawl", "--kind", "requisite")
        pages = await export_rows(tmp_path / "crawl", "--kind", "page")
    completed = {url for url, row in rows.items() if row["state"] == "completed"}
    assert completed == {
        "http://a.test/s.css",
        "http://a.test/t.css",
        "http://a.test/i.png",
        "http://a.test/u.png",
        "http://a.test/linked.png",
        "http://cdn.test/x.js",
        "http://cdn.test/f.woff2",
        "http://cdn.test/moved.png",
    }
    assert rows["http://a.test/private.png"]["cause"] == "robots"
    assert rows["http://a.test/i.png"]["type"] == "image/png"
    with open_crawl(tmp_path / "crawl") as archived:
        image = archived.catalog.page(Identity().parse("http://a.test/i.png").key)
        assert image is not None
        assert (image["kind"], image["length"], len(image["content_hash"])) == ("requisite", 6, 32)
    assert rows["http://a.test/moved.png"]["state"] == "redirected"
    # A page that is named as an image is still a page, and a host outside the scope is not crawled.
    assert {url for url, row in pages.items() if row["state"] == "completed"} == {
        "http://a.test/",
        "http://a.test/two",
        "http://a.test/three",
        "http://a.test/four",
    }
    assert ended.figures["pages"] == 4
    assert ended.figures["requisites"] == len(rows)
    assert "/sitemap.xml" not in [request.path for request in site.requests if request.host == "cdn.test"]
    assert site.paths("other.test") == []
    assert "/y.js" not in site.paths()
    requested = [(request.host, request.path) for request in site.requests]
    assert len(requested) == len(set(requested))


async def test_d7_requisites_are_among_the_rows_only_if_they_are_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites")
    requisites = set(await export_rows(tmp_path / "crawl", "--kind", "requisite"))
    assert len(requisites) == 11
    assert requisites.isdisjoint(await export_rows(tmp_path / "crawl"))
    both = await export_rows(tmp_path / "crawl", "--kind", "requisite", "--kind", "page")
    assert requisites < set(both)
    await hondius("export", tmp_path / "crawl", "-o", tmp_path / "rows.parquet")
    written = pq.read_table(tmp_path / "rows.parquet").to_pydict()
    assert requisites.isdisjoint(written["url"])
    with open_crawl(tmp_path / "crawl") as archived:
        rows = ask(archived, "SELECT url, kind FROM pages", Limits(seconds=600)).tuples()
        assert requisites.isdisjoint(url for url, _ in rows)
        needed = ask(archived, "SELECT url FROM requisites WHERE kind = 'requisite'", Limits(seconds=600)).tuples()
        assert {url for (url,) in needed} == requisites
    with open_archived(tmp_path / "crawl") as archived:
        assert requisites.isdisjoint(page.url for page in archived.pages(states="any"))
        assert {page.url for page in archived.pages(states="any", kind="requisite")} == requisites
        gone = list(archived.pages(states=["failed", "gone"], kind="requisite"))
        (note,) = [note for note in archived.report().notes if "requisite" in note]
        assert gone
        assert note.startswith(f"{len(gone)} requisite")


async def test_d7_without_the_option_nothing_but_pages_is_requested(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/")
    assert set(site.paths()) == {"/", "/two"}
    assert ended.figures["requisites"] == 0


async def test_d7_the_requisites_of_the_last_page_are_fetched_before_a_crawl_stops(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites", "--max-pages", "1")
    assert (ended.figures["pages"], ended.figures["stop_reason"]) == (1, "max_pages")
    assert set(site.paths()) == {"/", "/s.css", "/t.css", "/i.png", "/u.png", "/x.js", "/f.woff2", "/frame.html"}


async def test_d7_style_sheets_that_import_each_other_for_ever_end(tmp_path: Path) -> None:
    def sheet(request: object) -> Answer:
        number = int(str(getattr(request, "path", "/0")).strip("/").removesuffix(".css"))
        return Answer(f"@import '/{number + 1}.css';", headers=CSS)

    script: Script = {f"/{number}.css": sheet for number in range(40)}
    script["/"] = Answer("<link rel=stylesheet href=/0.css>")
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites")
    assert ended.status == 0
    assert site.paths() == ["/", *(f"/{number}.css" for number in range(6))]


async def test_d7_pictures_that_scripts_name_are_fetched(tmp_path: Path) -> None:
    def script(text: str, kind: str) -> Answer:
        return Answer(text, headers=(("Content-Type", kind),))

    site_script: Script = {
        "/": Answer(
            "<script src=/js/a.js></script><script src=/js/b.js></script><script>x = '/inline.png'</script>"
            "<img src=/out.png onmouseover=\"this.src='over.png'\">"
        ),
        "/js/a.js": script("e.src = `${e.src.slice(0, 3)}plus.png`; load('/c.js'); y = '/two'", "text/javascript"),
        "/js/b.js": script('z = "a{background:url(../d.svg)}"', "application/javascript"),
    }
    for path in ("/inline.png", "/out.png", "/over.png", "/js/plus.png", "/d.svg"):
        site_script[path] = Answer(b"\x89PNG", headers=PNG)
    async with scripted_site(site_script) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites")
    assert set(site.paths()) == set(site_script)


async def test_d4_a_page_that_must_not_be_archived_has_no_requisites(tmp_path: Path) -> None:
    script: Script = {"/": Answer("<meta name=robots content=noarchive><img src=/i.png>")}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites")
    assert site.paths() == ["/"]


async def test_d7_many_queued_pages_hide_no_requisite_when_a_crawl_stops(tmp_path: Path) -> None:
    links = "".join(f"<a href=/page-{number}>x</a>" for number in range(600))
    script: Script = {"/": Answer(f"<link rel=stylesheet href=/s.css>{links}")}
    script["/s.css"] = Answer("@import '/t.css';", headers=CSS)
    script["/t.css"] = Answer("a { b: url(/u.png) }", headers=CSS)
    script["/u.png"] = Answer(b"\x89PNG u", headers=PNG)
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "crawl", "http://a.test/", "--requisites", "--max-pages", "1")
    assert site.paths() == ["/", "/s.css", "/t.css", "/u.png"]
    assert (ended.figures["stop_reason"], ended.figures["queued"]) == ("max_pages", 601)


async def test_d7_style_sheets_that_name_others_without_end_cost_a_page_no_more_than_its_room(
    tmp_path: Path,
) -> None:
    site: Script = {"a.test/": Answer("<link rel=stylesheet href=/s.css>")}
    for one in ("s", *(f"s{first}" for first in range(8)), *(f"s{a}{b}" for a in range(8) for b in range(8))):
        imports = "".join(f"@import '/{one}{number}.css';" for number in range(8))
        site[f"a.test/{one}.css"] = Answer(imports, headers=CSS)
    async with scripted_site(site) as server:
        ended = await crawl(
            server, tmp_path / "crawl", "http://a.test/", "--requisites", "--set", "scope.requisites_per_page=3"
        )
    # There is room for nine: the sheet, and the eight that it names.
    assert ended.figures["requisites"] == 9
    assert "scope.requisites_per_page" in (tmp_path / "crawl" / "crawl.log").read_text()


async def test_d7_pages_that_are_shown_as_pictures_show_no_further_ones_without_end(
    tmp_path: Path,
) -> None:
    site: Script = {
        f"a.test/{number or ''}": Answer(f"<p>{number}<img src=/{2 * number + 1}><img src=/{2 * number + 2}>")
        for number in range(100)
    }
    async with scripted_site(site) as server:
        options = ("--requisites", "--max-pages", "1", "--set", "scope.requisites_per_page=1")
        ended = await crawl(server, tmp_path / "crawl", "http://a.test/", *options)
    assert ended.figures["stop_reason"] == "max_pages"
    assert ended.figures["pages"] == 5
