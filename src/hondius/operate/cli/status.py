"""`hondius status`: shows what a crawl has done so far; also works while it runs."""

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
    build_states_table,
    describe_internal_failures,
    describe_refused_links,
    describe_requisites,
    describe_sitemaps,
    describe_unread_links,
    format_order,
)
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.queue import format_later_changes, format_queue, list_later_changes
from hondius.ports import Catalog
from hondius.quantities import format_bytes, format_count, format_moment, format_seconds
from hondius.session.host_restrictions import list_open_circuits, list_orders_in_force, make_crawl_clock
from hondius.session.queue import describe_unfinished_seeds, read_queue

MAX_CIRCUITS = 1_000
"""Hosts with an open circuit that are read."""


def register(app: typer.Typer) -> None:
    app.command("status")(status)


def status(directory: Directory, as_json: Json = False) -> None:
    """Show what a crawl has done so far. Also works while it runs."""
    from hondius.operate.cli.display.console import make_console
    from hondius.operate.cli.queue_refresh import refresh_queue

    with open_crawl(directory) as crawl:
        process, queue = crawl.place.holder(), read_queue(crawl.place)
        clock, catalog = make_crawl_clock(queue, is_running=process is not None), crawl.catalog
        totals, last_run, orders = catalog.totals(), catalog.last_run(), catalog.host_orders()
        held, bans = list_orders_in_force(catalog, clock), catalog.blacklist_orders()
        circuits = list(list_open_circuits(catalog, clock, MAX_CIRCUITS))
        waiting = [*_describe_waits(catalog, circuits), *_describe_orders(directory, held)]
        unfinished = catalog.unfinished_seeds()
        full = process is not None and _is_disk_full(crawl)
        if process is None and last_run is not None and not last_run["reason"]:
            queue = refresh_queue(crawl, queue)
        archived = crawl.archive.size()
        due, next_due = catalog.count_due(time.time()), catalog.find_next_due(time.time())
    states = {state.value: totals["states"].get(state, 0) for state in State}
    if as_json:
        shown = {
            "directory": str(directory),
            "running": process,
            "no_room": full,
            "states": states,
            "hosts": totals["hosts"],
            "requests": totals["fetches"],
        }
        shown |= {
            "refused_more": totals["refused_more"],
            "unread_links": totals["unread_links"],
            "queue": msgspec.to_builtins(queue),
            "parked": None if queue is None else queue.parked,
            "open_circuits": [
                {"host": host, "failures": failures, "until": time.time() + left} for host, failures, left in circuits
            ],
        }
        shown |= {"recrawl": {"due": due, "next_at": next_due, "plan": None if queue is None else queue.plan}}
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
                    "requisites": sum(totals["requisites"].values()),
                }
            )
        )
        return
    console = make_console()
    last_stop = f"last stopped: {_describe_stop(directory, last_run)}" if last_run else "it has never run"
    stopped = f"not running; {last_stop}"
    waits = "; paused: the disk is full; the crawl continues when there is room" if full else ""
    known = f" (process {process})" if process else ""  # unknown if the disk was too full to write it
    running = stopped if process is None else f"running{known}{waits}"
    console.print(f"{directory}: {running}", soft_wrap=True, markup=False)
    fetched = f"{format_bytes(totals['wire_bytes'])} fetched, {format_bytes(archived)} archived"
    console.print(f"{format_count(totals['hosts'], 'host')}, {format_count(totals['fetches'], 'request')}, {fetched}")
    if totals["causes"]:
        console.print(build_states_table(totals["causes"]))
    for line in (describe_sitemaps(totals["sitemaps"]), describe_requisites(totals["requisites"])):
        if line:
            console.print(line)
    if internal := sum(totals[kind].get((State.FAILED, INTERNAL), 0) for kind in ("causes", "sitemaps", "requisites")):
        console.print(describe_internal_failures(internal, directory), soft_wrap=True, markup=False)
    if totals["refused_more"]:
        console.print(describe_refused_links(totals["refused_more"]))
    if totals["unread_links"]:
        console.print(describe_unread_links(totals["unread_links"]))
    for line in _describe_recrawl(due, next_due, None if queue is None else queue.plan):
        console.print(line, soft_wrap=True, markup=False)
    since = [] if process is not None else list_later_changes(queue, [*orders, *bans])
    notes = [format_later_changes(directory, since)] if since else []
    notes += describe_unfinished_seeds(unfinished) if process is None else ()
    for line in (*format_queue(queue, time.time(), since, is_running=process is not None), *notes, *waiting):
        console.print(line, soft_wrap=True, markup=False)


def _describe_recrawl(due: int, next_due: float | None, plan: dict[str, float] | None) -> Iterator[str]:
    if due or next_due is not None:
        later = "" if next_due is None else f"; the next one is due {format_moment(next_due)}"
        yield f"{format_count(due, 'page')} due to be fetched again{later}"
    if plan is not None:
        missing = f"; {plan['shortfall']:,.0f} are missing for the target of the top pages" if plan["shortfall"] else ""
        yield (
            f"the budget of {plan['visits_per_day']:,.0f} visits a day keeps an expected {plan['freshness']:.0%} of "
            f"{plan['pages']:,.0f} pages fresh, by priority{missing}"
        )


def _is_disk_full(crawl: Crawl) -> bool:
    """Checks what the running crawl checks: it cannot record that it is waiting for room."""
    return crawl.place.disk.free_bytes() < max(1, crawl.settings.stores.free_bytes)


def _describe_waits(catalog: Catalog, circuits: Sequence[tuple[str, int, float]]) -> list[str]:
    """Which hosts are not contacted now, and why."""
    unreachable = [
        f"{origin} waits: its robots.txt cannot be fetched: {reason}"
        for origin, reason in catalog.unreachable(SHOWN_WAITING)
    ]
    failing = [
        f"{host} is left alone for {format_seconds(left)}, until {format_moment(time.time() + left)}: "
        f"its circuit is open after {format_count(failures, 'failure')} in a row"
        for host, failures, left in circuits[:SHOWN_WAITING]
    ]
    if len(circuits) > SHOWN_WAITING:
        least = "at least " if len(circuits) == MAX_CIRCUITS else ""
        failing.append(f"… and left alone: {least}{format_count(len(circuits) - SHOWN_WAITING, 'other host')}")
    return [*unreachable, *failing]


def _describe_orders(directory: Path, holding: Sequence[HostOrder]) -> Iterator[str]:
    """The operator's orders, by host."""
    yield from (format_order(directory, order) for order in holding[:SHOWN_WAITING])
    if len(holding) > SHOWN_WAITING:
        others = format_count(len(holding) - SHOWN_WAITING, "other host")
        yield f"… and orders for {others}: {quote_command('pause', directory)} lists them"


def _describe_stop(directory: Path, last_run: dict[str, object]) -> str:
    again = f"{quote_command('resume', directory)} continues it"
    if last_run["reason"] == REOPENED:
        return f"while a view was rebuilt; {again}"
    return str(last_run["reason"] or f"killed; {again}")
