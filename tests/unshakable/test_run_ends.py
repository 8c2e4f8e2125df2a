"""When a run ends: at once when nothing is left, in time, and cleanly whatever signal comes (F9, O1c)."""

import asyncio
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, crawl, hondius, scripted_site, start_command, until
from tests.unshakable.interrupting import interrupt
from tests.unshakable.names import find


@pytest.mark.defect("a crawl waited for the last host's pause with nothing queued")
async def test_f9_a_crawl_ends_at_once_when_nothing_is_left(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page()}) as site:
        run = await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false", delay="12")
        assert run.status == 0
        finished = time.time()
        assert run.figures["stop_reason"] == "done"
        last = max(request.at for request in site.requests)
        assert finished - last < 9


@pytest.mark.defect("--max-time stuck in hondius.toml, and nothing lifted it")
async def test_f9_max_time_belongs_to_one_run(tmp_path: Path) -> None:
    slow = Answer.page(*(f"/{number}" for number in range(40)))
    async with scripted_site({"/": slow}, otherwise=Answer.page()) as site:
        run = await crawl(site, tmp_path / "c", "http://a.test/", "--max-time", "4", delay="1")
        assert run.figures["stop_reason"] == "max_time"
        assert "max_time" not in (tmp_path / "c" / "hondius.toml").read_text()
        resumed = await hondius("resume", tmp_path / "c", "--delay", "0", "--json")
        assert (resumed.status, resumed.figures["stop_reason"]) == (0, "done")


@pytest.mark.defect("--max-time of an old hondius.toml ended every run", inside=True)
async def test_f9_a_settings_file_that_has_max_time_is_read_without(tmp_path: Path) -> None:
    read_settings = find("hondius.settings", "read_settings", "read_back")
    assert read_settings(b"format = 1\n[limits]\nmax_time = 1.0\n", "hondius.toml").limits.max_time is None


@pytest.mark.defect("SIGHUP killed a crawl without a word")
async def test_o1c_sighup_ends_a_crawl_as_sigterm_does(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/1", "/2", "/3", "/4")}, otherwise=Answer.page()) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        process = await start_command(
            "crawl", "http://a.test/", "--into", tmp_path / "c", "--resolve", resolve, "--json"
        )
        await until(lambda: any(request.path == "/" for request in site.requests))
        process.send_signal(signal.SIGHUP)
        out, error = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 130, error
        assert b'"stop_reason": "interrupted"' in out


async def large_store(tmp_path: Path) -> Path:
    """A crawl whose views must be rebuilt from the log, which takes some seconds."""
    directory, seeds = tmp_path / "c", tmp_path / "seeds.txt"
    seeds.write_text("".join(f"http://h{number}.test/\n" for number in range(200_000)))
    options = ("--resolve", "*.test=127.0.0.1:9", "--set", "frontier.most_awake=10000")
    process = await start_command("crawl", "--seeds", seeds, "--into", directory, *options, "--json")
    await until(lambda: (directory / "queue.json").exists() and b'"urls":200000' in _read(directory), 300)
    process.kill()
    await process.communicate()
    shutil.rmtree(directory / "urls")
    (directory / "crawl.db").unlink()
    return directory


def _read(directory: Path) -> bytes:
    return (directory / "queue.json").read_bytes()


@pytest.mark.defect("--max-time did not count while the stores were opened", minutes=True)
async def test_f9_max_time_is_kept_while_the_stores_are_opened(tmp_path: Path) -> None:
    directory = await large_store(tmp_path)
    run = await hondius("resume", directory, "--max-time", "1", "--json")
    assert run.figures["stop_reason"] == "max_time"
    assert run.figures["seconds"] < 2.0


@pytest.mark.defect("Ctrl-C was not heard while the stores were opened", minutes=True)
async def test_o1c_an_interrupt_is_heard_while_the_stores_are_opened(tmp_path: Path) -> None:
    directory = await large_store(tmp_path)
    process = await start_command("resume", directory, "--json")
    await until(lambda: (directory / "crawl.db").exists())
    took, _ = await interrupt(process, patience=20)
    assert took < 1.5
    assert process.returncode == 130
