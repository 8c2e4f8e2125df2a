"""`hondius.crawl`: a crawl inside a program (O2)."""

import asyncio
import json
import logging
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

import hondius
from tests.journeys.scripted_site import crawl as crawl_by_command
from tests.journeys.scripted_site import export_rows, scripted_site, until
from tests.python.sites import HOST, make_chain, make_options, make_page


async def test_o2_pages_come_durable_and_the_summary_has_the_figures_of_the_command(tmp_path: Path) -> None:
    async with scripted_site(make_chain(30)) as site:
        urls: list[str] = []
        async with hondius.crawl(f"{HOST}/", **make_options(site, tmp_path / "c")) as crawl:
            async for page in crawl:
                assert page.url in await export_rows(tmp_path / "c") if not urls else True
                urls.append(page.url)
        ended = await crawl_by_command(site, tmp_path / "d", f"{HOST}/")
    assert sorted(urls) == sorted([f"{HOST}/", *(f"{HOST}/{number}" for number in range(1, 30))])
    assert crawl.summary["pages"] == crawl.summary["pages_this_run"] == 30
    assert crawl.summary.keys() == ended.figures.keys()
    assert crawl.summary["stop_reason"] == "done"


async def test_o2_a_page_can_be_read_while_the_crawl_runs_and_after_it(tmp_path: Path) -> None:
    async with scripted_site(make_chain(3)) as site, hondius.crawl(f"{HOST}/", **make_options(site, tmp_path)) as crawl:
        pages = [page async for page in crawl if (page.body or b"").startswith(b"<html>")]
    assert len(pages) == 3
    assert {link.url for page in pages for link in page.links} >= {f"{HOST}/1"}
    assert all(dict(page.headers)["content-type"] == "text/html" for page in pages)


async def test_o2_leaving_early_checkpoints_and_the_same_call_continues(tmp_path: Path) -> None:
    async with scripted_site(make_chain(60)) as site:
        options = make_options(site, tmp_path / "c")
        seen = set()
        async with hondius.crawl(f"{HOST}/", **options, buffer=5) as crawl:
            async for page in crawl:
                seen.add(page.url)
                if len(seen) == 10:
                    break
        assert crawl.summary["stop_reason"] == "interrupted"
        assert len(site.paths()) < 60
        async with hondius.crawl(f"{HOST}/", **options) as crawl:
            await crawl.finish()
        assert crawl.summary["pages"] == 60
        assert len(site.paths()) == 60
    assert len(await export_rows(tmp_path / "c")) == 60


@pytest.mark.parametrize("moment", ["opening", "crawling", "closing"])
async def test_o2_a_cancelled_task_leaves_the_directory_free_and_resumable(tmp_path: Path, moment: str) -> None:
    async with scripted_site(make_chain(40)) as site:
        options = make_options(site, tmp_path / "c")
        seen: list[str] = []
        is_leaving = asyncio.Event()

        async def work() -> None:
            async with hondius.crawl(f"{HOST}/", **options, buffer=3) as crawl:
                async for page in crawl:
                    seen.append(page.url)
                    if moment == "closing" and len(seen) == 5:
                        is_leaving.set()
                        break

        task = asyncio.create_task(work())
        if moment == "crawling":
            await until(lambda: len(seen) > 3)
        elif moment == "closing":
            await is_leaving.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with hondius.crawl(f"{HOST}/", **options) as crawl:
            await crawl.finish()
        assert crawl.summary["pages"] == 40


async def test_o2_an_exception_in_the_loop_is_raised_after_the_checkpoint(tmp_path: Path) -> None:
    async with scripted_site(make_chain(10)) as site:
        options = make_options(site, tmp_path / "c")
        crawl = hondius.crawl(f"{HOST}/", **options)

        async def fail() -> None:
            async with crawl:
                async for page in crawl:
                    raise ZeroDivisionError(page.url)

        with pytest.raises(ZeroDivisionError):
            await fail()
        assert crawl.summary["stop_reason"] in ("interrupted", "done")
        async with hondius.crawl(f"{HOST}/", **options) as again:
            await again.finish()
        assert again.summary["pages"] == 10


async def test_o2_a_slow_loop_holds_the_crawl_back(tmp_path: Path) -> None:
    async with scripted_site(make_chain(100)) as site:
        taken = 0
        async with hondius.crawl(f"{HOST}/", **make_options(site, tmp_path / "c"), buffer=4) as crawl:
            async for _ in crawl:
                taken += 1
                assert len(site.paths()) <= taken + 4
    assert taken == 100


async def test_o2_three_crawls_share_a_loop_and_no_signal_handler_is_installed(tmp_path: Path) -> None:
    """In a process of its own: the guard of the tests allows no crawl to start while another one runs in its loop."""
    async with scripted_site(make_chain(25)) as site:
        service = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            SERVICE,
            str(tmp_path),
            f"*.test=127.0.0.1:{site.port}",
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await service.communicate()
    assert json.loads(out) == {"pages": [25, 25, 25], "handlers": [True, True, True]}
    assert all((tmp_path / name / "hondius.toml").exists() for name in "abc")


