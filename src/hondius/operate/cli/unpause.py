"""`hondius unpause`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from hondius.model import HostOrder
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.held import CrawlClock, held_orders
from hondius.operate.cli.options import Directory
from hondius.operate.cli.orders import is_unknown
from hondius.operate.cli.pause import one_host, order_host


def register(app: typer.Typer) -> None:
    app.command("unpause")(unpause)


def unpause(directory: Directory, host: Annotated[str, typer.Argument(help="Host name.")]) -> None:
    """Contact a host again as the crawl's own settings say."""
    open_settings(directory)
    name = one_host(host)
    if is_unknown(directory, lambda: _is_held(directory, name)):
        return print(f"{name} was not paused")
    return order_host(directory, HostOrder(name, time.time()))


def _is_held(directory: Path, host: str) -> bool:
    """Of a crawl that does not run."""
    with open_crawl(directory) as crawl:
        return any(order.host == host for order in held_orders(crawl.catalog, CrawlClock()))
