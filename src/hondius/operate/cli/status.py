"""`hondius status`: what a crawl has so far; also while it runs."""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import typer

from hondius.hints import quote_command
from hondius.model import INTERNAL, REOPENED, HostOrder, State
from hondius.opening import Crawl, open_crawl
from hondius.operate.cli.display.summary import (
    SHOWN_WAITING,
    internal_in_words,
    order_line,
    refused_in_words,
    sitemap_line,
    states_table,
    unread_in_words,
)
from hondius.operate.cli.held import CrawlClock, clock_of, held_orders, open_circuits
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.quantities import counted, shown_bytes, shown_seconds
from hondius.operate.cli.queue import last_written, queue_lines, since_line, since_then, unfinished_lines
from hondius.ports import Catalog


def register(app: typer.Typer) -> None:
    app.command("status")(status)


def status(directory: Directory, as_json: Json = False) -> None:
    """Show what a crawl has done so far; also while it runs."""
    from hondius.operate.cli.display.shown import make_console
    from hondius.operate.cli.recount import recounted

    with open_crawl(directory) as crawl:
        process, queue = crawl.place.holder(), last_written(crawl.place)
        clock, catalog = clock_of(queue, is_running=process is not None), crawl.catalog
        totals, last_run, orders = catalog.totals(), catalog.last_run(), catalog.host_orders()
        held, bans = held_orders(catalog, clock), catalog.blacklist_orders()
        waiting = [*_waiting(catalog, clock), *_asked(directory, held)]
        unfinished = catalog.unfinished_seeds()
        full = process is not None and _lacks_room(crawl)
        if process is None and last_run is not None and not last_run["reason"]:
            queue = recounted(crawl, queue)
        archived = crawl.archive.size()
    states = {state.value: totals["states"].get(state, 0) for state in State}
    if as_json:
        shown = {
            "directory": str(directory),
            "running": process,
            "no_room": full,
            "states": states,
            "hosts": totals["hosts"],
        }
        shown |= {
            "refused_more": totals["refused_more"],
            "unread_links": totals["unread_links"],
            "queue": msgspec.to_builtins(queue),
        }
        shown |= {"paused": [order.host for order in held if order.paused_until is not None]}
        shown |= {"causes": {f"{state}/{cause}": count for (state, cause), count in totals["causes"].items()}}
        print(
            json.dumps(
                shown
                | {
                    "bytes": totals["wire_bytes"],
                    "warc_bytes": archived,
                    "last_run": last_run,
                    "sitemaps": sum(totals["sitemaps"].values()),
                }
            )
        )
        return
    console = make_console()
    stopped = "not running" + (f"; last stopped: {_stopped(directory, last_run)}" if last_run else "; it has never run")
    waits = "; paused: no room left on the disk, it goes on when there is" if full else ""
    known = f" (process {process})" if process else ""  # a full disk has no room for its number
    running = stopped if process is None else f"running{known}{waits}"
    console.print(f"{directory}: {running}", soft_wrap=True, markup=False)
    fetched = f"{shown_bytes(totals['wire_bytes'])} fetched, {shown_bytes(archived)} archived"
    console.print(f"{counted(totals['hosts'], 'host')}, {counted(totals['fetches'], 'request')}, {fetched}")
    if totals["causes"]:
        console.print(states_table(totals["causes"]))
    if line := sitemap_line(totals["sitemaps"]):
        console.print(line)
    if internal := sum(totals[kind].get((State.FAILED, INTERNAL), 0) for kind in ("causes", "sitemaps")):
        console.print(internal_in_words(internal, directory), soft_wrap=True, markup=False)
    if totals["refused_more"]:
        console.print(refused_in_words(totals["refused_more"]))
    if totals["unread_links"]:
        console.print(unread_in_words(totals["unread_links"]))
    since = [] if process is not None else since_then(queue, [*orders, *bans])
    told = [since_line(directory, since)] if since else []
    told += unfinished_lines(unfinished) if process is None else ()
    for line in (*queue_lines(queue, time.time(), since), *told, *waiting):
        console.print(line, soft_wrap=True, markup=False)


def _lacks_room(crawl: Crawl) -> bool:
    """As the running crawl sees it, which cannot write down that it waits."""
    return crawl.place.disk.free_bytes() < max(1, crawl.settings.stores.free_bytes)


def _waiting(catalog: Catalog, clock: CrawlClock) -> list[str]:
    """Who is not contacted at the moment, and why."""
    unreachable = [
        f"{origin} waits: its robots.txt cannot be had: {reason}"
        for origin, reason in catalog.unreachable(SHOWN_WAITING)
    ]
    failing = [
        f"{host} is left alone for {shown_seconds(left)}: {counted(failures, 'failure')} in a row"
        for host, failures, left in open_circuits(catalog, clock, SHOWN_WAITING)
    ]
    return [*unreachable, *failing]


def _asked(directory: Path, holding: Sequence[HostOrder]) -> Iterator[str]:
    """What the operator asked of which host."""
    yield from (order_line(directory, order) for order in holding[:SHOWN_WAITING])
    if len(holding) > SHOWN_WAITING:
        others = counted(len(holding) - SHOWN_WAITING, "other host")
        yield f"… and orders for {others}: {quote_command('pause', directory)} lists them"


def _stopped(directory: Path, last_run: dict[str, object]) -> str:
    again = f"{quote_command('resume', directory)} goes on"
    if last_run["reason"] == REOPENED:
        return f"while a view was made anew; {again}"
    return str(last_run["reason"] or f"killed; {again}")
