"""`hondius changes`: pages that are new, have changed, or are gone (R6)."""

import threading
from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.errors import BadSetting
from hondius.hints import quote_command
from hondius.native import now
from hondius.opening import Crawl, open_crawl
from hondius.operate.cli import options
from hondius.operate.cli.messages import say
from hondius.operate.cli.signals import INTERRUPTED
from hondius.quantities import format_count, parse_moment
from hondius.sanitise import escape_controls_in_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hondius.use.changes import Change
    from hondius.use.changes.webhooks import Delivery

FORMATS = ("jsonl", "atom")
PATIENCE = 60.0
"""Seconds that `--send` waits for a receiver that confirms nothing."""


def register(app: typer.Typer) -> None:
    app.command("changes")(changes)


def changes(
    directory: options.Directory,
    since: Annotated[
        str | None, typer.Option(help="Only what was found since then: 2026-11-15, 2026-11-15T08:30 or -2h.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only this kind: new, changed or gone. May be repeated.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="jsonl: a JSON object a line; atom: a feed of the last 1,000 changes.")
    ] = "jsonl",
    consumer: Annotated[
        str | None,
        typer.Option(help="A name. Each change comes once: the next time, those after it.", show_default=False),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more while a process crawls.")] = False,
    send: Annotated[
        bool, typer.Option("--send", help="Instead, send what the webhooks of the settings do not have yet.")
    ] = False,
) -> int:
    """List pages that are new, have changed in their text, or are gone, in the order in which it was found. Also works
    while the crawl runs.
    """
    from hondius.use.changes import ChangeKind

    _refuse_conflicts(since, form, consumer, follow=follow)
    kinds = frozenset(kind or ChangeKind)
    if unknown := kinds.difference(ChangeKind):
        raise BadSetting(f"unknown kind {min(unknown)}; choose from {', '.join(ChangeKind)}")
    moment = None if since is None else parse_moment(since, "--since", now())
    with open_crawl(directory) as crawl:
        if send:
            return _send(crawl)
        stopped = threading.Event()
        try:
            read = _read(crawl, moment, consumer, stopped, follow=follow)
            with closing(change for change in read if change.kind in kinds) as found:
                _print(crawl, found, form)
        except KeyboardInterrupt:
            say("interrupted")
            return INTERRUPTED
    return 0


def _refuse_conflicts(since: str | None, form: str, consumer: str | None, *, follow: bool) -> None:
    if form not in FORMATS:
        raise BadSetting(f"unknown format {form}; choose from {', '.join(FORMATS)}")
    if consumer is not None and since is not None:
        raise BadSetting("--consumer begins where the consumer stopped: leave out --since")
    if form == "atom" and (follow or consumer is not None):
        raise BadSetting("a feed has its last changes whoever reads it: leave out --follow and --consumer")


def _read(
    crawl: Crawl, since: float | None, consumer: str | None, stopped: threading.Event, *, follow: bool
) -> "Iterator[Change]":
    from hondius.use.changes import ConsumedChanges, list_changes

    if consumer is not None:
        with closing(iter(ConsumedChanges(consumer, crawl, stopped, follow=follow))) as consumed:
            yield from consumed
    elif since is None:
        yield from list_changes(crawl, stopped=stopped, follow=follow)
    else:
        yield from list_changes(crawl, since, stopped, follow=follow)


def _print(crawl: Crawl, found: "Iterator[Change]", form: str) -> None:
    """The next change is asked for when a line has been written: this acknowledges it."""
    from hondius.use.changes import MOST_ENTRIES, render_feed

    if form == "atom":
        print(render_feed(crawl.name, list(deque(found, MOST_ENTRIES))), end="")
        return
    for change in found:
        print(escape_controls_in_json(msgspec.json.encode(change).decode()), flush=True)


def _send(crawl: Crawl) -> int:
    from hondius.use.changes.webhooks import Delivery, open_receivers

    receivers = open_receivers(crawl.settings)
    if not receivers:
        change = quote_command("config", crawl.name, "webhooks.urls=https://example.com/hook")
        raise BadSetting(f"{crawl.name} names no webhooks: set one with {change}")
    status = 0
    for receiver in receivers:
        status = _deliver(Delivery(crawl.place, receiver, patience=PATIENCE)) or status
        if status == INTERRUPTED:
            break
    return status


def _deliver(delivery: "Delivery") -> int:
    """A receiver that is away does not keep the others from their changes."""
    from hondius.errors import HondiusError

    try:
        delivery.run()
    except KeyboardInterrupt:
        say(f"interrupted after {format_count(delivery.sent, 'change')}; the same command continues")
        return INTERRUPTED
    except HondiusError as error:
        say(str(error))
        return error.exit_status
    say(f"{delivery.receiver} has {format_count(delivery.sent, 'more change')}")
    return 0
