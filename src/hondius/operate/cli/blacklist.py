"""`hondius blacklist`."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BrokenView, WrongUse
from hondius.hints import quote_command
from hondius.model import Blacklisted, State
from hondius.native import registrable_domain
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, parse_host
from hondius.operate.cli.orders import is_absent, send_orders
from hondius.operate.cli.recrawl import requeue_ended
from hondius.sanitise import make_printable


def register(app: typer.Typer) -> None:
    app.command("blacklist")(blacklist)


def blacklist(
    directory: Directory,
    domain: Annotated[
        str | None, typer.Argument(help="Host or domain, with its subdomains. Default: list all.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="A note for the list. Default: the present one, or 'by hand'.")
    ] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Take it off the list.")] = False,
) -> None:
    """Put a host or domain on the blacklist, so that it is never contacted again; or list the blacklist. Also works
    while the crawl runs."""
    settings = open_settings(directory)
    if domain is None:
        if lift or reason is not None:
            option, example = (
                "--lift" if lift else "--reason",
                quote_command("blacklist", directory, "example.com", "--lift"),
            )
            raise WrongUse(f"{option} is for one domain: name it, like {example}")
        return _list_entries(directory)
    name = parse_host(domain)
    why = reason if reason is not None else _find_reason(directory, name) or "by hand"
    order = Blacklisted(name, make_printable(why[:500]), time.time(), lift)
    if lift and is_absent(directory, lambda: _find_reason(directory, name) is not None):
        return print(f"{order.domain} was not on the blacklist of {directory}")
    what = (
        f"{order.domain} and everything below it (a public suffix)" if _is_public_suffix(order.domain) else order.domain
    )
    if send_orders(directory, settings, [order]) is None:
        change = "take it off the blacklist" if lift else "put it on the blacklist"
        print(f"{what}: the order to {change} was sent to the running crawl of {directory}")
    else:
        print(f"{what} is {'no longer ' if lift else ''}on the blacklist of {directory}")
    if lift:
        requeue_ended(directory, settings, State.REFUSED, "blacklisted", order.domain)
    return None


def _find_reason(directory: Path, domain: str) -> str | None:
    """Why a domain is on the blacklist; None if it is not, or if the catalog must be rebuilt first."""
    with suppress(BrokenView), open_crawl(directory) as crawl:
        return next((entry.reason for entry in crawl.catalog.blacklist() if entry.domain == domain), None)
    return None


def _is_public_suffix(domain: str) -> bool:
    """True for a name under which others register names, like com or co.uk; False for an IP address."""
    return registrable_domain(domain) is None and not domain.startswith("[") and not domain[-1:].isdigit()


def _list_entries(directory: Path) -> None:
    with open_crawl(directory) as crawl:
        pending = [order for order, _ in crawl.orders.orders() if isinstance(order, Blacklisted)]
        entries = list(crawl.catalog.blacklist())
    for entry in entries:
        print(f"{make_printable(entry.domain)}\t{make_printable(entry.reason)}")
    for order in pending:
        what = f"take {order.domain} off the list" if order.lifted else f"put {order.domain} on the list"
        say(f"the order to {what} was sent, and is not in force yet")
    if not entries and not pending:
        say(f"the blacklist of {directory} is empty")
