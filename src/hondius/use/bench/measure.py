"""Runs and measures the crawl."""

import asyncio
import json
import os
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from hondius.crawler.assemble import OpenCrawl, assemble_crawl, make_surroundings
from hondius.crawler.seeds import SeedSource, make_source, parse_arguments
from hondius.crawler.store_opening import open_stores
from hondius.crawler.translation import ensure_descriptors, find_descriptor_limit, make_identity
from hondius.errors import HondiusError, WrongUse
from hondius.native import Engine
from hondius.opening import place_of
from hondius.settings import Settings, make_settings
from hondius.use.bench.figures import Figures, LoopFigures
from hondius.use.bench.loop_watch import LoopWatch
from hondius.use.bench.site import PAGES_PER_HOST, make_host_address, make_host_name
from hondius.use.bench.stages import Stopwatch, build_table, watch_engine, watch_stores
from hondius.use.bench.threads import measure_busy_seconds, measure_threads

PREFIX = "hondius-bench-"
SPARE_DESCRIPTORS = 40


@dataclass(slots=True)
class ServerProcess:
    port: int
    cpu: float = 0.0
    """CPU seconds; set when the server has ended."""


def measure(hosts: int, concurrency: int, *, watch_loop: bool = False) -> Figures:
    """Crawls the pages of `hosts` hosts in a temporary directory. `watch_loop` times each callback of the event loop,
    which costs a little."""
    loop = LoopWatch() if watch_loop else None
    with _interrupt_on_signals(), nullcontext() if loop is None else loop.install():
        places = Path(tempfile.gettempdir())
        _remove_leftovers(places)
        # The name is chosen before the directory exists, so that a signal at any moment leaves nothing behind.
        directory = places / f"{PREFIX}{secrets.token_hex(8)}"
        try:
            directory.mkdir(mode=0o700)
            with run_server(hosts) as server:
                figures = asyncio.run(_crawl(directory, hosts, concurrency, server, loop))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    return replace(figures, server_cpu_seconds=server.cpu)


def check_descriptors(hosts: int, concurrency: int) -> None:
    """Raises WrongUse if the system allows too few open files: each host needs a listener and a connection."""
    ensure_descriptors(concurrency)
    limit = find_descriptor_limit()
    if 2 * hosts + SPARE_DESCRIPTORS > limit:
        raise WrongUse(
            f"this system allows {limit:,} open files, too few for {hosts:,} hosts: "
            f"raise that with `ulimit -n {2 * hosts + SPARE_DESCRIPTORS}`, "
            f"or choose --hosts {max(1, (limit - SPARE_DESCRIPTORS) // 2)}"
        )


@contextmanager
def _interrupt_on_signals() -> Iterator[None]:
    """Makes SIGTERM and SIGHUP clean up as Ctrl-C does."""

    def interrupted(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, interrupted) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remove_leftovers(places: Path) -> None:
    """Removes the directories of killed runs, which no process locks any more."""
    for directory in places.glob(f"{PREFIX}*"):
        with suppress(HondiusError, OSError), place_of(directory).lock():
            shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def run_server(hosts: int) -> Iterator[ServerProcess]:
    command = [sys.executable, "-m", "hondius.use.bench.server", str(hosts)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line:
                raise HondiusError("the server of the benchmark did not start; its message is above")
            server = ServerProcess(json.loads(line)["port"])
            yield server
        except BaseException:
            process.kill()
            raise
        process.stdin.close()
        ended: dict[str, Any] = json.loads(process.stdout.readline() or "{}")
        server.cpu = ended.get("cpu", 0.0)


def _make_settings(hosts: int, concurrency: int, port: int) -> Settings:
    resolve = [f"{make_host_name(host)}={make_host_address(host)}:{port}" for host in range(hosts)]
    return make_settings(
        {
            "scope": {"scope": "host"},
            "politeness": {"delay": 0.0},
            "fetch": {"concurrency": concurrency, "resolve": resolve},
        }
    )


async def _crawl(
    directory: Path, hosts: int, concurrency: int, server: ServerProcess, loop: LoopWatch | None
) -> Figures:
    settings = _make_settings(hosts, concurrency, server.port)
    seeds = _make_seeds(hosts, settings)
    watch, engines = Stopwatch(), []
    async with AsyncExitStack() as stack:
        place = place_of(directory)
        stack.enter_context(place.lock())
        stores = watch_stores(watch, open_stores(stack, place, settings))
        real = make_surroundings(directory, settings)

        def engine(*arguments: Any) -> Any:
            engines.append(real.make_engine(*arguments))
            return watch_engine(watch, engines[0])

        crawl = await stack.enter_async_context(
            assemble_crawl(stores, settings, seeds, replace(real, make_engine=engine))
        )
        if loop is not None:
            loop.restart()
        figures = await _measure_crawl(crawl, watch, cast("Engine", engines[0]), hosts)
        return replace(figures, loop=_make_loop_figures(loop))


def _make_loop_figures(loop: LoopWatch | None) -> LoopFigures | None:
    if loop is None:
        return None
    return LoopFigures(loop.longest, loop.longest_callback, loop.latest, loop.beats)


def _make_seeds(hosts: int, settings: Settings) -> SeedSource | None:
    names = [f"http://{make_host_name(host)}/" for host in range(hosts)]
    return make_source(parse_arguments(names, make_identity(settings)))


async def _measure_crawl(crawl: OpenCrawl, watch: Stopwatch, engine: Engine, hosts: int) -> Figures:
    """Measures from the first hand-out until everything is durable. Reads the threads before the process both times:
    reading them takes CPU time, and this way both cover intervals of equal length."""
    watch.restart(engine)
    before, cpu, busy, began = measure_threads(), time.process_time(), measure_busy_seconds(), time.monotonic()
    await crawl.run.run_until_over()
    while not crawl.commit.is_idle:
        crawl.commit.hurry()
        await asyncio.sleep(0.01)
    seconds, after = time.monotonic() - began, measure_threads()
    cpu = time.process_time() - cpu
    threads = {name: spent - before.get(name, 0.0) for name, spent in after.items()}
    pages = crawl.statistics.pages
    if pages != hosts * PAGES_PER_HOST:
        raise HondiusError(
            f"only {pages:,} of {hosts * PAGES_PER_HOST:,} pages were fetched: {crawl.statistics.causes}"
        )
    return Figures(
        pages=pages,
        hosts=hosts,
        seconds=seconds,
        cpu_seconds=cpu,
        machine_seconds=measure_busy_seconds() - busy,
        server_cpu_seconds=0.0,
        peak_bytes=measure_peak_memory(),
        wire_bytes=crawl.statistics.wire_bytes,
        connections=engine.connections_opened,
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        threads=threads,
        stages=build_table(watch, engine, threads, cpu),
    )


def measure_peak_memory() -> int:
    """In bytes. macOS reports bytes, other systems kilobytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
