"""Prints the summary of a run, as text or as one JSON object."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hondius.files import CRAWL_LOG
from hondius.hints import format_command, quote_command
from hondius.model import HostOrder, State
from hondius.operate.cli.display.failed_seeds import format_failed_seeds
from hondius.operate.cli.queue import describe_due
from hondius.quantities import describe_order, format_bytes, format_count, format_seconds
from hondius.session.summary import Summary, list_figures
from hondius.use.causes import STOP_REASONS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SHOWN_WAITING = 5
HINTS = {
    "address_refused": "private and loopback addresses are contacted only with --allow-private ADDRESS",
    "tls_failed": "`hondius explain` says what was wrong; certificates of your own are trusted with --ca-file FILE",
}


def print_json(summary: Summary) -> None:
    print(json.dumps(list_figures(summary)))


def print_summary(summary: Summary) -> None:
    from hondius.operate.cli.display.console import make_console

    console = make_console()
    rate = summary.pages_this_run / summary.seconds if summary.seconds else 0.0
    sizes = f"{format_bytes(summary.bytes)} fetched, {format_bytes(summary.warc_bytes)} archived"
    contacted = f"{format_count(summary.hosts, 'host')} contacted"
    console.print(f"\n[bold]{format_count(summary.pages, 'page')}[/], {contacted}, {sizes}")
    fetched = f"{format_count(summary.pages_this_run, 'page')} fetched in {format_seconds(summary.seconds)}"
    console.print(f"this run: {fetched} ({rate:.1f} pages/s)")
    console.print(f"stopped: {_describe_stop(summary)}\n", soft_wrap=True, markup=False)
    for line in format_failed_seeds(summary.failed_seeds):
        console.print(line, soft_wrap=True, markup=False)
    if any(summary.causes.values()):
        console.print(build_states_table(summary.causes))
    for line in (describe_sitemaps(summary.sitemaps), describe_requisites(summary.requisites)):
        if line:
            console.print(line)
    if summary.refused_more:
        console.print(describe_refused_links(summary.refused_more))
    if summary.unread_links:
        console.print(describe_unread_links(summary.unread_links))
    if count := summary.truncated_this_run:
        were = "page was" if count == 1 else "pages were"
        console.print(f"{count:,} {were} longer than fetch.page_cap in this run: the rest was not read")
    for line in _list_hints(summary):
        console.print(line, soft_wrap=True, markup=False)
    waiting = {} if summary.failed_seeds else summary.waiting
    for origin, reason in list(waiting.items())[:SHOWN_WAITING]:
        console.print(f"{origin} waits: {reason}", soft_wrap=True, markup=False)
    if len(waiting) > SHOWN_WAITING:
        console.print(f"… and waiting: {format_count(len(waiting) - SHOWN_WAITING, 'other origin')}")
    for host, delay in list(summary.very_slow.items())[:SHOWN_WAITING]:
        asked = f"its robots.txt asks for {format_seconds(delay)} between two requests"
        console.print(f"{host} is crawled slowly: {asked}", soft_wrap=True, markup=False)
    if len(summary.very_slow) > SHOWN_WAITING:
        console.print(f"… and as slowly: {format_count(len(summary.very_slow) - SHOWN_WAITING, 'other host')}")
    for order in summary.paused[:SHOWN_WAITING]:
        console.print(format_order(summary.directory, order), soft_wrap=True, markup=False)
    if len(summary.paused) > SHOWN_WAITING:
        console.print(f"… and paused: {format_count(len(summary.paused) - SHOWN_WAITING, 'other host')}")
    print_next_commands(console, summary)


def _list_hints(summary: Summary) -> Iterator[str]:
    """Skips causes that are explained for the seeds already."""
    met = {cause for (_, cause), count in summary.causes.items() if count}
    met -= {seed.cause for seed in summary.failed_seeds}
    yield from (f"{cause}: {HINTS[cause]}" for cause in sorted(met & HINTS.keys()))
    if "type" in met and not summary.has_media:
        again = quote_command("recrawl", summary.directory, "--refused", "type")
        resume = quote_command("resume", summary.directory, "--media")
        yield f"type: {again}, then {resume} fetch images, media and documents like PDF; --scripts fetches scripts"


def describe_internal_failures(count: int, directory: Path) -> str:
    """One line that says where to find the tracebacks."""
    explain = quote_command("explain", directory, "URL")
    return (
        f"{format_count(count, 'internal failure')} (bugs of Hondius): the tracebacks are in {directory / CRAWL_LOG}, "
        f"and {explain} shows that of one URL; please report them"
    )


def describe_unread_links(links: int) -> str:
    cut_off = "was cut off" if links == 1 else "were cut off"
    return f"{format_count(links, 'link')} of very long pages and sitemaps {cut_off}, not read (see fetch.page_cap)"


def describe_refused_links(more: int) -> str:
    return f"{format_count(more, 'more link')} {'was' if more == 1 else 'were'} refused and only counted, not stored"


def format_order(directory: Path, order: HostOrder) -> str:
    unpause = quote_command("unpause", directory, order.host)
    return f"{order.host}: {describe_order(order)} ({order.reason}); {unpause} ends this"


def describe_sitemaps(causes: Mapping[tuple[str, str], int]) -> str:
    """Sitemap files do not count as pages, but an export has a row for each."""
    return _describe_others(causes, "sitemap file")


def describe_requisites(causes: Mapping[tuple[str, str], int]) -> str:
    """Requisites do not count as pages either."""
    return _describe_others(causes, "requisite")


def _describe_others(causes: Mapping[tuple[str, str], int], noun: str) -> str:
    states: dict[str, int] = {}
    for (state, _), count in causes.items():
        states[state] = states.get(state, 0) + count
    listed = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()) if count)
    return f"in addition, {format_count(sum(states.values()), noun)}: {listed}" if listed else ""


def _describe_stop(summary: Summary) -> str:
    if summary.failed_seeds and summary.stop_reason in ("done", "waiting"):
        return "nothing could be fetched"
    if summary.stop_reason == "done":
        return _describe_completion(summary)
    if summary.stop_reason == "max_time" and not summary.pages:
        return _describe_timeout(summary)
    if summary.stop_reason != "waiting":
        return f"{STOP_REASONS.get(summary.stop_reason, summary.stop_reason)}{summary.exceeded}"
    waits = "waits" if summary.queue.urls == 1 else "wait"
    left = f"{format_count(summary.queue.urls, 'URL')} on {format_count(summary.queue.hosts, 'origin')} {waits}"
    if summary.queue.next_at is None:
        return left
    due = describe_due(summary.queue.next_at, summary.queue.at)
    return f"{left}, and the next request {due}; {quote_command('resume', summary.directory)} continues then"


def _describe_timeout(summary: Summary) -> str:
    """For a crawl that has no page yet."""
    if summary.failed_seeds:
        return f"nothing could be fetched before {STOP_REASONS['max_time']}"
    return f"{STOP_REASONS['max_time']} before any page was fetched: allow more time"


def _describe_completion(summary: Summary) -> str:
    """Says that nothing is left to fetch, and which URLs were not fetched."""
    parked, banned = summary.queue.parked, summary.causes.get((State.REFUSED, "blacklisted"), 0)
    left = [f"{format_count(parked, 'URL')} {'waits' if parked == 1 else 'wait'} beyond --max-depth"] if parked else []
    left += [f"{format_count(banned, 'URL')} {'is' if banned == 1 else 'are'} on the blacklist"] if banned else []
    return f"{STOP_REASONS['done']}{' but ' if left else ''}{' and '.join(left)}"


def print_next_commands(console: "Console", summary: Summary) -> None:
    last: tuple[str | Path, ...] = ("resume", summary.directory, *summary.raised)
    export = ("export", summary.directory, "--format", "jsonl", "--text", "-o", "pages.jsonl")
    commands: list[tuple[str | Path, ...]] = [("status", summary.directory)]
    if summary.pages:
        is_over = summary.stop_reason == "done" and not summary.raised
        commands += [export, ("verify", summary.directory) if is_over else last]
    elif summary.stop_reason != "done":
        commands += [last]
    console.print("\nTry next:")
    for words in commands:
        console.print(f"  {format_command(*words)}", soft_wrap=True, markup=False)


def build_states_table(causes: Mapping[tuple[str, str], int]) -> "Table":
    """How many URLs ended in which state, by cause."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("state")
    table.add_column("cause")
    table.add_column("URLs", justify="right")
    for (state, cause), count in sorted(causes.items(), key=lambda item: (item[0][0], -item[1])):
        if count:
            table.add_row(state, cause or "-", f"{count:,}")
    return table
