"""Seeds: many of them, odd files of them, and those of a crawl that exists (D1, F3, F5)."""

import asyncio
import gzip
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    Answer,
    Ended,
    ScriptedSite,
    comes_true,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    until,
)
from tests.unshakable.interrupting import interrupt

PAGE = Answer.page()
REFUSED = "127.0.0.1:9"
MEGABYTE = 1_000_000


@asynccontextmanager
async def crawling(*arguments: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs with a standard input that the test writes to; killed at the end of the context."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hondius", *map(str, arguments), stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def wait_for_end(process: asyncio.subprocess.Process) -> Ended:
    out, error = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), error.decode())


def resolve_options(site: ScriptedSite) -> tuple[str, ...]:
    return ("--resolve", f"*.test=127.0.0.1:{site.port}", "--delay", "0", "--set", "scope.sitemaps=false")


def pages(site: ScriptedSite) -> set[str]:
    return {f"{request.host}{request.path}" for request in site.requests if request.path != "/robots.txt"}


@pytest.mark.defect("nothing was requested before the last seed had been read")
async def test_d1_f3_crawling_begins_while_seeds_still_come(tmp_path: Path) -> None:
    async with (
        scripted_site({"/": PAGE}) as site,
        crawling("crawl", "-", "--into", tmp_path / "c", *resolve_options(site)) as process,
    ):
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"http://a.test/\nhttp://b.test/\n")
        await until(lambda: pages(site) == {"a.test/", "b.test/"})
        said = b""
        while b"seeds: 2 taken" not in said:
            said += await asyncio.wait_for(process.stderr.readline(), 30)
        process.stdin.write(b"http://c.test/\n")
        process.stdin.write_eof()
        assert (await wait_for_end(process)).status == 0
        assert pages(site) == {"a.test/", "b.test/", "c.test/"}


async def load(tmp_path: Path, count: int, most: int) -> int:
    """Takes `count` seeds of as many unreachable hosts, and is then interrupted. Returns its peak memory; kills the
    process as soon as it uses more than `most`."""
    seeds, directory = tmp_path / "seeds.csv", tmp_path / "c"
    seeds.write_text("".join(f"{number},h{number}.test\n" for number in range(1, count + 1)))
    options = ("--resolve", f"*.test={REFUSED}", "--json")
    async with crawling("crawl", "--seeds", seeds, "--into", directory, *options) as process:
        await until(
            lambda: count_taken(directory) >= count or peak_memory(process) > most or process.returncode is not None,
            900,
        )
        peak = peak_memory(process)
        if peak <= most:
            process.send_signal(signal.SIGINT)
            run = await wait_for_end(process)
            assert run.status == 130, run.error
            peak = max(peak, run.figures["max_rss_bytes"])
    return peak


