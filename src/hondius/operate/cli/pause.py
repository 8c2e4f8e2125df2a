"""`hondius pause`: pauses or slows down one host; also works while the crawl runs."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BadSetting, BrokenView, WrongUse
from hondius.hints import quote_command
from hondius.model import FOREVER, HostOrder
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, parse_host
from hondius.operate.cli.orders import send_orders
from hondius.quantities import describe_order, format_seconds, parse_seconds
from hondius.sanitise import make_printable

LONGEST_DELAY = 86_400.0
LONGEST_PAUSE = 3_650 * 86_400.0


def register(app: typer.Typer) -> None:
    app.command("pause")(pause)


def pause(
    directory: Directory,
    host: Annotated[
        str | None, typer.Argument(help="Host name. Default: list the hosts paused or slowed down.")
    ] = None,
    duration: Annotated[str | None, typer.Option("--for", help="Like 30m or 2h. Default: until `unpause`.")] = None,
    delay: Annotated[
        float | None, typer.Option(help="Instead of pausing: seconds between two requests to the host.")
    ] = None,
    reason: Annotated[str, typer.Option(help="A note for the list.")] = "by hand",
) -> None:
    """Stop contacting one host for a while, or contact it more slowly. Its URLs stay queued."""
    open_settings(directory)
    if host is None:
        if duration is not None or delay is not None:
            option = "--for" if duration is not None else "--delay"
            raise WrongUse(
                f"{option} is for one host: name it, like {quote_command('pause', directory, 'www.example.com')}"
            )
        return _list_orders(directory)
    if delay is not None and (duration is not None or not 0 < delay <= LONGEST_DELAY):
        raise BadSetting("--delay slows a host down instead of pausing it: give seconds up to 86400, and no --for")
    now = time.time()
    until = None if delay is not None else (FOREVER if duration is None else now + _parse_pause(duration))
    return send_host_order(
        directory, HostOrder(parse_single_host(host), now, until, delay, make_printable(reason[:500]))
    )


def _parse_pause(duration: str) -> float:
    seconds = parse_seconds(duration, "--for")
    if not 0 < seconds <= LONGEST_PAUSE:
        raise BadSetting(f"--for {duration} is no pause: give up to 3650d, or none to pause it until `unpause`")
    return seconds


def parse_single_host(text: str) -> str:
    """An order names exactly one host; unlike an entry of the blacklist, it does not cover subdomains."""
    if "*" in text or text.startswith("."):
        raise BadSetting(
            f"{make_printable(text)} names more than one host: give each by its whole name, like www.example.com"
        )
    return parse_host(text)


def send_host_order(directory: Path, order: HostOrder) -> None:
    from hondius.crawler.run import NOTHING_DUE_WITHIN

    settings = open_settings(directory)
    is_running = send_orders(directory, settings, [order]) is None
    note = f"; the order was sent to the running crawl of {directory}" if is_running else ""
    print(f"{order.host}: {describe_order(order)}{note}")
    if not _is_known(directory, order.host):
        is_order = order.paused_until is not None or order.delay is not None
        left = (
            ": check the name; the order applies if it does later"
            if is_order
            else "; there is no order for it any more"
        )
        print(f"this crawl has not contacted {order.host} so far{left}")
    own = settings.politeness.delay
    if order.delay is not None and order.delay < own:
        print(f"the crawl's own delay of {format_seconds(own)} is longer, so it applies")
    if order.paused_until is not None and order.paused_until > order.at + NOTHING_DUE_WITHIN:
        again = (
            f"{quote_command('unpause', directory, order.host)}, then {quote_command('resume', directory)} continue it"
        )
        print(f"the crawl ends when only paused hosts are left: {again}")


def _is_known(directory: Path, host: str) -> bool:
    """Also True if the catalog must be rebuilt first."""
    with suppress(BrokenView), open_crawl(directory) as crawl:
        return crawl.catalog.host(host) is not None
    return True


def _list_orders(directory: Path) -> None:
    with open_crawl(directory) as crawl:
        pending = [order for order, _ in crawl.orders.orders() if isinstance(order, HostOrder)]
        orders = [o for o in crawl.catalog.host_orders() if o.paused_until is not None or o.delay is not None]
    for order in orders:
        print("\t".join(map(make_printable, (order.host, describe_order(order), order.reason))))
    for order in pending:
        say(f"the order for {order.host} ({describe_order(order)}) was sent, and is not in force yet")
    if not orders and not pending:
        say(f"no host is paused or slowed down in {directory}")
