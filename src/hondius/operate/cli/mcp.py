"""`hondius mcp`: serves a crawl to an assistant, over standard input and output (O8)."""

import sys
from typing import Annotated

import typer

from hondius.errors import WrongUse
from hondius.opening import open_crawl
from hondius.operate.cli.options import Directory


def register(app: typer.Typer) -> None:
    app.command("mcp")(mcp)


def mcp(
    directory: Directory,
    noindex: Annotated[
        bool, typer.Option("--noindex", help="Include the text of pages that ask not to be indexed.")
    ] = False,
    reserved: Annotated[
        bool, typer.Option("--reserved", help="Include the text of pages that their owners reserve for the use by AI.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long a query in SQL may take.")] = 30.0,
) -> None:
    """Serve a crawl to an assistant: a read-only Model Context Protocol server on standard input and output."""
    from hondius.operate.mcp.crawl_tools import CrawlTools
    from hondius.operate.mcp.messages import Server
    from hondius.operate.mcp.search import find_pages
    from hondius.operate.mcp.tools import list_tools

    with open_crawl(directory):  # a wrong directory is reported at once, not at the first call
        pass
    if sys.stdin is None:
        raise WrongUse("standard input is closed: an assistant starts this command, and writes to it")
    tools = list_tools(CrawlTools(noindex=noindex, reserved=reserved, seconds=seconds, search=find_pages))
    Server(directory, tools).serve(sys.stdin.buffer, sys.stdout)
