"""`hondius robots`: what Hondius makes of a robots.txt (O1b).

It asks the native parts that a crawl asks, and nothing else: no directory, no network.
"""

from pathlib import Path
from typing import Annotated

import typer

from hondius.crawler.translation import PRODUCT, product_of
from hondius.errors import WrongUse
from hondius.native import Identity, NativeError, Robots
from hondius.operate.cli.batch import (
    Answer,
    BadLine,
    Batch,
    Request,
    answer_lines,
    octets_of,
    one_by_one,
    read_input,
    refuse_beside_batch,
    text_of,
)
from hondius.operate.cli.plain import printable, whole_text

NO_HOST = "http://host.invalid/"
"""Whose robots.txt it is does not matter to its rules."""


def register(app: typer.Typer) -> None:
    app.command("robots")(robots)


def robots(
    file: Annotated[Path | None, typer.Argument(help="A robots.txt; `-` is standard input.")] = None,
    address: Annotated[str | None, typer.Argument(metavar="URL", help="A URL, or a path.")] = None,
    agent: Annotated[str | None, typer.Option(help="Product token or user agent. Default: Hondius.")] = None,
    batch: Batch = False,
) -> None:
    """Show whether a robots.txt allows a URL, and which line decides.

    A line of --batch is {"robots_b64", "agent", "url"}, its answer {"allowed", "line", "rule"}.
    """
    if batch:
        refuse_beside_batch(file=file, url=address, agent=agent)
        return answer_lines(one_by_one(_robots_answer, {"allowed": None, "line": None, "rule": None}))
    if file is None or address is None:
        raise WrongUse("robots needs a file and a URL, like `hondius robots robots.txt https://example.com/page`")
    rules = Robots(read_input(file), product(whole_text(agent or PRODUCT)))
    try:
        allowed, line, rule = rules.allowed(_path(address))
    except BadLine as bad:
        raise WrongUse(f"{printable(address)} is no URL ({bad}): write it like https://example.com/page") from None
    print("allowed" if allowed else "not allowed")
    print(f"  rule         {f'line {line}: {printable(rule)}' if line else 'none'}")
    print(f"  crawl-delay  {'none' if rules.crawl_delay is None else f'{rules.crawl_delay:g} s'}")
    print(f"  sitemaps     {', '.join(map(printable, rules.sitemaps)) or 'none'}")
    return None


def _robots_answer(request: Request) -> Answer:
    rules = Robots(octets_of(request, "robots_b64"), product(text_of(request, "agent", PRODUCT)))
    allowed, line, rule = rules.allowed(_path(text_of(request, "url")))
    return {"allowed": allowed, "line": line or None, "rule": rule or None}


def _path(address: str) -> str:
    """Nothing is the root, as for a host without a path."""
    if not address:
        return "/"
    try:
        return Identity().parse(address, NO_HOST if address.startswith("/") else None).path_and_query
    except NativeError as error:
        raise BadLine(str(error)) from None


def product(agent: str) -> str:
    """A user agent (`Hondius/0.1 (+contact)`) is meant by its first product, as in a crawl; a bare token by itself."""
    return product_of(agent) if "/" in agent else agent
