"""`hondius report` and `crawl.report()`: what was crawled, and what is wrong with the sites (O1)."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec import structs

import hondius
from hondius.errors import BadSetting, WrongUse
from hondius.opening import open_crawl
from hondius.operate.cli import main
from hondius.use.report import CrawlReport, make_report, render_report
from hondius.use.report.charts import find_round_top, format_width
from hondius.use.report.counts import find_primary_language, find_size
from hondius.use.report.facts import LinkingPage
from hondius.use.report.timeline import MOST_BUCKETS, TimelineCounter
from tests.journeys.scripted_site import Answer, Script
from tests.python.sites import make_page
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

EVIL = "<script>alert(1)</script>"
SAME = Answer("<html lang=en-GB><title>t</title><body>the same words on two pages")
SITE: Script = {
    "/robots.txt": Answer.robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /private\n"),
    "/": Answer(
        '<html lang=de><title>Start</title><a href="/gone">lost page</a><a href="/gone">again</a><a href="/gone"></a>'
        '<a href="/good">good</a><a href="/old">old</a><a href="/to-nowhere">moved away</a><a href="/private">x</a>'
        f'<a href="/{EVIL}">{EVIL}&#x202e;</a><a href="http://b.test/">other host</a>'
    ),
    "a.test/good": make_page("good", "/gone", "/copy-1", "/copy-2"),
    "/old": Answer.redirect("/older"),
    "/older": Answer.redirect("/oldest", 302),
    "/oldest": make_page("oldest"),
    "/to-nowhere": Answer.redirect("/nowhere"),
    "/copy-1": SAME,
    "/copy-2": SAME,
    "b.test/": make_page("the other host", "/missing", "http://a.test/gone"),
}


@pytest.fixture(scope="module", params=WORLDS)
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("reported")) as name:
        crawl_in_process(name, SITE, "--scope", "any")
        yield name


@pytest.fixture
def report(crawled: Path) -> CrawlReport:
    with open_crawl(crawled) as crawl:
        return make_report(crawl)


def test_o1_totals_and_outcomes_are_those_of_the_crawl(crawled: Path, report: CrawlReport) -> None:
    with hondius.open(crawled) as crawl:
        states = crawl.summary().states
        assert report.totals.urls == len(crawl)
        assert report.totals.pages == crawl.pages(noindex=True).count() == states["completed"] + states["duplicate"]
        assert report.totals.hosts == crawl.summary().hosts
        assert report.totals.requests == crawl.summary().requests
    by_state: dict[str, int] = {}
    for outcome in report.outcomes:
        by_state[outcome.state] = by_state.get(outcome.state, 0) + outcome.urls
    assert by_state == {state: count for state, count in states.items() if count}
    assert next(one.words for one in report.outcomes if one.cause == "http_404") == "there is no such page"
    assert sum(bucket.pages for bucket in report.timeline.buckets) == sum(one.pages for one in report.statuses) + (
        report.totals.sitemaps
    )


def test_o1_each_broken_link_is_named_with_the_pages_that_have_it(report: CrawlReport) -> None:
    broken = {target.url: target for target in report.broken_links.listed}
    gone = broken["http://a.test/gone"]
    assert (gone.status, gone.words, gone.pages) == (404, "there is no such page", 3)
    assert {(source.url, source.anchor) for source in gone.sources} == {
        ("http://a.test/", "lost page"),
        ("http://a.test/good", "/gone"),
        ("http://b.test/", "http://a.test/gone"),
    }
    assert set(broken) == {
        "http://a.test/gone",
        "http://a.test/nowhere",
        "http://b.test/missing",
        "http://a.test/%3Cscript%3Ealert(1)%3C/script%3E",
    }
    assert broken["http://a.test/nowhere"].via == "http://a.test/to-nowhere"
    assert (report.broken_links.targets, report.broken_links.links, report.broken_links.pages) == (4, 6, 3)
    assert (report.broken_links.pages_read, report.broken_links.pages_unread) == (report.totals.pages, 0)


def test_o1_chains_of_redirects_are_followed_to_their_end(report: CrawlReport) -> None:
    redirects = report.redirects
    assert (redirects.urls, redirects.chains, redirects.longest, redirects.to_failures) == (3, 1, 2, 1)
    assert {count.name: count.pages for count in redirects.statuses} == {"301": 2, "302": 1}
    first = redirects.listed[0]
    assert [url.rpartition("/")[2] for url in first.urls] == ["old", "older", "oldest"]
    assert (first.status, first.end, first.pages) == (301, "completed", 1)
    assert next(one for one in redirects.listed if one.urls[0].endswith("to-nowhere")).end == "failed"


def test_x1_copies_are_listed_by_their_original(report: CrawlReport) -> None:
    (copied,) = report.copies.listed
    assert (report.copies.pages, copied.copies) == (1, 1)
    assert {copied.url, *copied.examples} == {"http://a.test/copy-1", "http://a.test/copy-2"}


def test_w3_an_export_leaves_out_as_many_pages_as_the_report_says(crawled: Path, report: CrawlReport) -> None:
    with hondius.open(crawled) as crawl:
        left_out = {
            wish.use: crawl.pages(noindex=True).count() - crawl.pages(noindex=True, purpose=wish.use).count()
            for wish in report.wishes
        }
    assert {wish.use: wish.reserved for wish in report.wishes} == left_out
    train = next(wish for wish in report.wishes if wish.use == "ai-train")
    assert train.reserved == report.totals.pages == train.signals["robots content-signal"]
    assert next(wish for wish in report.wishes if wish.use == "search").allowed == report.totals.pages


def test_o1_languages_types_and_sizes_are_counted(report: CrawlReport) -> None:
    languages = {count.name: count.pages for count in report.languages}
    assert (languages["de"], languages["en"]) == (1, 2)
    assert [(count.name, count.pages) for count in report.types] == [("text/html", report.totals.pages)]
    assert sum(count.pages for count in report.sizes) == report.totals.pages
    assert report.politeness.blocked == 1


def test_o1_a_report_can_be_about_one_host(crawled: Path) -> None:
    with open_crawl(crawled) as crawl:
        report = make_report(crawl, ["b.test"])
        assert (report.totals.urls, report.totals.hosts, report.totals.requests) == (2, 1, None)
        assert {target.url for target in report.broken_links.listed} == {
            "http://b.test/missing",
            "http://a.test/gone",
        }
        assert [target.pages for target in report.broken_links.listed] == [1, 1]
        assert [host.host for host in report.slow_hosts] == ["b.test"]
        with pytest.raises(BadSetting, match="no host"):
            make_report(crawl, ["b.test/path"])
        with pytest.raises(BadSetting, match="1 to"):
            make_report(crawl, most=0)


def test_o1_lists_are_cut_and_counts_are_not(crawled: Path, report: CrawlReport) -> None:
    with open_crawl(crawled) as crawl:
        short = make_report(crawl, most=1)
    assert [target.url for target in short.broken_links.listed] == ["http://a.test/gone"]
    assert short.broken_links.targets == report.broken_links.targets
    assert "1 of 4 are shown" in render_report(short)


class Elements(HTMLParser):
    """Every element of a page, and whether all are closed in order."""

    VOID = frozenset({"meta", "br", "line", "rect", "circle"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action", "data")]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag, tag


def test_q2_the_page_runs_nothing_and_requests_nothing_whatever_a_site_wrote(report: CrawlReport) -> None:
    page = render_report(report)
    elements = Elements(page)
    assert elements.open == []
    assert not elements.names & {"script", "img", "iframe", "link", "object", "form", "base"}
    assert all(link.startswith(("#", "http://a.test/", "http://b.test/")) for link in elements.links)
    assert "default-src 'none'" in page
    assert EVIL not in page
    assert "\u202e" not in page
    assert "@import" not in page
    assert "url(" not in page


@pytest.mark.parametrize(
    ("pages", "words"),
    [(3, None), (4, "1 other page"), (8, "5 other pages"), (30, "5 of 27 other pages")],
)
def test_o1_a_click_shows_more_pages_that_have_a_broken_link(
    report: CrawlReport, pages: int, words: str | None
) -> None:
    sources = [LinkingPage(f"http://a.test/{number}", "x", "anchor") for number in range(min(pages, 8))]
    target = structs.replace(report.broken_links.listed[0], pages=pages, sources=sources)
    page = render_report(structs.replace(report, broken_links=structs.replace(report.broken_links, listed=[target])))
    assert re.findall(r"<summary>(.*?)</summary>", page) == ([] if words is None else [words])


def test_o1_the_page_has_a_chart_and_every_section(report: CrawlReport) -> None:
    page = render_report(report)
    assert page.count("<svg") == 1
    linked = set(re.findall(r'href="#([a-z]+)"', page))
    assert linked == set(re.findall(r'<section id="([a-z]+)"', page))
    for words in ("there is no such page", "lost page", "→", "left out", "prefers-color-scheme: dark", "@media print"):
        assert words in page


def test_o1_the_command_writes_a_page_and_the_same_facts_as_json(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert main.run(["report", str(crawled), "-o", str(page), "--json"]) == 0
    output, errors = capsys.readouterr()
    assert f"wrote the report on {crawled} to {page}" in errors
    assert page.read_text().startswith("<!doctype html>")
    facts = json.loads(output)
    with hondius.open(crawled) as crawl:
        expected = crawl.report().to_dict()
    assert facts["broken_links"] == expected["broken_links"]
    assert facts["redirects"] == expected["redirects"]
    assert facts["totals"] == expected["totals"]


def test_o1_the_command_tells_the_most_important_facts(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["report", str(crawled)]) == 0
    shown = capsys.readouterr().out
    assert "broken links: 6 on 3 pages, to 4 URLs" in shown
    assert "http://a.test/nowhere (by a redirect from http://a.test/to-nowhere): there is no such page" in shown
    assert re.search(r"linked by http://[ab].test/\S* \(.+\), and 2 other pages", shown)
    assert main.run(["report", str(crawled), "--check"]) == 1


def test_o1_a_host_that_the_crawl_does_not_know_is_refused(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("c.test", "*.b.test"):
        assert main.run(["report", str(crawled), "--host", "a.test", "--host", host, "--check"]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert f"no URL of {host} has ended in {crawled}: check the spelling of --host" in printed.err


def test_o2_a_report_in_python_refuses_a_host_that_the_crawl_does_not_know(crawled: Path) -> None:
    with hondius.open(crawled) as crawl:
        with pytest.raises(WrongUse, match=r"no URL of zz\.test has ended in .*: check the spelling of host$"):
            crawl.report(host="zz.test")
        with pytest.raises(WrongUse, match=r"no URL of zz\.test has ended"):
            crawl.report(host=["a.test", "zz.test"])


def test_o1_a_list_of_broken_links_that_is_cut_says_how_many_entries_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Redirects to one failed URL are entries of their own."""
    paths = [f"/r{number}" for number in range(11)]
    site: Script = {"/": Answer.page(*paths, "/gone"), **{path: Answer.redirect("/gone") for path in paths}}
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, site)
        assert main.run(["report", str(name)]) == 0
        assert "… 10 of 12: -o report.html and --json list more" in capsys.readouterr().out
        with hondius.open(name) as crawl:
            broken = crawl.report(most=5).broken_links
            assert "5 of 12 are shown" in crawl.report(most=5).to_html()
    assert (broken.targets, broken.linked, len(broken.listed)) == (1, 12, 5)


