"""`hondius robots`: shows how Hondius interprets a robots.txt (O1b).

It calls the same native code as a crawl, and needs neither a directory nor the network.
"""

from pathlib import Path
from typing import Annotated

import typer

from hondius.crawler.translation import PRODUCT, parse_product_token
from hondius.errors import WrongUse
from hondius.native import Identity, NativeError, Robots
from hondius.operate.cli.batch import (
    BadLine,
    Batch,
    Query,
    Result,
    answer_each,
    answer_queries,
    decode_base64,
    get_text,
    read_input,
    refuse_with_batch,
)
from hondius.sanitise import make_printable, replace_surrogates

NO_HOST = "http://host.invalid/"
"""A placeholder: the rules do not depend on the host."""


def register(app: typer.Typer) -> None:
    app.command("robots")(robots)


def robots(
    file: Annotated[Path | None, typer.Argument(help="A robots.txt; `-` is standard input.")] = None,
    address: Annotated[str | None, typer.Argument(metavar="URL", help="A URL, or a path.")] = None,
    agent: Annotated[str | None, typer.Option(help="Product token or user agent. Default: Hondius.")] = None,
    batch: Batch = False,
) -> None:
    """Show whether a robots.txt allows a URL, and which line decides.

    A line of --batch is {"robots_b64", "agent", "url"}, its result {"allowed", "line", "rule"}.
    """
    if batch:
        refuse_with_batch(file=file, url=address, agent=agent)
        return answer_queries(answer_each(_answer_query, {"allowed": None, "line": None, "rule": None}))
    if file is None or address is None:
        raise WrongUse("robots needs a file and a URL, like `hondius robots robots.txt https://example.com/page`")
    rules = Robots(read_input(file), parse_product(replace_surrogates(agent or PRODUCT)))
    try:
        allowed, line, rule = rules.allowed(_parse_path(address))
    except BadLine as bad:
        raise WrongUse(f"{make_printable(address)} is no URL ({bad}): write it like https://example.com/page") from None
    print("allowed" if allowed else "not allowed")
    print(f"  rule         {f'line {line}: {make_printable(rule)}' if line else 'none'}")
    print(f"  crawl-delay  {'none' if rules.crawl_delay is None else f'{rules.crawl_delay:g} s'}")
    print(f"  sitemaps     {', '.join(map(make_printable, rules.sitemaps)) or 'none'}")
    stated = rules.usage(_parse_path(address)) if allowed else None
    print(f"  usage        {', '.join(map(make_printable, (stated or 'none').splitlines()))}")
    return None


def _answer_query(request: Query) -> Result:
    rules = Robots(decode_base64(request, "robots_b64"), parse_product(get_text(request, "agent", PRODUCT)))
    allowed, line, rule = rules.allowed(_parse_path(get_text(request, "url")))
    return {"allowed": allowed, "line": line or None, "rule": rule or None}


def _parse_path(address: str) -> str:
    """An empty text stands for the root, like a host without a path."""
    if not address:
        return "/"
    try:
        return Identity().parse(address, NO_HOST if address.startswith("/") else None).path_and_query
    except NativeError as error:
        raise BadLine(str(error)) from None


def parse_product(agent: str) -> str:
    """The first product of a user agent (`Hondius/0.1 (+contact)`), as in a crawl; a bare token is returned
    unchanged."""
    return parse_product_token(agent) if "/" in agent else agent
