"""`hondius changes`, `hondius diff` and webhooks, with a site whose pages change (R6)."""

import json
import os
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hondius.use.changes.webhooks import SECRET
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site
from tests.journeys.test_due_journeys import PLAIN, SOON, until_due
from tests.use import webhook_server
from tests.use.webhook_server import serve_webhooks

ROOT = "http://a.test"
TEXT = "The plates of the atlas were bought at an auction, and engraved anew where the names had worn thin. " * 4


def page(price: int, date: str, views: int) -> Answer:
    facts = f"<p>Updated {date}</p><p>{views} views</p><p>Price: {price} EUR</p>"
    return Answer(f"<title>An atlas</title><main><h1>An atlas</h1><p>{TEXT}</p>{facts}</main>")


async def list_changes(directory: Path, *options: str) -> list[dict[str, Any]]:
    ended = await hondius("changes", directory, *options)
    assert ended.status == 0, ended.error
    return [json.loads(line) for line in ended.out.splitlines()]


def shorten(changes: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(change["kind"], change["url"].removeprefix(ROOT)) for change in changes}


async def resume(directory: Path, *urls: str) -> None:
    """When these pages are due."""
    await until_due(await export_rows(directory, "--columns", "url,next_fetch_at"), *(ROOT + url for url in urls))
    ended = await hondius("resume", directory, "--json")
    assert ended.status == 0, ended.error


async def test_r6_changes_are_those_of_the_text_and_diff_shows_them(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    script: Script = {"/": Answer.page("/price", "/date", "/gone")}
    script |= {path: page(10, "3 May 2026", 7) for path in ("/price", "/date", "/gone")}
    async with scripted_site(script) as site:
        first = await crawl(site, directory, f"{ROOT}/", *SOON, *PLAIN)
        assert first.status == 0, first.error
        pages = ("/", "/price", "/date", "/gone")
        new = await list_changes(directory, "--consumer", "reader")
        assert shorten(new) == {("new", path) for path in pages}
        assert len({change["id"] for change in new}) == len(pages)
        script |= {"/price": page(11, "4 May 2026", 8), "/date": page(10, "4 May 2026", 8), "/gone": Answer("", 404)}
        await resume(directory, *pages)
        later = await list_changes(directory, "--consumer", "reader")
        assert shorten(later) == {("changed", "/price")}
        await resume(directory, "/gone")
        script["/gone"] = page(10, "5 May 2026", 9)
        assert shorten(await list_changes(directory, "--consumer", "reader")) == {("gone", "/gone")}
        again = await hondius("recrawl", directory, f"{ROOT}/gone")
        assert again.status == 0, again.error
        await resume(directory)
        assert ("new", "/gone") in shorten(await list_changes(directory, "--consumer", "reader"))
        assert await list_changes(directory, "--consumer", "reader") == []

    everything = await list_changes(directory)
    assert everything[: len(new)] == new
    assert shorten(await list_changes(directory, "--kind", "gone")) == {("gone", "/gone")}
    since = next(change["at"] for change in everything if change["kind"] == "changed")
    assert new[0]["id"] not in {change["id"] for change in await list_changes(directory, "--since", since)}
    feed = await hondius("changes", directory, "--format", "atom")
    assert len(Xml.fromstring(feed.out).findall("{http://www.w3.org/2005/Atom}entry")) == len(everything)

    shown = await hondius("diff", directory, f"{ROOT}/price")
    assert "-Price: 10 EUR" in shown.out.splitlines()
    assert "+Price: 11 EUR" in shown.out.splitlines()
    dates = await hondius("diff", directory, f"{ROOT}/date")
    assert "+Updated 4 May 2026" in dates.out.splitlines()
    assert "nothing of this counts as a change" in dates.error
    as_json = await hondius("diff", directory, f"{ROOT}/price", "--json")
    assert json.loads(as_json.out)["is_change"] is True
    refused = await hondius("diff", directory, f"{ROOT}/unknown")
    assert refused.status == 2, refused.error


async def test_r6_a_running_crawl_sends_its_changes_to_a_webhook(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/a", "/b"), "/a": Answer("one"), "/b": Answer("two")}
    with serve_webhooks() as server, patch.dict(os.environ, {SECRET: webhook_server.SECRET}):
        options = ("--webhook", server.url, "--allow-private", "127.0.0.1", *PLAIN)
        async with scripted_site(script) as site:
            ended = await crawl(site, tmp_path / "c", f"{ROOT}/", *options)
        assert ended.status == 0, ended.error
        assert shorten(server.changes) == {("new", "/"), ("new", "/a"), ("new", "/b")}
        assert [change["id"] for change in server.changes] == [c["id"] for c in await list_changes(tmp_path / "c")]
        assert server.forged == 0
        assert (await hondius("changes", tmp_path / "c", "--send")).status == 0
        assert len(server.changes) == 3


async def test_r6_a_crawl_with_a_webhook_and_no_secret_is_refused_before_it_begins(tmp_path: Path) -> None:
    async with scripted_site({}) as site:
        ended = await crawl(site, tmp_path / "c", f"{ROOT}/", "--webhook", "https://example.com/hook")
    assert ended.status == 2
    assert SECRET in ended.error
    assert not site.requests
