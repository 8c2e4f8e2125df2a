"""Pages that look alike and are not: all of them are fetched (F6)."""

import re
from pathlib import Path

import pytest

from tests.journeys.scripted_site import MISSING, Answer, Request, crawl, scripted_site

IMPATIENT = ("--set", "traps.stale_fetches=5", "--set", "stores.commit_interval=0.02")
BOILERPLATE = "We send it within two days, well packed, and take it back within thirty days without a question. " * 4


def number_of(request: Request) -> int:
    return int((re.findall(r"\d+", request.path) or ["0"])[0])


def product(request: Request) -> str:
    """Only a number in a short block tells one product from the next."""
    return f"<nav><a href='/'>Home</a></nav><h1>Mug {number_of(request)}</h1><p>{BOILERPLATE}</p>"


def listing(request: Request) -> str:
    """Pages of links under one long text; only the links' texts tell them apart."""
    number = number_of(request)
    items = "".join(f"<li><a href='/product/{n}'>Mug {n}</a></li>" for n in range(number * 10, number * 10 + 10))
    return f"<p>{BOILERPLATE}</p><ul>{items}</ul>"


def post(request: Request) -> str:
    """A post of a forum: the quoted one in full, a line of links, and a short answer."""
    quoted = f"<blockquote><p>{BOILERPLATE}</p></blockquote>"
    links = "<p><a href='/reply'>Reply</a> <a href='/quote'>Quote</a> <a href='/report'>Report</a></p>"
    return f"{quoted}{links}<p>Number {number_of(request)} agrees.</p>"


def picture(request: Request) -> str:
    return f"<img src='/images/{number_of(request)}.jpg'>"


@pytest.mark.parametrize("content", [product, listing, post])
async def test_f6_pages_that_differ_in_a_few_words_are_all_fetched(tmp_path: Path, content: object) -> None:
    assert callable(content)

    def answer(request: Request) -> Answer:
        if not request.path.startswith("/page/"):
            return MISSING
        following = f"<a href='/page/{number_of(request) + 1}'>Next</a>" if number_of(request) < 120 else ""
        return Answer(f"<title>The shop</title><body>{content(request)}{following}</body>")

    async with scripted_site({}, answer) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/page/1", *IMPATIENT)
    assert ended.figures["stop_reason"] == "done"
    assert {f"/page/{n}" for n in range(1, 121)} <= set(site.paths())


async def test_f6_pages_without_text_are_told_apart_by_their_titles(tmp_path: Path) -> None:
    def answer(request: Request) -> Answer:
        number = number_of(request)
        if request.path in ("/robots.txt", "/sitemap.xml") or number > 60:
            return MISSING
        return Answer(f"<title>Picture {number}</title><a href='/page/{number + 1}'>{picture(request)}</a>")

    async with scripted_site({}, answer) as site:
        await crawl(site, tmp_path / "c", "http://a.test/page/1", *IMPATIENT)
    assert {f"/page/{n}" for n in range(1, 61)} <= set(site.paths())


async def test_f6_an_honest_part_of_a_site_with_a_trap_is_fetched_whole(tmp_path: Path) -> None:
    """An endless list of one text beside lists that end."""

    def answer(request: Request) -> Answer:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        number, path = number_of(request), request.path.partition("?")[0]
        if path == "/":
            return Answer("<a href='/void?page=1'>a</a> <a href='/news?page=1'>b</a>")
        if path == "/news" and number > 80:
            return MISSING
        text = f"News of day {number}" if path == "/news" else "Nothing here."
        return Answer(f"<title>{path}</title><p>{text}</p><a href='{path}?page={number + 1}'>Next</a>")

    async with scripted_site({}, answer) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *IMPATIENT)
    assert ended.figures["stop_reason"] == "done"
    assert {f"/news?page={n}" for n in range(1, 81)} <= set(site.paths())
    assert len(site.paths()) < 300
