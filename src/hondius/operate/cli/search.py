"""`hondius search`."""

import json as json_format
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.errors import BadSetting
from hondius.hints import quote_command
from hondius.opening import Crawl, open_crawl
from hondius.operate.cli import options
from hondius.operate.cli.messages import say
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_count
from hondius.sanitise import escape_controls_in_json

if TYPE_CHECKING:
    from rich.text import Text

    from hondius.settings.search import SearchSettings
    from hondius.use.search import Results, Search, Snippet
    from hondius.use.search.updating import Progress

SHOWN_EVERY = 0.5
"""Seconds between two updates of the progress line."""
PATIENCE = 60.0
"""Seconds that `--send` waits for a server that takes nothing."""


def register(app: typer.Typer) -> None:
    app.command("search")(search)


def search(
    directory: options.Directory,
    query: Annotated[
        str,
        typer.Argument(
            help='Words, a "phrase", -excluded words, beginnings*; host:, lang:, before:, after:.', show_default=False
        ),
    ] = "",
    limit: Annotated[int, typer.Option(help="Results to show.")] = 10,
    offset: Annotated[int, typer.Option(help="Results to skip.")] = 0,
    host: Annotated[
        list[str] | None,
        typer.Option(help="Only this host; *.example.com is every host below example.com. May be repeated."),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language: en also means en-GB. May be repeated.")
    ] = None,
    after: Annotated[
        str | None, typer.Option(help="Only pages fetched since then: 2026-11-15, 2026-11-15T08:30 or -2h.")
    ] = None,
    before: Annotated[str | None, typer.Option(help="Only pages fetched before then.")] = None,
    copies: Annotated[bool, typer.Option("--copies", help="Include exact copies of other pages.")] = False,
    purpose: Annotated[
        str,
        typer.Option(
            "--for",
            help="search, ai-input or ai-train: leave out pages that their owners reserve for that use.",
            show_default=False,
        ),
    ] = "",
    no_update: Annotated[
        bool, typer.Option("--no-update", help="Do not add to the index what was crawled since it was last updated.")
    ] = False,
    send: Annotated[
        bool,
        typer.Option("--send", help="Do not search; send new pages to the OpenSearch server of `search.opensearch`."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line for each result.")] = False,
) -> int:
    """Search the text of the pages of a crawl. Needs `pip install 'hondius[search]'`."""
    from hondius.use.known_hosts import refuse_unknown_hosts
    from hondius.use.search import WITHOUT_TEXT, Search
    from hondius.use.search.query import find_hosts
    from hondius.use.selection import select_pages

    if send:
        return _send(directory, query)
    with open_crawl(directory) as crawl:
        searched = Search(crawl)
        if not no_update and not _update(searched):
            return INTERRUPTED
        if searched.unread.count:
            say(searched.unread.describe(WITHOUT_TEXT, str(directory)))
        results = searched.find(
            query,
            limit=limit,
            offset=offset,
            hosts=host or (),
            languages=language or (),
            before=before,
            after=after,
            copies=copies,
            purpose=purpose,
        )
        if not results.total:
            refuse_unknown_hosts(crawl, select_pages(hosts=host or ()).hosts)
            refuse_unknown_hosts(crawl, find_hosts(query), named="host:")
    if json:
        for hit in results:
            print(escape_controls_in_json(json_format.dumps(hit.to_dict(), ensure_ascii=False)))
    else:
        _print(results, directory, query)
    return 0


def _update(searched: "Search") -> bool:
    """False if the user interrupted it: what was indexed so far is kept."""
    stopped = threading.Event()
    try:
        if not searched.update(_make_progress(), stopped):
            say("another process is updating the index: the newest pages may be missing")
        if searched.index.is_temporary:
            say("the directory cannot be written: the index is updated for this search only")
    except KeyboardInterrupt:
        say("interrupted; the same command continues, and --no-update searches what is indexed")
        return False
    return True


def _print(results: "Results", directory: Path, query: str) -> None:
    from rich.text import Text

    from hondius.operate.cli.display.console import make_console
    from hondius.use.search.query import find_hint

    console = make_console()
    for number, hit in enumerate(results, results.offset + 1):
        title = _style(hit.title, "bold yellow") if hit.title.text else Text("(no title)", "dim")
        console.print(Text(f"{number}. ", "dim") + title, soft_wrap=True)
        console.print(Text(f"   {hit.url}", "cyan"), soft_wrap=True)
        if hit.snippet.text:
            console.print(Text("   ") + _style(hit.snippet, "bold yellow"), soft_wrap=True)
    if not results.total:
        say(f"no page matches {query!r}{find_hint(query)}")
        return
    if not len(results):
        say(f"{format_count(results.total, 'page')}, none from number {results.offset + 1:,} on")
        return
    shown = f"{results.offset + 1:,} to {results.offset + len(results):,} of " if len(results) < results.total else ""
    more = results.offset + len(results)
    hint = f"; more: {quote_command('search', directory, query, '--offset', more)}" if more < results.total else ""
    say(f"{shown}{format_count(results.total, 'page')}{hint}")


def _style(snippet: "Snippet", style: str) -> "Text":
    from rich.text import Text

    return Text.assemble(*((part, style if is_match else "") for part, is_match in snippet.split()))


def _send(directory: Path, query: str) -> int:
    from hondius.use.search import WITHOUT_TEXT
    from hondius.use.search.opensearch import OpenSearchSink, open_server

    if query:
        raise BadSetting("--send searches nothing: leave out the query")
    with open_crawl(directory) as crawl:
        sink = OpenSearchSink(crawl.place, open_server(_read_settings(crawl)), patience=PATIENCE)
        try:
            sink.run()
        except KeyboardInterrupt:
            say(f"interrupted after {format_count(sink.sent, 'page')}; the same command continues")
            return INTERRUPTED
    if sink.unread.count:
        say(sink.unread.describe(WITHOUT_TEXT, str(directory)))
    refused = f"; the server refused {sink.refused:,}" if sink.refused else ""
    say(f"sent {format_count(sink.sent, 'page')}{refused}")
    return 1 if sink.refused else 0


def _read_settings(crawl: Crawl) -> "SearchSettings":
    if not crawl.settings.search.opensearch:
        change = quote_command("config", crawl.name, "search.opensearch=http://127.0.0.1:9200")
        raise BadSetting(f"{crawl.name} names no OpenSearch server: set one with {change}")
    return crawl.settings.search


def _make_progress() -> Callable[["Progress"], None]:
    """On a terminal, a line that shows how far the index is. Nothing before the first half second."""
    if not sys.stderr.isatty():
        return lambda progress: None
    shown = time.monotonic()

    def show(progress: "Progress") -> None:
        nonlocal shown
        if (at := time.monotonic()) - shown >= SHOWN_EVERY:
            shown = at
            share = 100 * progress.frames // max(1, progress.all_frames)
            line = f"\rindexing: {format_count(progress.pages, 'page')}, {min(share, 100)} % of the log "
            print(line, end="", file=get_trusted_stream(of_errors=True), flush=True)

    return show
