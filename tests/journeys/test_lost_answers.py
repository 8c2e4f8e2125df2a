"""A URL that ended `internal` after its request was made tells of the request (F7, P1, O5)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Readings
from hondius.model import INTERNAL
from tests.journeys.scripted_site import Answer, export_rows, hondius, scripted_site
from tests.journeys.test_internal_failures import WEB, Patch, crawl_with_bug, failing, of, over, planted


@pytest.mark.parametrize(("owner", "step"), [(Readings, "classify"), (Outcomes, "finish_page")], ids=str)
async def test_f7_the_request_of_a_url_that_a_bug_ended_is_in_the_catalog(
    tmp_path: Path, monkeypatch: Patch, owner: Any, step: str
) -> None:
    failing(monkeypatch, owner, step, ValueError("planted"), of("/bad"))
    async with (
        scripted_site({**WEB, "/both": Answer.page()}) as site,
        crawl_with_bug(site, tmp_path, "http://a.test/") as crawl,
    ):
        assert await over(crawl) == "done"
        (bad,) = [page for page in crawl.catalog.pages() if page["cause"] == INTERNAL]
        (fetch,) = crawl.catalog.fetches(bad["key"])
        assert (bad["status"], fetch["status"], fetch["cause"]) == (200, 200, INTERNAL)
        assert fetch["started_at"] <= fetch["ended_at"]
        assert fetch["address"] == f"127.0.0.1:{site.port}"
        assert crawl.catalog.totals()["fetches"] == crawl.statistics.requests == 5  # with robots.txt


async def test_o5_export_explain_and_audit_agree_with_the_server(tmp_path: Path) -> None:
    async with scripted_site({**WEB, "/both": Answer.page()}) as site:
        options = ("--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json")
        done = await asyncio.to_thread(planted, "crawl", "http://a.test/", "--into", tmp_path / "crawl", *options)
        assert done.returncode == 1, done.stderr
        served = [request.path for request in site.requests]
    row = (await export_rows(tmp_path / "crawl"))["http://a.test/bad"]
    assert (row["cause"], row["status"]) == (INTERNAL, 200)
    assert row["fetched_at"] is not None
    explained = json.loads((await hondius("explain", tmp_path / "crawl", "http://a.test/bad", "--json")).out)
    (request,) = explained["requests"]
    assert (request["status"], request["cause"]) == (200, INTERNAL)
    audited = await hondius("audit", tmp_path / "crawl", "--json")
    assert audited.status == 0, audited.out
    figures = json.loads(audited.out)
    assert (figures["clean"], figures["requests"]) == (True, len(served))
    assert {tally["kind"]: tally["checked"] for tally in figures["tallies"]}["unrecorded"] == len(served) - 1
