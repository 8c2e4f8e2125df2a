"""`hondius pause`: what the operator asks of one host, also while the crawl runs."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BadSetting, BrokenView, WrongUse
from hondius.hints import quote_command
from hondius.model import FOREVER, HostOrder
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.options import Directory, host_named
from hondius.operate.cli.orders import give
from hondius.operate.cli.plain import printable, say
from hondius.operate.cli.quantities import order_in_words, seconds_of, shown_seconds

LONGEST_DELAY = 86_400.0
LONGEST_PAUSE = 3_650 * 86_400.0


def register(app: typer.Typer) -> None:
    app.command("pause")(pause)


def pause(
    directory: Directory,
    host: Annotated[str | None, typer.Argument(help="Host name. None: show what was asked of which host.")] = None,
    duration: Annotated[str | None, typer.Option("--for", help="Like 30m or 2h; else until `unpause`.")] = None,
    delay: Annotated[
        float | None, typer.Option(help="Do not pause it: leave so many seconds between two requests.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Kept beside it.")] = "by hand",
) -> None:
    """Leave one host alone for a while, or contact it more slowly; its URLs stay queued."""
    open_settings(directory)
    if host is None:
        if duration is not None or delay is not None:
            option = "--for" if duration is not None else "--delay"
            raise WrongUse(
                f"{option} is for one host: name it, like {quote_command('pause', directory, 'www.example.com')}"
            )
        return _show(directory)
    if delay is not None and (duration is not None or not 0 < delay <= LONGEST_DELAY):
        raise BadSetting("--delay slows a host down instead of pausing it: give seconds up to 86400, and no --for")
    now = time.time()
    until = None if delay is not None else (FOREVER if duration is None else now + _pause_of(duration))
    return order_host(directory, HostOrder(one_host(host), now, until, delay, printable(reason[:500])))


def _pause_of(duration: str) -> float:
    seconds = seconds_of(duration, "--for")
    if not 0 < seconds <= LONGEST_PAUSE:
        raise BadSetting(f"--for {duration} is no pause: give up to 3650d, or none to pause it until `unpause`")
    return seconds


def one_host(text: str) -> str:
    """An order is for one host, by its name: unlike a blacklist's, not for what is below it."""
    if "*" in text or text.startswith("."):
        raise BadSetting(
            f"{printable(text)} names more than one host: give each by its whole name, like www.example.com"
        )
    return host_named(text)


def order_host(directory: Path, order: HostOrder) -> None:
    from hondius.crawler.run import NOTHING_DUE_WITHIN

    settings = open_settings(directory)
    told = f"; the running crawl of {directory} has been told" if give(directory, settings, [order]) is None else ""
    print(f"{order.host}: {order_in_words(order)}{told}")
    if not _is_known(directory, order.host):
        is_order = order.paused_until is not None or order.delay is not None
        left = ": check the name; the order is kept in case it does" if is_order else ", and no order for it is left"
        print(f"this crawl has not contacted {order.host} so far{left}")
    own = settings.politeness.delay
    if order.delay is not None and order.delay < own:
        print(f"the crawl's own delay of {shown_seconds(own)} is longer, and holds")
    if order.paused_until is not None and order.paused_until > order.at + NOTHING_DUE_WITHIN:
        again = f"{quote_command('unpause', directory, order.host)}, then {quote_command('resume', directory)} go on"
        print(f"once nothing but paused hosts is left, the crawl ends: {again}")


def _is_known(directory: Path, host: str) -> bool:
    """True also where the catalog cannot tell before it is rebuilt."""
    with suppress(BrokenView), open_crawl(directory) as crawl:
        return crawl.catalog.host(host) is not None
    return True


def _show(directory: Path) -> None:
    with open_crawl(directory) as crawl:
        orders = [o for o in crawl.catalog.host_orders() if o.paused_until is not None or o.delay is not None]
    for order in orders:
        print("\t".join(map(printable, (order.host, order_in_words(order), order.reason))))
    if not orders:
        say(f"no host is paused or slowed down in {directory}")
