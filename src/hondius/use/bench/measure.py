"""The crawl that is measured."""

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

from hondius.crawler.assemble import OpenCrawl, real_surroundings, running
from hondius.crawler.opening import open_stores
from hondius.crawler.seeds import SeedSource, seeds_from_arguments, source_of
from hondius.crawler.translation import descriptor_limit, ensure_descriptors, make_identity
from hondius.errors import HondiusError, WrongUse
from hondius.native import Engine
from hondius.opening import place_of
from hondius.settings import Settings, make_settings
from hondius.use.bench.figures import Figures, LoopFigures
from hondius.use.bench.loop_watch import LoopWatch
from hondius.use.bench.site import PAGES_PER_HOST, host_address, host_name
from hondius.use.bench.stages import Stopwatch, table, watched_engine, watched_stores
from hondius.use.bench.threads import busy_seconds, seconds_by_thread

PREFIX = "hondius-bench-"
SPARE_DESCRIPTORS = 40


@dataclass(slots=True)
class Serving:
    port: int
    cpu: float = 0.0
    """Known once it has ended."""


def measure(hosts: int, concurrency: int, *, watch_loop: bool = False) -> Figures:
    """Crawls the pages of so many hosts, in a directory that is removed afterwards. `watch_loop`: each callback of the
    event loop is timed, which costs a little."""
    loop = LoopWatch() if watch_loop else None
    with _ended_by_signals(), nullcontext() if loop is None else loop.installed():
        places = Path(tempfile.gettempdir())
        _remove_leftovers(places)
        # Named before it is made: a signal finds no moment at which nobody knows what to remove.
        directory = places / f"{PREFIX}{secrets.token_hex(8)}"
        try:
            directory.mkdir(mode=0o700)
            with serving(hosts) as server:
                figures = asyncio.run(_crawl(directory, hosts, concurrency, server, loop))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    return replace(figures, server_cpu_seconds=server.cpu)


def ensure_room(hosts: int, concurrency: int) -> None:
    """Open files enough, or it is refused: each host takes a listener, and a connection that is kept."""
    ensure_descriptors(concurrency)
    limit = descriptor_limit()
    if 2 * hosts + SPARE_DESCRIPTORS > limit:
        raise WrongUse(
            f"this system allows {limit:,} open files, too few for {hosts:,} hosts: "
            f"raise that with `ulimit -n {2 * hosts + SPARE_DESCRIPTORS}`, "
            f"or choose --hosts {max(1, (limit - SPARE_DESCRIPTORS) // 2)}"
        )


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A closed terminal and a plain `kill` end it as Ctrl-C does: cleaned up."""

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
    """Of runs that were killed: their directories are locked by nobody."""
    for directory in places.glob(f"{PREFIX}*"):
        with suppress(HondiusError, OSError), place_of(directory).lock():
            shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def serving(hosts: int) -> Iterator[Serving]:
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
            server = Serving(json.loads(line)["port"])
            yield server
        except BaseException:
            process.kill()
            raise
        process.stdin.close()
        ended: dict[str, Any] = json.loads(process.stdout.readline() or "{}")
        server.cpu = ended.get("cpu", 0.0)


def _settings(hosts: int, concurrency: int, port: int) -> Settings:
    resolve = [f"{host_name(host)}={host_address(host)}:{port}" for host in range(hosts)]
    return make_settings(
        {
            "scope": {"scope": "host"},
            "politeness": {"delay": 0.0},
            "fetch": {"concurrency": concurrency, "resolve": resolve},
        }
    )


async def _crawl(directory: Path, hosts: int, concurrency: int, server: Serving, loop: LoopWatch | None) -> Figures:
    settings = _settings(hosts, concurrency, server.port)
    seeds = _seeds(hosts, settings)
    watch, engines = Stopwatch(), []
    async with AsyncExitStack() as stack:
        place = place_of(directory)
        stack.enter_context(place.lock())
        stores = watched_stores(watch, open_stores(stack, place, settings))
        real = real_surroundings(directory, settings)

        def engine(*arguments: Any) -> Any:
            engines.append(real.make_engine(*arguments))
            return watched_engine(watch, engines[0])

        crawl = await stack.enter_async_context(running(stores, settings, seeds, replace(real, make_engine=engine)))
        if loop is not None:
            loop.restart()
        figures = await _timed(crawl, watch, cast("Engine", engines[0]), hosts)
        return replace(figures, loop=_loop_figures(loop))


def _loop_figures(loop: LoopWatch | None) -> LoopFigures | None:
    if loop is None:
        return None
    return LoopFigures(loop.longest, loop.longest_callback, loop.latest, loop.beats)


def _seeds(hosts: int, settings: Settings) -> SeedSource | None:
    names = [f"http://{host_name(host)}/" for host in range(hosts)]
    return source_of(seeds_from_arguments(names, make_identity(settings)))


async def _timed(crawl: OpenCrawl, watch: Stopwatch, engine: Engine, hosts: int) -> Figures:
    """From the first hand-out until all is durable. Threads are read before the process both times: reading them takes
    CPU, and so both figures cover windows of equal length."""
    watch.restart(engine)
    before, cpu, busy, began = seconds_by_thread(), time.process_time(), busy_seconds(), time.monotonic()
    await crawl.run.until_over()
    while not crawl.commit.idle:
        crawl.commit.hurry()
        await asyncio.sleep(0.01)
    seconds, after = time.monotonic() - began, seconds_by_thread()
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
        machine_seconds=busy_seconds() - busy,
        server_cpu_seconds=0.0,
        peak_bytes=peak_resident(),
        wire_bytes=crawl.statistics.wire_bytes,
        connections=engine.connections_opened,
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        threads=threads,
        stages=table(watch, engine, threads, cpu),
    )


def peak_resident() -> int:
    """Bytes; macOS counts in bytes, others in kilobytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
