"""A real manual in a real browser: its replay looks like the original, and nothing leaves the archive (O1).

The judge of what leaves is a server at the address to which every name of the test leads, Chromium's own network log,
and the requests that its DevTools report. The same hostile pages, opened from their own server, must reach that server:
otherwise the judge would see nothing.
"""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance import commands
from tests.acceptance.chromium import NoBrowser
from tests.acceptance.debian_pages import unpack
from tests.acceptance.figure import Figure
from tests.acceptance.use.hostile_page import (
    Listener,
    listen,
    make_honest_page,
    make_leaks_page,
    make_markup_page,
    make_script_page,
)
from tests.acceptance.use.replay_browser import Browser, open_browser
from tests.acceptance.use.static_site import ADDRESS, serve_directory
from tests.journeys.scripted_site import Answer, Script
from tests.use.worlds import crawl_in_process, served

PACKAGE, ROOT = "python3.11-doc", "usr/share/doc/python3.11/html"
PAGES = 20
CRAWLED = 60
MOST_DIFFERENT = 0.02
PICTURES = "HONDIUS_PICTURES"
"""A directory for the pictures, if they are wanted."""
HONEST = 13
"""Things that an honest page does with scripts."""
LINGER, PATIENCE = 4.0, 90.0
"""Seconds that a hostile page gets, at least and at most: in a replay twice as many as it took from its own server."""
LEAST = {"markup": 10, "script": 20, "leaks": 45}
"""Ways out that each hostile page must find when it is opened from its own server."""


def figures() -> Iterator[Figure]:
    try:
        yield from _compare_manual()
        yield from _open_hostile_pages()
    except NoBrowser as error:
        yield Figure("a browser", False, str(error))


@contextlib.contextmanager
def replayed(crawl: Path, *options: str) -> Iterator[str]:
    """The address of its replay, without the final slash."""
    words = [*commands.HONDIUS, "replay", str(crawl), "--port", "0", *options]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split(": ")[-1].strip().rstrip("/")
        finally:
            process.terminate()


def _compare_manual() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-replay-") as name, serve_directory(unpack(PACKAGE) / ROOT) as root:
        crawl = Path(name) / "crawl"
        options = ("--requisites", "--max-pages", CRAWLED, "--delay", 0, "--allow-private", ADDRESS, "--json")
        summary = commands.run_well("crawl", f"{root}/index.html", "--into", crawl, *options).summary
        told = f"{summary['pages']} pages, {summary['requisites']} requisites"
        yield Figure("the manual", summary["pages"] == CRAWLED and summary["requisites"] > 5, told)
        urls = _list_pages(crawl)
        for scripts in (False, True):
            with replayed(crawl, *(["--scripts"] if scripts else [])) as base, open_browser() as browser:
                yield from _compare_pages(browser, base, urls, scripts=scripts)
                if not scripts:
                    yield _take_pictures(browser, base, urls[0])


