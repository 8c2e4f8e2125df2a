"""Hooks: functions of the user that a crawl calls once a page (O2)."""

import asyncio
import gzip
import json
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest

import hondius
from hondius.python.hook_threads import HookThreads
from hondius.python.options import CrawlOptions
from hondius.settings.overrides import list_options
from tests.journeys.scripted_site import Answer, Script, scripted_site
from tests.journeys.scripted_site import hondius as command
from tests.python.sites import HOST, make_chain, make_options, make_page

SHOP: Script = {
    "/": make_page("the shop", "/product/1", "/product/2", "/about", "/legal"),
    "/product/1": make_page("red shoes", "/", "/product/2", "/cart"),
    "/product/2": make_page("blue shoes", "/"),
    "/about": make_page("who we are", "/"),
    "/legal": make_page("small print", "/"),
    "/cart": make_page("your cart", "/"),
}


async def test_o2_a_follow_hook_chooses_links_once_a_page(tmp_path: Path) -> None:
    calls: list[tuple[str, list[str]]] = []
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))

        @crawler.follow
        def products(page: hondius.Page, links: list[Any]) -> list[Any]:
            calls.append((page.url, [link.url for link in links]))
            return [link for link in links if "/product/" in link.url]

        summary = await crawler.arun()
        assert sorted(site.paths()) == ["/", "/product/1", "/product/2"]
    assert summary["pages"] == 3
    assert sorted(url for url, _ in calls) == [f"{HOST}/", f"{HOST}/product/1", f"{HOST}/product/2"]
    first = dict(calls)[f"{HOST}/"]
    assert first == [f"{HOST}/{path}" for path in ("product/1", "product/2", "about", "legal")]
    assert f"{HOST}/" not in dict(calls)[f"{HOST}/product/2"], "a known link is not offered"


async def test_o2_scores_of_a_follow_hook_are_priorities(tmp_path: Path) -> None:
    async with scripted_site(make_chain(12)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), concurrency=1)

        @crawler.follow
        def last_first(page: hondius.Page, links: list[Any]) -> dict[Any, float]:
            return {link: 0.95 if link.url.endswith("/11") else 0.1 for link in links}

        await crawler.arun()
        assert site.paths()[1] == "/11"
    with hondius.open(tmp_path / "c") as crawl:
        assert crawl[f"{HOST}/11"].depth == 1


async def test_o2_what_hooks_extract_is_durable_and_survives_a_rebuild(tmp_path: Path) -> None:
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))

        @crawler.extract
        def words(page: hondius.Page) -> dict[str, Any]:
            assert page.body is not None
            return {"words": page.text.split()[:2], "bytes": len(page.body), "type": dict(page.headers)["content-type"]}

        @crawler.classify
        def shoes(page: hondius.Page) -> Any:
            return ("shoes", 0.9) if "shoes" in page.title else None

        async with crawler as crawl:
            seen = {page.url: page.extracted async for page in crawl}
    assert seen[f"{HOST}/product/1"]["words"] == ["red", "shoes"]
    assert seen[f"{HOST}/product/1"]["labels"] == ["shoes"]
    assert seen[f"{HOST}/product/1"]["score"] == 0.9
    assert "labels" not in seen[f"{HOST}/about"]
    with hondius.open(tmp_path / "c") as opened:
        assert {page.url: page.extracted for page in opened} == seen
    (tmp_path / "c" / "crawl.db").unlink()
    assert (await command("rebuild", tmp_path / "c")).status == 0
    with hondius.open(tmp_path / "c") as opened:
        assert {page.url: page.extracted for page in opened} == seen


FAILS = pytest.mark.filterwarnings("ignore::hondius.CrawlWarning")
"""For crawls with hooks that fail."""


async def test_o2_a_crawl_whose_hooks_failed_warns_and_names_the_first(tmp_path: Path) -> None:
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        crawler.extract(lambda page: {"price": 1 / (page.depth)})
        with pytest.warns(
            hondius.CrawlWarning, match=r"1 call of hooks failed, the first: <lambda> for .*ZeroDivision"
        ):
            await crawler.arun()


