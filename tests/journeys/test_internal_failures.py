"""A bug that one URL or one host meets is that URL's or that host's alone (F4, F5, F7)."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hondius.crawler import boundary
from hondius.crawler.assemble import OpenCrawl, assemble_crawl, make_surroundings
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links, Readings
from hondius.crawler.politeness import RobotsCache
from hondius.crawler.robots_record import RobotsRecord
from hondius.crawler.seeds import make_source, parse_arguments
from hondius.crawler.store_opening import open_stores
from hondius.crawler.translation import make_identity
from hondius.errors import BrokenLog
from hondius.model import ALL_FAILED, INTERNAL, State
from hondius.native import NativeError, PanicException
from hondius.opening import place_of
from hondius.settings import make_settings
from tests.journeys.scripted_site import Answer, Script, ScriptedSite, scripted_site, until

Patch = pytest.MonkeyPatch


@asynccontextmanager
async def crawl_with_bug(
    site: ScriptedSite, directory: Path, *seeds: str, scope: str = "any", max_depth: int | None = None
) -> AsyncIterator[OpenCrawl]:
    values: dict[str, Any] = {
        "politeness": {"delay": 0.0},
        "scope": {"scope": scope, "sitemaps": False} | ({} if max_depth is None else {"max_depth": max_depth}),
        "fetch": {"resolve": [f"*.test=127.0.0.1:{site.port}"]},
    }
    settings = make_settings(values)
    async with AsyncExitStack() as stack:
        stores = open_stores(stack, place_of(directory), settings)
        given = make_source(list(parse_arguments(seeds, make_identity(settings))))
        surroundings = make_surroundings(directory, settings)
        yield await stack.enter_async_context(assemble_crawl(stores, settings, given, surroundings))


async def over(crawl: OpenCrawl) -> str:
    reason = await asyncio.wait_for(crawl.run.run_until_over(), 40)
    crawl.commit.hurry()
    await until(lambda: crawl.commit.is_applied, 40)
    return reason


def ends(crawl: OpenCrawl) -> dict[str, tuple[str, str]]:
    return {page["url"]: (page["state"], page["cause"]) for page in crawl.catalog.pages()}


def failing(
    monkeypatch: Patch, owner: Any, name: str, error: BaseException, when: Callable[..., bool] = lambda *_: True
) -> None:
    whole = getattr(owner, name)

    def step(*arguments: Any, **named: Any) -> Any:
        if when(*arguments):
            raise error
        return whole(*arguments, **named)

    monkeypatch.setattr(owner, name, step)


def of(path: str) -> Callable[..., bool]:
    return lambda _, url, *rest: bool(url.href.endswith(path))


WEB: Script = {"/": Answer.page("/bad", "/good"), "/bad": Answer.page("/both"), "/good": Answer.page("/both")}
WHOLE_WEB: Script = {**WEB, "/both": Answer.page()}
BAD_ALONE_FAILS = {
    "http://a.test/": (State.COMPLETED, ""),
    "http://a.test/bad": (State.FAILED, INTERNAL),
    "http://a.test/good": (State.COMPLETED, ""),
    "http://a.test/both": (State.COMPLETED, ""),
}
"""How the URLs of `WHOLE_WEB` end where /bad meets a bug."""


@pytest.mark.parametrize(
    ("owner", "step"), [(Readings, "classify"), (Links, "admit_links"), (Outcomes, "finish_page")], ids=str
)
@pytest.mark.parametrize("error", [ValueError("planted"), PanicException("planted"), NativeError("planted")], ids=repr)
async def test_f7_an_exception_ends_its_url_and_the_crawl_goes_on(
    tmp_path: Path, monkeypatch: Patch, owner: Any, step: str, error: BaseException
) -> None:
    failing(monkeypatch, owner, step, error, of("/bad"))
    async with scripted_site(WHOLE_WEB) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        assert ends(crawl) == BAD_ALONE_FAILS
        assert crawl.statistics.internal_failures == 1
        (detail,) = [page["detail"] for page in crawl.catalog.pages() if page["cause"] == INTERNAL]
        assert detail.startswith("Hondius ")
        assert "Traceback" in detail
        assert "planted" in detail


async def test_f5_what_a_failed_page_had_admitted_is_new_to_the_next(tmp_path: Path, monkeypatch: Patch) -> None:
    """Also what was refused of it, and the body that it was the first to have."""
    trap = "/t/" + "x/" * 20
    web: Script = {
        "/": Answer.page("/1", "/2"),
        "/1": Answer.page("/target", trap),
        "/2": Answer.page("/target", trap),
        "/target": Answer.page(),
    }
    failing(monkeypatch, Outcomes, "finish_page", RuntimeError("planted"), of("/1"))
    async with scripted_site(web) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        told = ends(crawl)
        assert told["http://a.test/1"] == (State.FAILED, INTERNAL)
        assert told["http://a.test/2"] == (State.COMPLETED, "")
        assert told["http://a.test/target"] == (State.COMPLETED, "")
        assert told[f"http://a.test{trap}"][0] == State.REFUSED


async def test_f7_a_redirect_that_fails_gives_its_target_back(tmp_path: Path, monkeypatch: Patch) -> None:
    moved = Answer.redirect("/target")
    web: Script = {
        "/": Answer.page("/old", "/2"),
        "/old": moved,
        "/2": Answer.page("/target"),
        "/target": Answer.page(),
    }
    is_redirected: Callable[..., bool] = lambda outcomes, url, event, *rest: event.state == State.REDIRECTED  # noqa: E731
    failing(monkeypatch, Outcomes, "_submit_end", RuntimeError("planted"), is_redirected)
    async with scripted_site(web) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        assert ends(crawl)["http://a.test/old"] == (State.FAILED, INTERNAL)
        assert ends(crawl)["http://a.test/target"] == (State.COMPLETED, "")


async def test_p1_a_host_whose_preparation_always_fails_waits_and_its_urls_end(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(boundary, "PREPARATION_WAIT", 0.05)
    tried: list[str] = []

    def is_bad(desk: Any, origin: str, *rest: Any) -> bool:
        tried.append(origin)
        return "bad" in origin

    failing(monkeypatch, RobotsCache, "accept", RuntimeError("planted"), is_bad)
    web: Script = {
        "bad.test/": Answer.page(),
        "good.test/": Answer.page("http://bad.test/late", "/2"),
        "good.test/2": Answer.page(),
    }
    async with scripted_site(web) as site:
        async with crawl_with_bug(
            site, tmp_path, "http://bad.test/", "http://bad.test/x", "http://good.test/"
        ) as crawl:
            assert await over(crawl) == "done"
            told = ends(crawl)
        assert told["http://good.test/"] == told["http://good.test/2"] == (State.COMPLETED, "")
        assert {url: end for url, end in told.items() if "bad.test" in url} == {
            f"http://bad.test/{path}": (State.FAILED, INTERNAL) for path in ("", "x", "late")
        }
        assert 3 <= tried.count("http://bad.test") <= 6
        assert {request.path for request in site.requests if request.host.startswith("bad")} == {"/robots.txt"}


async def test_p1_a_preparation_that_fails_once_is_tried_again_and_nothing_ends(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """What it had put into memory alone is forgotten: the copy of robots.txt is fetched and written down again."""
    monkeypatch.setattr(boundary, "PREPARATION_WAIT", 0.05)
    left = iter([True])
    failing(monkeypatch, RobotsRecord, "record", RuntimeError("planted"), lambda *_: next(left, False))
    async with scripted_site({"/": Answer.page()}) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        assert ends(crawl) == {"http://a.test/": (State.COMPLETED, "")}
        assert crawl.statistics.internal_failures == 1
        assert crawl.catalog.robots("http://a.test") is not None
        assert crawl.statistics.waiting == {}


async def test_s10_an_error_of_the_stores_is_no_urls_failure(tmp_path: Path, monkeypatch: Patch) -> None:
    failing(monkeypatch, Readings, "classify", BrokenLog("planted"), of("/bad"))
    async with scripted_site(WEB) as site:
        with pytest.raises(BrokenLog):
            async with crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
                await crawl.run.run_until_over()


async def test_f9_a_bug_that_meets_everything_stops_the_run(tmp_path: Path, monkeypatch: Patch) -> None:
    """Twenty in a row on five hosts; what is left stays queued."""
    failing(monkeypatch, Readings, "classify", RuntimeError("planted"))
    seeds = [f"http://h{number % 10}.test/{number}" for number in range(200)]
    async with scripted_site({}, Answer.page()) as site, crawl_with_bug(site, tmp_path, *seeds) as crawl:
        assert await over(crawl) == ALL_FAILED
        assert 20 <= crawl.statistics.internal_failures < 60
        assert crawl.urls.counts()["queued"] > 100


async def test_f9_a_bug_on_few_hosts_stops_nothing(tmp_path: Path, monkeypatch: Patch) -> None:
    failing(monkeypatch, Readings, "classify", RuntimeError("planted"))
    seeds = [f"http://h{number % 4}.test/{number}" for number in range(60)]
    async with scripted_site({}, Answer.page()) as site, crawl_with_bug(site, tmp_path, *seeds) as crawl:
        assert await over(crawl) == "done"
        assert crawl.statistics.internal_failures == 60


PLANTED = """
import sys
from hondius.crawler.page import Readings
from hondius.operate.cli import main