def _list_pages(crawl: Path) -> list[str]:
    """From all parts of the manual, the same as far as the crawl has them."""
    rows = commands.run_well(
        "export", crawl, "--format", "csv", "--columns", "url", "--state", "completed", "--kind", "page"
    ).output
    return sorted(rows.splitlines()[1:])[:: CRAWLED // PAGES][:PAGES]


def _compare_pages(browser: Browser, base: str, urls: list[str], *, scripts: bool) -> Iterator[Figure]:
    worst, shares = "", []
    for url in urls:
        browser.set_scripts(are_on=scripts)
        original = browser.shoot(url)
        browser.set_scripts(are_on=True)
        browser.requested.clear()
        browser.tab.messages.clear()
        replay = browser.shoot_replayed(f"{base}/view/2026/{url}")
        outside = [one for one in browser.requested if not one.startswith((f"{base}/", "data:"))]
        share = browser.compare(original, replay)
        shares.append(share)
        if share == max(shares):
            worst = url
        if outside:
            yield Figure(f"requests outside the replay of {url}", False, ", ".join(outside[:3]))
        _save(f"{len(shares):02}-{'scripts' if scripts else 'plain'}-original.png", original)
        _save(f"{len(shares):02}-{'scripts' if scripts else 'plain'}-replay.png", replay)
    name = f"{len(shares)} pages with{'' if scripts else 'out'} scripts, most pixels that differ"
    told = f"{max(shares):.2%} ({worst.rpartition('/')[2]}), {sum(shares) / len(shares):.3%} on average"
    different = sum(share > MOST_DIFFERENT for share in shares)
    met = different == 0 and len(shares) == PAGES
    yield Figure(name, met, f"{told}; {different} above {MOST_DIFFERENT:.0%}", f"at most {MOST_DIFFERENT:.0%}")
    looked_up = browser.list_looked_up()
    yield Figure(f"{name}: requests outside", not looked_up, ", ".join(sorted(looked_up)) or "0", "0")


def _take_pictures(browser: Browser, base: str, url: str) -> Figure:
    """Of our own pages, to be looked at."""
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        for name, path in (("start", "/"), ("calendar", f"/calendar/{url}"), ("view", f"/view/2026/{url}")):
            _save(f"own-{name}-{scheme}.png", browser.shoot(f"{base}{path}"))
    return Figure("our own pages, light and dark", True, f"in {os.environ.get(PICTURES, f'${PICTURES}')}")


def _save(name: str, picture: bytes) -> None:
    if directory := os.environ.get(PICTURES):
        Path(directory).mkdir(parents=True, exist_ok=True)
        (Path(directory) / name).write_bytes(picture)


def _open_hostile_pages() -> Iterator[Figure]:
    with listen() as evil, tempfile.TemporaryDirectory(prefix="hondius-hostile-") as name:
        crawl = Path(name) / "crawl"
        script: Script = {
            "/": Answer.page("/markup", "/script", "/leaks", "/honest"),
            "/honest": Answer(make_honest_page()),
            "/markup": Answer(make_markup_page(evil.port)),
            "/script": Answer(make_script_page(evil.port)),
            "/leaks": Answer(make_leaks_page(evil.ports)),
        }
        crawl_in_process(crawl, script)
        with served(script) as site, open_browser() as browser:
            lingers = {}
            for page, least in LEAST.items():
                lingers[page] = _linger(browser, f"http://127.0.0.1:{site.port}/{page}", evil, least)
                heard = evil.take()
                told = f"{len(heard)} ways out: {', '.join(heard)}"
                yield Figure(f"control: {page} from its own server", len(heard) >= least, told, f"at least {least}")
            browser.tab.messages.clear()
            browser.open(f"http://127.0.0.1:{site.port}/honest", lingers["leaks"])
            achieved = _list_results(browser)
        with replayed(crawl) as base, open_browser() as browser:
            for page, seconds in lingers.items():
                yield from _judge(browser, base, page, evil, seconds)
        with replayed(crawl, "--scripts") as base, open_browser() as browser:
            for page, seconds in lingers.items():
                yield from _judge(browser, base, page, evil, seconds, scripts=True)
            browser.tab.messages.clear()
            browser.open(f"{base}/view/2026/http://a.test/honest", lingers["leaks"])
            missing = sorted(set(achieved) - set(_list_results(browser)))
            told = f"{len(achieved) - len(missing)} of {len(achieved)} {', '.join(missing)}"
            is_met = not missing and len(achieved) == HONEST and "FAILED" not in str(achieved)
            yield Figure("what honest scripts achieve when they are replayed", is_met, told, "all")


def _list_results(browser: Browser) -> list[str]:
    return sorted(line.removeprefix("result ") for line in browser.list_console() if line.startswith("result "))


def _linger(browser: Browser, url: str, evil: Listener, least: int) -> float:
    """Opens a page until it found enough ways out. Returns the seconds that a replay of it gets."""
    began = time.monotonic()
    browser.open(url, LINGER)
    while len(set(evil.heard)) < least and time.monotonic() - began < PATIENCE:
        browser.tab.wait(LINGER)
    return 2 * (time.monotonic() - began)


def _judge(
    browser: Browser, base: str, page: str, evil: Listener, seconds: float, *, scripts: bool = False
) -> Iterator[Figure]:
    browser.tab.messages.clear()
    browser.requested.clear()
    browser.open(f"{base}/view/2026/http://a.test/{page}", seconds)
    name = f"hostile {page}, scripts {'on' if scripts else 'off'}"
    heard, looked_up = evil.take(), browser.list_looked_up()
    told = ", ".join([*heard, *looked_up]) or "nothing left the archive"
    yield Figure(name, not heard and not looked_up, told, "nothing")
    results = _list_results(browser)
    if not scripts:
        yield Figure(f"{name}: scripts that ran", not results, str(len(results)), "0")
    elif page == "leaks":
        yield Figure(f"{name}: the scripts ran", results == ["first", "last"], ", ".join(results), "first, last")
    elif page == "script":
        guarded = ("storage", "cookie", "database", "caches", "parent", "own page", "service worker")
        reached = [line for line in results if line.startswith(guarded) and "failed" not in line]
        seen = [line for line in results if line.startswith(guarded)]
        yield Figure(f"{name}: storage and pages of others", len(seen) == len(guarded) and not reached, str(seen))
