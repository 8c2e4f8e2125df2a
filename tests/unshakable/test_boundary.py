"""A bug that one URL or host meets affects only that URL or host."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Request, ScriptedSite, export_rows, hondius, scripted_site

PLANTED = """
import sys
from hondius.crawler import politeness
from hondius.crawler.page import Readings
from hondius.operate.cli import main

# The earlier build has the second of each two names.
is_today = hasattr(politeness, "RobotsCache")
RobotsCache = politeness.RobotsCache if is_today else politeness.RobotsDesk
classify = "classify" if is_today else "of"
read, accept = getattr(Readings, classify), RobotsCache.accept

def fail_to_read(readings, url, fetched):
    if "/bad" in url.href:
        raise RuntimeError("planted")
    return read(readings, url, fetched)

def fail_to_accept(cache, origin, *rest):
    if "bad." in origin:
        raise RuntimeError("planted")
    return accept(cache, origin, *rest)

setattr(Readings, classify, fail_to_read)
RobotsCache.accept = fail_to_accept
sys.exit(main.main())
"""


async def crawl_with_bugs(site: ScriptedSite, into: Path, *arguments: str) -> tuple[int, str, str]:
    """Crawls with two planted bugs: one in reading some pages, one in preparing some hosts."""
    resolve = f"*.test=127.0.0.1:{site.port}"
    command = [
        "crawl",
        *arguments,
        "--into",
        str(into),
        "--delay",
        "0",
        "--resolve",
        resolve,
        "--scope",
        "any",
        "--json",
    ]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PLANTED, *command, stdout=pipe, stderr=pipe)
    out, error = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode(), error.decode()


@pytest.mark.defect("an exception at one page ends the whole run", inside=True)
async def test_f7_a_bug_that_a_page_meets_ends_that_page_alone(tmp_path: Path) -> None:
    pages = {"/": Answer.page("/bad", "/good"), "/bad": Answer.page("/both"), "/good": Answer.page("/both")}
    async with scripted_site({**pages, "/both": Answer.page()}) as site:
        status, out, error = await crawl_with_bugs(site, tmp_path / "crawl", "http://a.test/")
    rows = await export_rows(tmp_path / "crawl")
    ended = {url: (row["state"], row["cause"]) for url, row in rows.items()}
    assert ended == {
        "http://a.test/": ("completed", ""),
        "http://a.test/bad": ("failed", "internal"),
        "http://a.test/good": ("completed", ""),
        "http://a.test/both": ("completed", ""),
    }
    assert status == 1
    assert json.loads(out)["stop_reason"] == "done"
    assert str(tmp_path / "crawl" / "crawl.log") in error
    assert "RuntimeError: planted" in (tmp_path / "crawl" / "crawl.log").read_text()
    explained = await hondius("explain", tmp_path / "crawl", "http://a.test/bad")
    assert "RuntimeError: planted" in explained.out


@pytest.mark.defect("an exception in one host's preparation ends the whole run", inside=True, minutes=True)
async def test_f7_a_bug_in_a_hosts_preparation_ends_the_urls_of_that_host_alone(tmp_path: Path) -> None:
    def own_page(request: Request) -> Answer:
        return Answer.page(f"http://{request.host}/", head=request.host)

    seeds = ("http://bad.test/", "http://bad.test/2", "http://a.test/", "http://b.test/")
    async with scripted_site({"/": own_page}) as site:
        status, out, _ = await crawl_with_bugs(site, tmp_path / "crawl", *seeds)
    rows = await export_rows(tmp_path / "crawl")
    assert {url: row["cause"] for url, row in rows.items()} == {
        "http://bad.test/": "internal",
        "http://bad.test/2": "internal",
        "http://a.test/": "",
        "http://b.test/": "",
    }
    assert status == 1
    assert json.loads(out)["stop_reason"] == "done"