@FAILS
async def test_o2_a_hook_that_raises_is_reported_with_its_url_and_ends_nothing_else(tmp_path: Path) -> None:
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))

        @crawler.extract
        def fragile(page: hondius.Page) -> dict[str, Any]:
            if page.url.endswith("/about"):
                raise KeyError("price")
            return {"fine": True}

        summary = await crawler.arun()
    assert summary["pages"] == 6
    assert summary["hook_failures"] == 1
    assert f"the hook fragile failed for {HOST}/about: KeyError: 'price'" in (tmp_path / "c" / "crawl.log").read_text()
    explained = await command("explain", tmp_path / "c", f"{HOST}/about")
    assert "fragile: KeyError: 'price'" in explained.out
    with hondius.open(tmp_path / "c") as opened:
        assert opened[f"{HOST}/about"].extracted == {}
        assert opened[f"{HOST}/legal"].extracted == {"fine": True}


class Undescribable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("it has no text")


@FAILS
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("bad \ud800"), "ValueError: bad \ufffd"),
        (Undescribable(), "it raised an exception that cannot be described"),
    ],
    ids=["surrogate", "undescribable"],
)
async def test_o2_an_exception_of_a_hook_costs_no_page_whatever_its_text(
    tmp_path: Path, error: Exception, reason: str
) -> None:
    def fragile(page: hondius.Page) -> dict[str, Any]:
        raise error

    def shown(page: hondius.Page) -> None:
        raise error

    fragile.__name__ = "fra\udcffgile"
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), set={"hooks.max_abandoned": 0})
        crawler.extract(fragile)
        crawler.sink(shown)
        summary = await crawler.arun()
    assert (summary["pages"], summary["hook_failures"]) == (6, 12)
    explained = await command("explain", tmp_path / "c", f"{HOST}/about")
    assert f"fra\ufffdgile: {reason}" in explained.out


async def test_a_call_that_raises_ends_its_wait_and_not_its_thread() -> None:
    threads = HookThreads(1)
    try:
        for _ in range(2):
            with pytest.raises(RuntimeError, match="KeyboardInterrupt"):
                await threads.run(raise_interrupt, seconds=60.0)
        assert await threads.run(lambda: None, seconds=60.0)
        assert threads.abandoned == 0
    finally:
        threads.close()


def raise_interrupt() -> None:
    raise KeyboardInterrupt


async def test_o2_a_hook_may_stop_the_crawl_and_the_same_call_continues(tmp_path: Path) -> None:
    async with scripted_site(dict(SHOP)) as site:
        broken = True
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), on_hook_error="stop")

        @crawler.extract
        def fragile(page: hondius.Page) -> dict[str, Any]:
            if broken and page.url.endswith("/about"):
                raise KeyError("price")
            return {"fine": True}

        with pytest.raises(hondius.HookStopped, match=r"the hook fragile failed for .*/about") as stopped:
            await crawler.arun()
        assert isinstance(stopped.value.__cause__, KeyError)
        assert "fragile" in "".join(traceback.format_exception(stopped.value.__cause__))
        broken = False
        summary = await crawler.arun()
    assert summary["pages"] == 6
    with hondius.open(tmp_path / "c") as opened:
        assert all(page.extracted == {"fine": True} for page in opened)


@FAILS
async def test_o2_a_hook_that_hangs_does_not_stop_the_crawl(tmp_path: Path) -> None:
    release = threading.Event()
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), set={"hooks.timeout": 0.05})

        @crawler.extract
        def hanging(page: hondius.Page) -> dict[str, Any]:
            if page.url.endswith("/about"):
                release.wait()
            return {"fine": True}

        try:
            summary = await crawler.arun()
        finally:
            release.set()
    assert summary["pages"] == 6
    assert summary["hook_failures"] == 1
    assert "it took longer than 0.05 s" in (tmp_path / "c" / "crawl.log").read_text()


async def test_o2_too_many_hanging_hooks_stop_the_crawl_with_a_clear_message(tmp_path: Path) -> None:
    release = threading.Event()
    async with scripted_site(make_chain(30)) as site:
        limits = {"hooks.timeout": 0.02, "hooks.max_abandoned": 3}
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), set=limits)
        crawler.extract(lambda page: {"never": release.wait()})
        try:
            with pytest.raises(hondius.HookStopped, match=r"threads hang in hooks.*the same call continues"):
                await crawler.arun()
        finally:
            release.set()


