"""`hondius blacklist`."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BrokenView, WrongUse
from hondius.hints import quote_command
from hondius.model import Blacklisted
from hondius.native import registrable_domain
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.options import Directory, host_named
from hondius.operate.cli.orders import give, is_unknown
from hondius.operate.cli.plain import printable, say
from hondius.operate.cli.recrawl import bring_back


def register(app: typer.Typer) -> None:
    app.command("blacklist")(blacklist)


def blacklist(
    directory: Directory,
    domain: Annotated[str | None, typer.Argument(help="Host or domain; all below it too. None: show the list.")] = None,
    reason: Annotated[str | None, typer.Option(help="Kept beside it. Default: the one it has, or 'by hand'.")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Take it off the list.")] = False,
) -> None:
    """Never contact a host again; also while the crawl runs."""
    settings = open_settings(directory)
    if domain is None:
        if lift or reason is not None:
            option, example = (
                "--lift" if lift else "--reason",
                quote_command("blacklist", directory, "example.com", "--lift"),
            )
            raise WrongUse(f"{option} is for one domain: name it, like {example}")
        return _show(directory)
    name = host_named(domain)
    why = reason if reason is not None else _listed_reason(directory, name) or "by hand"
    order = Blacklisted(name, printable(why[:500]), time.time(), lift)
    if lift and is_unknown(directory, lambda: _listed_reason(directory, name) is not None):
        return print(f"{order.domain} was not on the blacklist of {directory}")
    what = f"{order.domain} and everything below it (a public suffix)" if _is_suffix(order.domain) else order.domain
    if give(directory, settings, [order]) is None:
        print(f"{what}: the running crawl of {directory} has been told")
    else:
        print(f"{what} is {'off' if lift else 'on'} the blacklist of {directory}")
    if lift:
        bring_back(directory, settings, "blacklisted", order.domain)
    return None


def _listed_reason(directory: Path, domain: str) -> str | None:
    """Why a domain is on the blacklist; None where it is not, or the catalog has to be rebuilt first."""
    with suppress(BrokenView), open_crawl(directory) as crawl:
        return next((entry.reason for entry in crawl.catalog.blacklist() if entry.domain == domain), None)
    return None


def _is_suffix(domain: str) -> bool:
    """A name under which others register theirs, like com or co.uk; an address is none."""
    return registrable_domain(domain) is None and not domain.startswith("[") and not domain[-1:].isdigit()


def _show(directory: Path) -> None:
    with open_crawl(directory) as crawl:
        entries = list(crawl.catalog.blacklist())
    for entry in entries:
        print(f"{printable(entry.domain)}\t{printable(entry.reason)}")
    if not entries:
        say(f"the blacklist of {directory} is empty")