SERVICE = """
import asyncio, hondius, json, signal, sys
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
before = [signal.getsignal(number) for number in SIGNALS]

async def count(name):
    options = {"into": f"{sys.argv[1]}/{name}", "delay": 0, "resolve": sys.argv[2]}
    async with hondius.crawl("http://shop.test/", **options) as crawl:
        pages = [page async for page in crawl]
        return len(pages), [signal.getsignal(number) for number in SIGNALS]

async def serve():
    counts = await asyncio.gather(*(count(name) for name in "abc"))
    same = [now[1][0] is not None and now[1][1:] == before[1:] for now in counts]
    print(json.dumps({"pages": [pages for pages, _ in counts], "handlers": same}))

asyncio.run(serve())
"""


async def test_o2_wrong_use_is_told_before_anything_is_written(tmp_path: Path) -> None:
    for options, message in (
        ({"max_page": 3}, "max_page is not an option of a crawl; did you mean max_pages?"),
        ({"max_bytes": "ten"}, "--max-bytes 'ten' is not understood: write it like 10GB or 500MiB"),
        ({"set": {"scope.max_dept": 1}}, "set scope.max_dept: there is no such setting here"),
        ({"include": "("}, "--include '(' is not a regular expression"),
    ):
        with pytest.raises(hondius.BadSetting) as raised:
            await hondius.crawl("http://a.test/", into=tmp_path / "c", **options).__aenter__()
        assert message in str(raised.value)
    with pytest.raises(hondius.BadSeed, match="nothing to crawl"):
        await hondius.crawl(into=tmp_path / "c").__aenter__()
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("seeds", "options", "message"),
    [
        ((5,), {}, "5 is no seed: give URLs as texts"),
        ((b"http://a.test/",), {}, "is no seed"),
        ((["http://a.test/", None],), {}, "None is no seed"),
        (("http://a.test/",), {"set": "limits.max_pages=3"}, "set={'limits.max_pages': 3}"),
        (("http://a.test/",), {"set": ["limits.max_pages=3"]}, "set={'limits.max_pages': 3}"),
        (("http://a.test/",), {"buffer": "x"}, "buffer is 'x': a number from 1 on is expected"),
        (("http://a.test/",), {"into": 5}, "into is 5: a path is expected"),
        (("http://a.test/",), {"log_level": 3}, "log_level is a text"),
        (("http://a.test/",), {"log_level": "loud"}, "--log-level loud is unknown: choose from debug"),
        (("http://a.test/",), {"json": True}, "the same figures from crawl.summary"),
        ((), {"seeds": ["http://a.test/"]}, "seeds are given without a name"),
    ],
)
def test_o2_arguments_of_another_type_are_refused_by_the_call_itself(
    seeds: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    for call in (hondius.crawl, hondius.crawl_sync):
        with pytest.raises(hondius.WrongUse) as refused:
            call(*seeds, **options)
        assert message in str(refused.value)


def test_o2_an_option_that_is_a_list_says_which_types_it_takes(tmp_path: Path) -> None:
    for options in ({"header": 5}, {"allow_private": {"10.0.0.1": True}}, {"include": b"x"}):
        (name,) = options
        needs = rf"--{name.replace('_', '-')} needs a text or a list of texts, not a value of type"
        with (
            pytest.raises(hondius.BadSetting, match=needs),
            hondius.crawl_sync("http://a.test/", into=tmp_path, **options),
        ):
            pass


async def test_o2_headers_and_addresses_may_be_dictionaries(tmp_path: Path) -> None:
    async with scripted_site(make_chain(1)) as site:
        options = make_options(site, tmp_path / "c", resolve={"*.test": f"127.0.0.1:{site.port}"})
        async with hondius.crawl(f"{HOST}/", **options, header={"X-Shop": "yes", "X-More": "too"}) as crawl:
            await crawl.finish()
        asked = next(request for request in site.requests if request.path == "/")
    assert {name.lower(): value for name, value in asked.headers.items()}.items() >= {
        "x-shop": "yes",
        "x-more": "too",
    }.items()


async def test_o2_seeds_are_given_one_by_one_or_as_a_list(tmp_path: Path) -> None:
    async with scripted_site({"/a": make_page("one"), "/b": make_page("two")}) as site:
        for number, seeds in enumerate(((f"{HOST}/a", f"{HOST}/b"), ([f"{HOST}/a", f"{HOST}/b"],))):
            async with hondius.crawl(*seeds, **make_options(site, tmp_path / f"c{number}")) as crawl:
                await crawl.finish()
            summary = await hondius.Crawler(*seeds, **make_options(site, tmp_path / f"d{number}")).arun()
            assert crawl.summary["pages"] == summary["pages"] == 2


async def test_o2_a_crawl_that_fetched_nothing_warns_and_lists_its_seeds(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = hondius.crawl("http://127.0.0.1:9/about", into=tmp_path / "c", delay=0)
    with pytest.warns(hondius.CrawlWarning, match=r"nothing was fetched: http://127.*address_refused.*hondius explain"):
        async with crawl:
            assert [page async for page in crawl] == []
    assert crawl.summary["failed_seeds"] == [{"url": "http://127.0.0.1:9/about", "cause": "address_refused"}]
    assert "nothing was fetched" in caplog.text


async def test_o2_the_level_of_the_log_is_an_option(tmp_path: Path) -> None:
    level = logging.getLogger("hondius").level
    async with scripted_site(make_chain(2)) as site:
        options = make_options(site, tmp_path / "c", log_level="debug", log_json=True)
        async with hondius.crawl(f"{HOST}/", **options) as crawl:
            await crawl.finish()
    lines = [json.loads(line) for line in (tmp_path / "c" / "crawl.log").read_text().splitlines()]
    assert {"debug", "info"} <= {line["level"] for line in lines}
    assert logging.getLogger("hondius").level == level


async def test_d1_a_program_adds_a_seed_to_an_existing_crawl(tmp_path: Path) -> None:
    async with scripted_site({"/a": make_page("one"), "/b": make_page("two")}) as site:
        options = make_options(site, tmp_path / "c")
        async with hondius.crawl(f"{HOST}/a", **options) as crawl:
            await crawl.finish()
        with pytest.raises(hondius.BadSeed) as refused:
            await hondius.crawl(f"{HOST}/b", **options).__aenter__()
        assert "add_seeds=True adds it, another `into` starts a new crawl" in str(refused.value)
        assert len(traceback.extract_tb(refused.value.__traceback__)) == 2, "this test, and __aenter__"
        async with hondius.crawl(f"{HOST}/b", **options, add_seeds=True) as crawl:
            assert [page.title async for page in crawl] == ["two"]
    assert crawl.summary["pages"] == 2


async def test_o2_a_crawl_that_runs_already_is_refused(tmp_path: Path) -> None:
    async with scripted_site(make_chain(5)) as site:
        options = make_options(site, tmp_path / "c")
        async with hondius.crawl(f"{HOST}/", **options, buffer=1):
            with pytest.raises(hondius.DirectoryInUse):
                await hondius.crawl(f"{HOST}/", **options).__aenter__()


async def test_o2_a_named_consumer_gets_every_page_of_several_runs(tmp_path: Path) -> None:
    async with scripted_site(make_chain(30)) as site:
        options = make_options(site, tmp_path / "c")
        urls: list[str] = []
        async with hondius.crawl(f"{HOST}/", **options, consumer="index", buffer=5) as crawl:
            async for page in crawl:
                urls.append(page.url)
                if len(urls) == 8:
                    break
        async with hondius.crawl(f"{HOST}/", **options, consumer="index") as crawl:
            urls += [page.url async for page in crawl]
    assert len(set(urls)) == 30
    assert len(urls) == 31, "the page at which the loop was left was not acknowledged"


async def test_o2_tasks_that_share_a_crawl_and_finish_it_meet_no_empty_queue(tmp_path: Path) -> None:
    async with scripted_site(make_chain(1)) as site:
        options = make_options(site, tmp_path / "c")
        async with hondius.crawl(f"{HOST}/", **options) as crawl:
            taken = await asyncio.gather(*(anext(crawl, None) for _ in range(3)))
    assert [page.url for page in taken if page is not None] == [f"{HOST}/"]


async def test_o2_a_consumer_that_stops_waiting_for_a_page_gets_it_with_the_next_take(tmp_path: Path) -> None:
    async with scripted_site(make_chain(12)) as site:
        urls: list[str] = []
        timeouts = 0
        async with hondius.crawl(f"{HOST}/", **make_options(site, tmp_path / "c"), consumer="index") as crawl:
            while True:
                try:
                    page = await asyncio.wait_for(anext(crawl, None), 0.002)
                except TimeoutError:
                    timeouts += 1
                    continue
                if page is None:
                    break
                urls.append(page.url)
    assert timeouts
    assert len(urls) == len(set(urls)) == 12


async def test_o2_a_page_that_a_consumer_did_not_wait_for_is_not_acknowledged(tmp_path: Path) -> None:
    async with scripted_site(make_chain(5)) as site:
        options = make_options(site, tmp_path / "c")
        async with hondius.crawl(f"{HOST}/", **options, consumer="index") as crawl:
            first = await anext(crawl)
            waiting = asyncio.ensure_future(anext(crawl))
            await asyncio.sleep(0)
            with pytest.raises(hondius.WrongUse, match="another task takes pages"):
                await anext(crawl)
            waiting.cancel()
        async with hondius.crawl(f"{HOST}/", **options, consumer="index") as crawl:
            urls = [page.url async for page in crawl]
    assert sorted({first.url, *urls}) == sorted([f"{HOST}/", *(f"{HOST}/{number}" for number in range(1, 5))])
    assert len(urls) >= 4