async def test_o2_a_crawl_that_a_hook_stops_leaves_no_journey_behind(tmp_path: Path) -> None:
    """A journey that still waited for its hook would use stores that are closed."""
    waits, release = threading.Event(), threading.Event()

    def extract(page: hondius.Page) -> dict[str, Any]:
        if page.host == "other.test":
            waits.set()
            release.wait(20)
            return {}
        assert waits.wait(20)
        raise ValueError("stop")

    async with scripted_site({"/": Answer("<p>one page")}) as site:
        seeds = [f"{HOST}/", "http://other.test/"]
        crawler = hondius.Crawler(seeds, **make_options(site, tmp_path / "c"), on_hook_error="stop")
        crawler.extract(extract)
        try:
            with pytest.raises(hondius.HookStopped):
                await crawler.arun()
            assert [task for task in asyncio.all_tasks() if "hondius/crawler" in repr(task)] == []
        finally:
            release.set()


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "a follow hook returns the links to follow"),
        (["http://else.test/"], "not among the links"),
        ([("http://shop.test/about", 7)], "a number from 0 to 1"),
    ],
)
@FAILS
async def test_o2_a_wrong_answer_of_a_follow_hook_is_a_failure_and_no_new_link_is_followed(
    tmp_path: Path, returned: Any, reason: str
) -> None:
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        crawler.follow(lambda page, links: returned if page.depth == 0 else links)
        summary = await crawler.arun()
    assert summary["pages"] == 1
    assert reason in (tmp_path / "c" / "crawl.log").read_text()


@FAILS
async def test_o2_a_follow_hook_without_time_follows_nothing(tmp_path: Path) -> None:
    release = threading.Event()
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), set={"hooks.timeout": 0.05})
        crawler.extract(lambda page: {"waited": release.wait()})
        crawler.follow(lambda page, links: links)
        try:
            summary = await crawler.arun()
        finally:
            release.set()
        assert site.paths() == ["/"]
    assert summary["hook_failures"] == 1


@FAILS
async def test_o2_after_a_follow_hook_that_fails_no_other_is_asked(tmp_path: Path) -> None:
    asked: list[str] = []
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        crawler.follow(lambda page, links: links[:2])
        crawler.follow(lambda page, links: links[99])

        @crawler.follow
        def note(page: hondius.Page, links: list[Any]) -> list[Any]:
            asked.append(page.url)
            return links

        await crawler.arun()
        assert site.paths() == ["/"]
    assert asked == []


def test_o2_a_hook_that_can_never_be_called_is_refused_when_it_is_registered() -> None:
    crawler = hondius.Crawler(f"{HOST}/")

    async def later(page: hondius.Page) -> None: ...
    def narrow(page: hondius.Page) -> list[Any]:
        return []

    class Later:
        async def __call__(self, page: hondius.Page) -> None: ...

    wrong: list[tuple[Any, Any, str]] = [
        (crawler.follow, narrow, r"the follow hook narrow takes \(page.* and is called with \(page, links\)"),
        (crawler.extract, lambda: None, r"is called with \(page\)"),
        (crawler.extract, later, r"write `def` instead of `async def`"),
        (crawler.sink, Later(), r"the sink hook Later is called on a worker thread"),
        (crawler.classify, "shoes", r"a classify hook is a function, not 'shoes'"),
    ]
    for register, hook, message in wrong:
        with pytest.raises(hondius.WrongUse, match=message):
            register(hook)
    with pytest.raises(hondius.WrongUse, match=r"write @crawler\.extract without parentheses"):
        crawler.extract()
    builtin: Any = dict
    assert crawler.extract(builtin) is dict, "the signature of a built-in function may be unknown"


@FAILS
async def test_o2_extracted_values_that_json_cannot_hold_or_are_too_long_are_failures(tmp_path: Path) -> None:
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), set={"hooks.max_extracted": 100})
        values: dict[str, Any] = {"/about": {"a": {1, 2}}, "/legal": {"a": "x" * 200}, "/cart": {"a": "\ud800"}}
        crawler.extract(lambda page: values.get(page.url.removeprefix(HOST)))
        summary = await crawler.arun()
    assert summary["pages"] == 6
    assert summary["hook_failures"] == 3


