"""`hondius.crawl`: a crawl inside a program (O2)."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

import hondius
from tests.journeys.scripted_site import crawl as crawl_by_command
from tests.journeys.scripted_site import export_rows, scripted_site, until
from tests.python.sites import HOST, make_chain, make_options


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
