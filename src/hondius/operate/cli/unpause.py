"""`hondius unpause`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from hondius.model import HostOrder
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.options import Directory
from hondius.operate.cli.orders import is_absent
from hondius.operate.cli.pause import parse_single_host, send_host_order
from hondius.session.host_restrictions import CrawlClock, list_orders_in_force


def register(app: typer.Typer) -> None:
    app.command("unpause")(unpause)


def unpause(directory: Directory, host: Annotated[str, typer.Argument(help="Host name.")]) -> None:
    """End the pause or the longer delay of a host: it is contacted as the settings of the crawl say."""
    open_settings(directory)
    name = parse_single_host(host)
    if is_absent(directory, lambda: _is_held(directory, name)):
        return print(f"{name} was neither paused nor slowed down")
    return send_host_order(directory, HostOrder(name, time.time()))


def _is_held(directory: Path, host: str) -> bool:
    """For a crawl that is not running."""
    with open_crawl(directory) as crawl:
        return any(order.host == host for order in list_orders_in_force(crawl.catalog, CrawlClock()))
