"""`hondius consumers`: shows how far programs have read a crawl, or removes one; also works while the crawl runs."""

import json as json_format
from typing import Annotated

import typer

from hondius.errors import Broken, WrongUse
from hondius.opening import Crawl, open_crawl
from hondius.operate.cli import options
from hondius.operate.cli.messages import say
from hondius.quantities import format_count


def register(app: typer.Typer) -> None:
    app.command("consumers")(consumers)


def consumers(
    directory: options.Directory,
    remove: Annotated[
        str | None, typer.Option(help="Forget this consumer: its next loop begins with the first page.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show the named consumers of a crawl (`crawl.pages(consumer=...)` in Python), or remove one."""
    with open_crawl(directory) as crawl:
        if remove is not None:
            _remove(crawl, remove)
            return
        behind = {name: _count_frames_behind(crawl, name) for name in crawl.consumers.list()}
    if json:
        print(
            json_format.dumps({"consumers": [{"name": name, "frames_behind": count} for name, count in behind.items()]})
        )
        return
    if not behind:
        say(f"{directory} has no named consumers: in Python, crawl.pages(consumer='NAME') adds one")
    for name, count in behind.items():
        print(f"{name}\t{'damaged' if count is None else _describe(count)}")


def _remove(crawl: Crawl, name: str) -> None:
    if not crawl.consumers.remove(name):
        known = ", ".join(crawl.consumers.list()) or "none"
        raise WrongUse(f"{crawl.name} has no consumer {name}; it has: {known}")
    print(f"{name} is removed: its next loop begins with the first page")


def _count_frames_behind(crawl: Crawl, name: str) -> int | None:
    """None if its position cannot be read."""
    try:
        cursor = crawl.consumers.position(name)
    except Broken:
        return None
    return 0 if cursor is None else cursor.position.frames_behind(crawl.log.end)


def _describe(count: int) -> str:
    return f"{format_count(count, 'commit')} behind" if count else "has read everything"