whole = Readings.classify

def planted(readings, url, fetched):
    if url.href.endswith("/bad"):
        raise RuntimeError("planted, with sesame and an open door")
    return whole(readings, url, fetched)

Readings.classify = planted
sys.argv[0] = "hondius"
sys.exit(main.main())
"""


def planted(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PLANTED, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
async def site() -> AsyncIterator[ScriptedSite]:
    async with scripted_site({**WEB, "/both": Answer.page()}) as served:
        yield served


async def test_o1_the_command_says_where_to_look_and_exits_with_1(tmp_path: Path, site: ScriptedSite) -> None:
    directory = tmp_path / "crawl"
    options = ("--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--header", "X-Key: sesame")
    done = await asyncio.to_thread(planted, "crawl", "http://a.test/", "--into", directory, *options, "--json")
    assert done.returncode == 1, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "internal failure" in line]
    assert str(directory / "crawl.log") in line
    assert json.loads(done.stdout)["internal_failures"] == 1
    log = (directory / "crawl.log").read_text()
    assert "Traceback" in log
    assert "http://a.test/bad" in log
    assert "sesame" not in log
    assert "[secret]" in log
    status = await asyncio.to_thread(planted, "status", directory)
    assert "internal" in status.stdout
    explained = await asyncio.to_thread(planted, "explain", directory, "http://a.test/bad")
    assert "Traceback" in explained.stdout
    assert "planted" in explained.stdout
    assert "sesame" not in explained.stdout
    verified = await asyncio.to_thread(planted, "verify", directory)
    assert verified.returncode == 0, verified.stdout


async def test_f7_a_later_version_tries_internal_failures_again(tmp_path: Path, site: ScriptedSite) -> None:
    """The same version does not: it would fail again."""
    directory = tmp_path / "crawl"
    options = ("--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json")
    await asyncio.to_thread(planted, "crawl", "http://a.test/", "--into", directory, *options)
    same = await asyncio.to_thread(planted, "resume", directory, "--json")
    assert (same.returncode, site.paths().count("/bad")) == (0, 1)
    later = await asyncio.to_thread(_resumed_by, "9.9.9", directory)
    assert later.returncode == 0, later.stderr
    assert site.paths().count("/bad") == 2
    assert json.loads(later.stdout)["failed"] == 0


def _resumed_by(version: str, directory: Path) -> subprocess.CompletedProcess[str]:
    source = f"import hondius; hondius.__version__ = {version!r}\nfrom hondius.operate.cli import main\nimport sys\n"
    source += "sys.exit(main.main())"
    command = [sys.executable, "-c", source, "resume", str(directory), "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


async def test_f7_what_is_tried_again_keeps_what_it_was_and_is_queued_once(tmp_path: Path, monkeypatch: Patch) -> None:
    """A seed still opens the scope where it leads. What waits already is queued no second time."""
    web: Script = {
        "a.test/": Answer.redirect("http://www.b.test/"),
        "www.b.test/": Answer.page("/2"),
        "other.test/": Answer.page("/"),
    }
    with monkeypatch.context() as planted_bug:
        failing(planted_bug, Outcomes, "finish_redirect", RuntimeError("planted"))
        async with scripted_site(web, Answer.page()) as site:
            async with crawl_with_bug(site, tmp_path, "http://other.test/", "http://a.test/", scope="host") as crawl:
                assert await over(crawl) == "done"
            async with crawl_with_bug(site, tmp_path, scope="host") as crawl:
                await crawl.run.record.requeue_internal_failures(crawl.stores.view, "9.9.9")
                await crawl.run.record.requeue_internal_failures(crawl.stores.view, "9.9.9")
                planted_bug.undo()
                assert await over(crawl) == "done"
                assert ends(crawl) == {
                    "http://other.test/": (State.COMPLETED, ""),
                    "http://a.test/": (State.REDIRECTED, "http_301"),
                    "http://www.b.test/": (State.COMPLETED, ""),
                    "http://www.b.test/2": (State.COMPLETED, ""),
                }
        asked = [request.host for request in site.requests if request.path == "/"]
        assert asked.count(f"a.test:{site.port}") + asked.count("a.test") == 2


async def test_p4_failures_whose_answers_a_bug_lost_open_the_circuit_of_their_host(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(Outcomes, "handle_failure", fail)
    names = [f"/{number}" for number in range(12)]
    web: Script = {"/": Answer.page(*names), **{name: Answer(status=500) for name in names}}
    async with scripted_site(web) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "waiting"
        assert len([path for path in site.paths() if path in names]) == 5