@FAILS
async def test_o2_a_page_at_which_a_sink_failed_comes_again_in_the_next_run(tmp_path: Path) -> None:
    """A sink is called at least once for each page *with success*."""
    async with scripted_site(make_chain(25)) as site:
        is_down = True
        seen: list[str] = []
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))

        @crawler.sink
        def store(page: hondius.Page) -> None:
            if is_down and len(seen) >= 5:
                raise ConnectionError("the database is down")
            seen.append(page.url)

        first = await crawler.arun()
        assert (first["hook_failures"], len(seen)) == (20, 5)
        is_down = False
        second = await crawler.arun()
        assert (second["hook_failures"], len(seen)) == (0, 25), "what succeeded before the failure is not repeated"
        await crawler.arun()
    assert len(seen) == len(set(seen)) == 25


@FAILS
async def test_o2_a_sink_gets_every_durable_page(tmp_path: Path) -> None:
    async with scripted_site(make_chain(25)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        urls: list[str] = []

        @crawler.sink
        def index(page: hondius.Page) -> None:
            urls.append(page.url)
            if page.url.endswith("/7"):
                raise ValueError("no room")

        summary = await asyncio.to_thread(crawler.run)
    assert sorted(urls) == sorted([f"{HOST}/", *(f"{HOST}/{number}" for number in range(1, 25))])
    assert summary["hook_failures"] == 1


async def test_o2_pages_with_many_links_are_filtered_in_pieces(tmp_path: Path) -> None:
    script: Script = {"/": make_page("many", *(f"/item/{number}" for number in range(5_000)))}
    script |= {f"/item/{number}": make_page(f"item {number}") for number in range(0, 5_000, 1_000)}
    async with scripted_site(script) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        crawler.follow(lambda page, links: [link for link in links if link.url.endswith("000")])
        summary = await crawler.arun()
        assert len(site.paths()) == 5
    assert summary["failed"] == 0


async def test_o2_installed_hooks_are_off_by_default_and_named_by_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command loads them, too."""
    package = tmp_path / "packages"
    (package / "shoes-1.0.dist-info").mkdir(parents=True)
    (package / "shoes.py").write_text("def price(page):\n    return {'price': len(page.title)}\n")
    (package / "shoes-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: shoes\nVersion: 1.0\n")
    (package / "shoes-1.0.dist-info" / "entry_points.txt").write_text("[hondius.extract]\nprice = shoes:price\n")
    monkeypatch.setenv("PYTHONPATH", str(package))
    async with scripted_site({"/": Answer.page()}) as site:
        options = ("--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json")
        plain = await command("crawl", f"{HOST}/", "--into", tmp_path / "plain", *options)
        hooked = await command("crawl", f"{HOST}/", "--into", tmp_path / "hooked", "--hook", "price", *options)
        unknown = await command("crawl", f"{HOST}/", "--into", tmp_path / "no", "--hook", "prize", *options)
    assert (plain.status, hooked.status, unknown.status) == (0, 0, 2)
    assert "--hook prize: no installed package has a hook of this name; did you mean price?" in unknown.error
    assert not (tmp_path / "no").exists()
    extracted = {}
    for name in ("plain", "hooked"):
        with hondius.open(tmp_path / name) as opened:
            extracted[name] = opened[f"{HOST}/"].extracted
    assert json.loads(json.dumps(extracted)) == {"plain": {}, "hooked": {"price": 1}}


async def test_o2_a_hook_sees_the_decoded_body_of_a_compressed_page(tmp_path: Path) -> None:
    html = b"<html><title>packed</title><p>pressed together</p></html>"
    headers = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
    damaged = (("Content-Type", "text/html"), ("Content-Encoding", "br"))
    script: Script = {
        "/": make_page("start", "/packed", "/damaged"),
        "/packed": Answer(gzip.compress(html), headers=headers),
        "/damaged": Answer(html, headers=damaged),
    }
    bodies: dict[str, bytes | None] = {}
    async with scripted_site(script) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"), max_time=20)
        crawler.extract(lambda page: bodies.update({page.url: page.body}))
        await crawler.arun()
    assert bodies[f"{HOST}/packed"] == html
    with hondius.open(tmp_path / "c") as opened:
        assert opened[f"{HOST}/packed"].body == html


def test_o2_the_options_of_a_crawl_in_python_are_those_of_the_command() -> None:
    assert set(CrawlOptions.__annotations__) == {*list_options(), "log_level", "log_json", "set"}


def test_o2_the_public_names_are_listed_and_exist() -> None:
    assert all(hasattr(hondius, name) for name in hondius.__all__)
    assert set(hondius.__all__) <= set(dir(hondius))


async def test_o2_a_run_without_the_hooks_of_an_earlier_program_warns(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, into), max_pages=1)

        @crawler.follow
        def products(page: hondius.Page, links: list[Any]) -> list[Any]:
            return links

        @crawler.sink
        def show(page: hondius.Page) -> None:
            pass

        await crawler.arun()
        resumed = await command("resume", into, "--max-pages", "2")
        again = await command("crawl", f"{HOST}/", "--into", into, "--max-pages", "2", "--json")
        advice = await command("recrawl", into, f"{HOST}/")
    had = "an earlier run had hooks of a Python program (follow products, sink show)"
    line = f"hondius: warning: {had}; this run does not have them: run that program again instead\n"
    assert (resumed.status, resumed.error.count(line)) == (0, 1)
    assert (again.status, again.error.count(line)) == (0, 1)
    assert f"{had}, and `resume` does not have them: run that program again instead" in advice.out


async def test_o2_a_crawl_without_hooks_is_resumed_without_a_warning(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(dict(SHOP)) as site:
        await hondius.Crawler(f"{HOST}/", **make_options(site, into), max_pages=1).arun()
        assert "hooks" not in (await command("resume", into)).error
        (into / "hooks.json").write_bytes(b'{"not": "names"}')
        assert "hooks" not in (await command("resume", into)).error


async def test_o2_the_hooks_of_a_program_are_those_of_its_last_run(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(dict(SHOP)) as site:
        for name in ("first", "second"):
            crawler = hondius.Crawler(f"{HOST}/", **make_options(site, into))

            def hook(page: hondius.Page) -> dict[str, Any]:
                return {}

            hook.__name__ = name
            crawler.extract(hook)
            await crawler.arun()
        assert "(extract second)" in (await command("resume", into)).error


@pytest.mark.parametrize(
    ("returned", "kind"), [(["red"], "a list"), ("red", "a string"), (7, "an int"), (("red", 1), "a tuple")]
)
async def test_o2_an_extract_hook_that_returns_no_dictionary_is_told_so(
    tmp_path: Path, returned: Any, kind: str
) -> None:
    async with scripted_site({"/": make_page("the shop")}) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        crawler.extract(lambda page: returned)
        with pytest.warns(hondius.CrawlWarning, match=f"an extract hook returns a dictionary, not {kind}"):
            await crawler.arun()


@pytest.mark.parametrize(("returned", "kind"), [(f"{HOST}/about", "a string"), (3, "an int")])
async def test_o2_a_follow_hook_that_returns_no_links_is_told_so(tmp_path: Path, returned: Any, kind: str) -> None:
    async with scripted_site(dict(SHOP)) as site:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, tmp_path / "c"))
        crawler.follow(lambda page, links: returned)
        with pytest.warns(hondius.CrawlWarning, match=f"a follow hook returns a list of links, not {kind}"):
            await crawler.arun()


async def test_o2_a_crawl_warning_points_at_the_line_of_the_program(tmp_path: Path) -> None:
    def make(into: Path) -> hondius.Crawler:
        crawler = hondius.Crawler(f"{HOST}/", **make_options(site, into))
        crawler.extract(lambda page: {"a lone surrogate": "\ud800"})
        return crawler

    def run_in_blocks() -> None:
        with make(tmp_path / "b") as crawl:
            crawl.finish()
        with hondius.crawl_sync("http://nothing.test:9/", into=tmp_path / "c", resolve="*.test=127.0.0.1:9") as crawl:
            crawl.finish()

    async with scripted_site({"/": make_page("the shop")}) as site:
        with warnings.catch_warnings(record=True, action="always") as given:
            await asyncio.to_thread(lambda: make(tmp_path / "a").run())
            await asyncio.to_thread(run_in_blocks)
            await make(tmp_path / "d").arun()
    assert [warning.filename for warning in given] == [__file__] * 4
