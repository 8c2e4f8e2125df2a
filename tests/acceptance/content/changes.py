"""Changes (R6): of a site where 5 % of the pages change in text, `changes` lists exactly these. A receiver that is down
for an hour gets all changes, in order, also if the sender is killed."""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from hondius.opening import place_of
from hondius.settings import make_settings
from hondius.use.changes.webhooks import SECRET, Delivery, open_receivers
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.use.static_site import ADDRESS, serve_directory
from tests.use import webhook_server
from tests.use.webhook_server import WebhookServer, serve_webhooks

PAGES, WORDS, SEED = 1_000, 250, 17
CHANGED = PAGES // 20
PRICES = CHANGED // 5
"""Of these, pages that change in one price alone."""
HOUR = 3_600.0
KILLS = 10
SOON = ("--set", "recrawl.wiki=1", "--set", "recrawl.shortest=1", "--set", "scope.sitemaps=false")


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-changes-") as name:
        site, crawl = Path(name) / "site", Path(name) / "crawl"
        site.mkdir()
        chance = random.Random(SEED)
        changed = chance.sample(range(PAGES), CHANGED)
        _write_site(site, [0] * PAGES, 0)
        with serve_directory(site) as root:
            commands.run_well("crawl", f"{root}/", "--into", crawl, "--delay", 0, "--allow-private", ADDRESS, *SOON)
            new = _list_changes(crawl, "--consumer", "reader")
            yield Figure("new pages of the first crawl", len(new) == PAGES + 1, f"{len(new):,}", f"{PAGES + 1:,}")
            versions = [0] * PAGES
            for place, number in enumerate(changed):
                versions[number] = 1 if place < PRICES else 2
            _write_site(site, versions, 1)
            time.sleep(2)
            commands.run_well("resume", crawl)
        found = _list_changes(crawl, "--consumer", "reader")
        expected = {f"{root}/{number}.html" for number in changed}
        listed = {change["url"] for change in found if change["kind"] == "changed"}
        rest = f"{len(listed - expected)} others"
        measured = f"{len(listed & expected)} of {CHANGED} ({PRICES} of them in one price), {rest}"
        is_exact = listed == expected and len(found) == CHANGED
        yield Figure("pages that changed in text, when all changed in date and counter", is_exact, measured, "exactly")
        yield _compare_price(crawl, f"{root}/{changed[0]}.html")
        yield from _send(crawl, [change["id"] for change in _list_changes(crawl)])


def _list_changes(crawl: Path, *options: str) -> list[dict[str, str]]:
    printed = commands.run_well("changes", crawl, *options).output
    return [json.loads(line) for line in printed.splitlines()]


def _write_site(site: Path, versions: list[int], day: int) -> None:
    """`versions`: 0 as at first; 1 with another price; 2 with another sentence. Date and counter change by the day."""
    links = "".join(f'<a href="/{number}.html">page {number}</a>\n' for number in range(PAGES))
    (site / "index.html").write_text(f"<title>index</title><main>{links}</main>")
    for number, version in enumerate(versions):
        words = [f"word{number * word % 7919}" for word in range(WORDS)]
        if version == 2:
            words[WORDS // 2] = "rewritten"
        price = 20 + number % 50 + (1 if version == 1 else 0)
        (site / f"{number}.html").write_text(
            f"<title>page {number}</title><main><h1>Page {number}</h1><p>Updated {3 + day} May 2026, 10:2{day}</p>"
            f"<p>{' '.join(words)}</p><p>Price: {price}.90 EUR</p><p>{1_000 + 77 * day} views</p></main>"
        )


def _compare_price(crawl: Path, url: str) -> Figure:
    lines = commands.run_well("diff", crawl, url).output.splitlines()
    shown = [line for line in lines[2:] if line.startswith(("-", "+")) and "Price" in line]
    return Figure("`diff` shows the price before and after", len(shown) == 2, " / ".join(shown), "2 lines")


def _send(crawl: Path, expected: list[str]) -> Iterator[Figure]:
    with serve_webhooks() as server, patch.dict(os.environ, {SECRET: webhook_server.SECRET}):
        now = began = 1e9

        def wait(seconds: float) -> None:
            nonlocal now
            now += seconds

        server.answer = lambda: 204 if now >= began + HOUR else 503
        settings = make_settings({"webhooks": {"urls": [server.url]}, "fetch": {"allow_private": [ADDRESS]}})
        (receiver,) = open_receivers(settings)
        Delivery(place_of(crawl), receiver, wait=wait, now=lambda: now).run()
        got = [change["id"] for change in server.changes]
        measured = f"{len(got):,} of {len(expected):,}, {server.refused} refused before, {server.forged} unsigned"
        is_met = got == expected and not server.forged and now - began >= HOUR
        yield Figure("changes that a receiver got after an hour (virtual)", is_met, measured, "all, in order, signed")
    with serve_webhooks() as server, patch.dict(os.environ, {SECRET: webhook_server.SECRET}):
        yield _kill(crawl, server, expected)


def _kill(crawl: Path, server: WebhookServer, expected: list[str]) -> Figure:
    commands.run_well("config", crawl, f"webhooks.urls={server.url}")
    chance, killed = random.Random(SEED), 0
    server.answer = _answer_slowly
    for _ in range(KILLS):
        command = [*commands.HONDIUS, "changes", str(crawl), "--send"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(server.changes)
        enough = before + chance.randrange(20, len(expected) // KILLS)
        while process.poll() is None and len(server.changes) < enough:
            time.sleep(0.002)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.wait()
    commands.run_well("changes", crawl, "--send")
    got = list(dict.fromkeys(change["id"] for change in server.changes))
    measured = f"{len(got):,} of {len(expected):,} after {killed} kills, {len(server.changes) - len(got)} came again"
    is_met = got == expected and killed > 0 and not server.forged
    return Figure("changes that arrived although the sender was killed", is_met, measured, "all, in order")


def _answer_slowly() -> int:
    time.sleep(0.002)
    return 204