def peak_memory(process: asyncio.subprocess.Process) -> int:
    """0 for a process that has ended."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def count_taken(directory: Path) -> int:
    try:
        queue = json.loads((directory / "queue.json").read_text())
    except (OSError, ValueError):
        return 0
    return int(queue["urls"])


@pytest.mark.defect("memory grew by 2.7 KB a seed", minutes=True)
async def test_f3_200_000_seeds_are_never_in_memory_together(tmp_path: Path) -> None:
    assert await load(tmp_path, 200_000, 300 * MEGABYTE) <= 300 * MEGABYTE


@pytest.mark.defect("a million seeds took 2.9 GB", minutes=True)
async def test_f3_a_million_seeds_take_400_megabytes(tmp_path: Path) -> None:
    assert await load(tmp_path, 1_000_000, 400 * MEGABYTE) <= 400 * MEGABYTE


@pytest.mark.defect("while a file of seeds was read, nothing was shown, and Ctrl-C had no effect or no answer")
async def test_o1c_an_interrupt_is_heard_at_once_while_a_file_of_seeds_is_read(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("".join(f"http://h{number}.test/\n" for number in range(1_000_000)))
    arguments = ("crawl", "--seeds", seeds, "--into", tmp_path / "c", "--resolve", f"*.test={REFUSED}", "--json")
    async with crawling(*arguments) as process:
        await until((tmp_path / "c").exists, 120)
        await comes_true(lambda: count_taken(tmp_path / "c") > 0, 5)
        took, error = await interrupt(process, patience=30)
    assert took < 4
    assert process.returncode == 130
    assert re.search(r"seeds: [0-9,]+ taken", error), error


@pytest.mark.defect("after an interrupt nobody said which seeds had been taken, or how to take the others")
async def test_f3_after_an_interrupt_the_same_command_takes_the_other_seeds(tmp_path: Path) -> None:
    async with scripted_site({"/": PAGE}) as site:
        arguments: tuple[str | Path, ...] = ("crawl", "-", "--into", tmp_path / "c", *resolve_options(site))
        async with crawling(*arguments) as process:
            await while_seeds_come(process, site)
            process.send_signal(signal.SIGINT)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 10)
        resumed = await hondius("resume", tmp_path / "c")
        assert "1 seed of standard input" in resumed.error
        assert "same command" in resumed.error
        assert process.returncode == 130
        assert process.stderr is not None
        assert b"1 taken" in await process.stderr.read()
        assert resumed.status == 0
        async with crawling(*arguments) as process:
            assert process.stdin is not None
            process.stdin.write(b"http://a.test/\nhttp://b.test/\n")
            process.stdin.write_eof()
            assert (await wait_for_end(process)).status == 0
        assert [request.host for request in site.requests if request.path == "/"] == ["a.test", "b.test"]
        assert "same command" not in (await hondius("resume", tmp_path / "c")).error


async def while_seeds_come(process: asyncio.subprocess.Process, site: ScriptedSite) -> None:
    """Gives one seed without closing the input. Builds that can crawl it within seconds."""
    assert process.stdin is not None
    process.stdin.write(b"http://a.test/\n")
    await comes_true(lambda: "a.test/" in pages(site), 5)


@pytest.mark.defect("seeds of a crawl that was killed while they came were not missed by anybody")
async def test_f5_seeds_that_a_killed_crawl_lacks_are_missed(tmp_path: Path) -> None:
    async with scripted_site({"/": PAGE}) as site:
        arguments: tuple[str | Path, ...] = ("crawl", "-", "--into", tmp_path / "c", *resolve_options(site))
        async with crawling(*arguments) as process:
            await while_seeds_come(process, site)
            process.kill()
            await process.wait()
        resumed = await hondius("resume", tmp_path / "c")
        assert "1 seed of standard input" in resumed.error
        assert "same command" in resumed.error


@pytest.mark.defect("crawl took new seeds into a crawl that exists, and changed settings without a word")
async def test_o1_crawl_goes_on_with_a_crawl_that_knows_its_seeds_and_with_no_other(tmp_path: Path) -> None:
    async with scripted_site({"/": PAGE}) as site:
        assert (await crawl(site, tmp_path / "c", "http://a.test/", "--max-depth", "3")).status == 0
        before = (tmp_path / "c" / "hondius.toml").read_bytes()
        other = await crawl(site, tmp_path / "c", "http://a.test/", "http://b.test/", "--max-depth", "5")
        assert other.status == 2
        assert "http://b.test/" in other.error
        assert "`hondius resume " in other.error
        assert (tmp_path / "c" / "hondius.toml").read_bytes() == before
        assert "b.test/" not in pages(site)
        again = await crawl(site, tmp_path / "c", "http://a.test/", "--max-depth", "4")
        assert again.status == 0
        assert "scope.max_depth = 4 (was 3)" in again.error
        assert "politeness.delay = 0.0" in again.error


@pytest.mark.defect("one bad line refused a whole seed file")
async def test_d1_a_line_that_is_no_seed_is_skipped_and_told(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_bytes(b"http://a.test/\nmailto:nobody@a.test\n\xff\xfe\nhttp://b.test/\tsoon\nhttp://c.test/\thigh\n")
    async with scripted_site({"/": PAGE}) as site:
        run = await crawl(site, tmp_path / "c", "--seeds", str(seeds))
        assert run.status == 0, run.error
        assert set(await export_rows(tmp_path / "c")) == {"http://a.test/", "http://c.test/"}
        assert "3 lines of seeds.txt skipped" in run.error
        assert "line 2: 'mailto:nobody@a.test'" in run.error
        assert "line 4" in run.error


@pytest.mark.defect("seed files could be neither gzipped nor quoted CSV")
async def test_d1_seeds_are_read_from_quoted_csv_that_is_gzipped(tmp_path: Path) -> None:
    seeds = tmp_path / "top.csv.gz"
    rows = '"Rank","Domain","Score"\n"1","http://a.test/","10.0"\n"2","http://b.test/","9.9"\n'
    seeds.write_bytes(gzip.compress(rows.encode()) + gzip.compress(b'"3","http://c.test/","9.8"\n'))
    async with scripted_site({"/": PAGE}) as site:
        run = await crawl(site, tmp_path / "c", "--seeds", str(seeds))
        assert run.status == 0, run.error
        assert set(await export_rows(tmp_path / "c")) == {f"http://{name}.test/" for name in "abc"}


@pytest.mark.defect("a seed that --include does not match was refused")
async def test_d5_seeds_need_not_match_include_but_exclude_holds(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/in/1", "/out/2"), "/in/1": PAGE, "/out/2": PAGE}) as site:
        run = await crawl(site, tmp_path / "c", "http://a.test/", "--include", "/in/")
        assert run.status == 0, run.error
        assert set(await export_rows(tmp_path / "c")) == {"http://a.test/", "http://a.test/in/1"}
        excluded = await crawl(site, tmp_path / "d", "http://a.test/", "--exclude", "a.test")
        assert excluded.status == 2
        assert "--exclude" in excluded.error
