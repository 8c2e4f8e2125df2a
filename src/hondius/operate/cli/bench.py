"""`hondius bench`: measures the crawl speed of this machine."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.operate.cli.options import Json

if TYPE_CHECKING:
    from hondius.use.bench import Figures


def register(app: typer.Typer) -> None:
    app.command("bench")(bench)


def bench(
    stages: Annotated[bool, typer.Option("--stages", help="Show the CPU time of each step.")] = False,
    hosts: Annotated[int, typer.Option(min=1, max=2_000, help="Hosts to crawl, with 20 pages each.")] = 500,
    concurrency: Annotated[int, typer.Option(min=1, max=1_000, help="Requests at once.")] = 64,
    json: Json = False,
) -> int:
    """Measure this machine: crawl pages that it serves to itself, with all features on and no delay.

    Nothing leaves the machine, and nothing stays on its disk. A Python process on this machine serves the pages; a
    crawl of other servers is faster, as it does not share the CPU with them.
    """
    from hondius.use.bench import check_descriptors, measure
    from hondius.use.bench.site import PAGES_PER_HOST

    check_descriptors(hosts, concurrency)
    if not json:
        print(f"preparing {hosts * PAGES_PER_HOST:,} pages, then crawling them", file=sys.stderr, flush=True)
    figures = measure(hosts, concurrency, watch_loop=stages)
    if json:
        print(msgspec.json.encode(_to_json(figures)).decode())
    else:
        for line in _format_figures(figures, stages):
            print(line)
    return 0


def _to_json(figures: "Figures") -> dict[str, object]:
    per_page = 1e6 / figures.pages
    return {
        "pages": figures.pages,
        "hosts": figures.hosts,
        "seconds": figures.seconds,
        "pages_per_second": figures.pages_per_second,
        "cpu_ms_per_page": figures.milliseconds_per_page,
        "peak_rss_mb": figures.peak_bytes / 1e6,
        "bytes_per_page": figures.wire_bytes / figures.pages,
        "connections": figures.connections,
        "cores": figures.cores,
        "cores_busy_elsewhere": figures.elsewhere,
        "server_cpu_ms_per_page": figures.server_cpu_seconds * 1_000 / figures.pages,
        "waits_for": figures.waits_for,
        "stages": [
            {"thread": thread, "step": step, "microseconds": seconds * per_page}
            for thread, step, seconds in figures.stages
        ],
        "accounted": figures.accounted,
        "loop": None if figures.loop is None else asdict(figures.loop),
    }


def _format_figures(figures: "Figures", stages: bool) -> Iterator[str]:
    yield (
        f"{figures.pages:,} pages of {figures.hosts:,} hosts in {figures.seconds:.1f} s: "
        f"{figures.pages_per_second:,.0f} pages/s, {figures.milliseconds_per_page:.2f} ms of CPU a page, "
        f"{figures.peak_bytes / 1e6:.0f} MB at most"
    )
    yield f"limited by {figures.waits_for}"
    if stages:
        yield from _format_stages(figures)


def _format_stages(figures: "Figures") -> Iterator[str]:
    per_page = 1e6 / figures.pages
    yield ""
    yield f"{'µs a page':>10}  {'share':>5}"
    last = ""
    for thread, step, seconds in figures.stages:
        if thread != last:
            yield f"{thread}:"
            last = thread
        yield f"{seconds * per_page:>10.1f}  {seconds / figures.cpu_seconds:>5.0%}  {step}"
    total = sum(seconds for _, _, seconds in figures.stages)
    yield f"{total * per_page:>10.1f}  {figures.accounted:>5.0%}  of {figures.cpu_seconds * per_page:,.1f} µs in all"
    if figures.loop is not None:
        yield f"longest callback of the event loop: {figures.loop.longest_callback * 1_000:.1f} ms of CPU"
        yield f"latest of {figures.loop.beats:,} beats of 10 ms: {figures.loop.latest_beat * 1_000:.1f} ms late"