def test_o1_a_report_is_not_written_under_the_name_of_another_format(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["report", str(crawled), "-o", str(tmp_path / "report.pdf")]) == 2
    assert "a report is an HTML file, not .pdf" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


async def test_o2_a_program_with_an_event_loop_gets_the_same_report(crawled: Path, report: CrawlReport) -> None:
    async with hondius.open_async(crawled) as crawl:
        assert (await crawl.report(host="a.test")).selected_hosts == ["a.test"]
        assert (await crawl.report()).broken_links == report.broken_links


def test_o1_a_lost_link_segment_is_told_and_costs_nothing_else(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, SITE, "--scope", "any")
        for segment in (name / "links").iterdir():
            segment.write_bytes(segment.read_bytes()[:40])
        with open_crawl(name) as crawl:
            report = make_report(crawl)
    assert report.broken_links.links == 0
    assert report.broken_links.pages_unread == report.totals.pages
    assert "are not stored, or cannot be read" in render_report(report)


def test_o1_a_crawl_without_a_page_has_a_report(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, {"/": Answer.page()}, "--max-pages", "1")
        with open_crawl(name) as crawl:
            report = make_report(crawl, ["other.test"])
    assert Elements(render_report(report)).open == []
    assert report.timeline.buckets == []


def test_the_buckets_of_a_time_line_grow_with_its_span() -> None:
    counter = TimelineCounter()
    for second in range(0, 400_000, 100):
        counter.add(1_800_000_000.0 + second, 10)
    line = counter.make_timeline()
    assert len(line.buckets) <= MOST_BUCKETS
    assert sum(bucket.pages for bucket in line.buckets) == 4_000
    assert sum(bucket.wire_bytes for bucket in line.buckets) == 40_000
    assert all(bucket.at % line.width == 0 for bucket in line.buckets)
    counter.add(0.0, 1)
    counter.add(2.4e11, 1)
    assert len(counter.make_timeline().buckets) <= MOST_BUCKETS


@pytest.mark.parametrize(("largest", "top"), [(0, 2), (2, 2), (3, 4), (9, 10), (61, 80), (100, 100), (101, 200)])
def test_an_axis_ends_at_a_round_number(largest: int, top: int) -> None:
    assert find_round_top(largest) == top


def test_words_of_the_report() -> None:
    assert [find_primary_language(tag) for tag in ("en-GB", "EN_us", "de", "")] == ["en", "en", "de", ""]
    assert [find_size(length) for length in (0, 1, 1_000, 1_001, 10**9)] == [
        "empty",
        "up to 1 KB",
        "up to 1 KB",
        "1 to 10 KB",
        "over 10 MB",
    ]
    assert [format_width(width) for width in (1, 10, 60, 1_800, 3_600, 172_800)] == [
        "a second",
        "10 seconds",
        "a minute",
        "30 minutes",
        "an hour",
        "2 days",
    ]
