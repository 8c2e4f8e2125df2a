"""Arguments and options that several commands share and that are not settings."""

from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BadSetting
from hondius.native import Identity, NativeError

Directory = Annotated[Path, typer.Argument(help="Directory of the crawl.")]
Seeds = Annotated[
    list[str] | None, typer.Argument(help="URLs to start from; `-` reads them from standard input.", show_default=False)
]
SeedsFile = Annotated[
    Path | None,
    typer.Option(
        "--seeds", help="A file of seeds: a URL a line, `url<TAB>priority`, or `rank,domain`; may be gzipped."
    ),
]
Into = Annotated[Path | None, typer.Option("--into", help="Directory of the crawl. Default: crawls/HOST.")]
LogLevel = Annotated[
    str | None,
    typer.Option(help="Level of crawl.log: debug (every request), info, warning or error. Default: info."),
]
LogJson = Annotated[bool, typer.Option("--log-json", help="Write crawl.log as JSON, one object a line.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def parse_host(text: str) -> str:
    """Normalises a host name that a user typed to its form in URLs."""
    try:
        return Identity().parse(text if "://" in text else f"http://{text}").host
    except NativeError as error:
        raise BadSetting(f"{text!r} is no host name ({error}): write it like example.com") from None
