"""`hondius seeds`: the seeds of a crawl, shown or added; also while it runs."""

import json as json_format
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from hondius.crawler.seeds import Seed, SeedSource
from hondius.errors import BadSeed
from hondius.hints import quote_command
from hondius.model import NewSeeds
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli import options
from hondius.operate.cli.harmless import harmless_json
from hondius.operate.cli.orders import give
from hondius.operate.cli.plain import printable
from hondius.operate.cli.quantities import counted

if TYPE_CHECKING:
    from hondius.use.seeds import ListedSeed

MOST_ADDED = 100_000
AT_ONCE = 1_000
"""Seeds of one order."""


def register(app: typer.Typer) -> None:
    app.command("seeds")(seeds)


def seeds(
    directory: options.Directory,
    urls: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    json: options.Json = False,
) -> None:
    """Show the seeds of a crawl, with what became of each; or add seeds: a running crawl takes them at once."""
    if urls or seeds_file is not None:
        _add(directory, urls or [], seeds_file, json)
    elif json:
        _print_json(directory)
    else:
        for seed in _listed(directory):
            print("\t".join(printable(word) for word in (seed.url, seed.state, seed.cause) if word))


def _add(directory: Path, urls: list[str], file: Path | None, as_json: bool) -> None:
    from hondius.operate.cli.seeding import look_at, open_source, tell_skipped

    settings = open_settings(directory)
    source = open_source(urls, file, settings)
    assert source is not None
    look_at(source, settings, is_new=True)
    found = _all_of(source, directory)
    tell_skipped(source)
    orders = [
        NewSeeds(tuple((seed.url.href, seed.priority) for seed in found[start : start + AT_ONCE]))
        for start in range(0, len(found), AT_ONCE)
    ]
    added = give(directory, settings, orders)
    if as_json:
        print(json_format.dumps({"seeds": len(found), "added": added, "running": added is None}))
    elif added is None:
        print(f"the running crawl of {directory} has been told of {counted(len(found), 'seed')}")
    else:
        known = f", {len(found) - added:,} known or refused" if len(found) > added else ""
        print(f"{counted(added, 'seed')} added{known}: {quote_command('resume', directory)} fetches what is queued")


def _all_of(source: SeedSource, directory: Path) -> list[Seed]:
    found: list[Seed] = []
    while (some := source.wait()) is not None:
        found += some.seeds
        source.take()
        if len(found) > MOST_ADDED:
            source.stop()
            more = quote_command("resume", directory, "--seeds", "FILE")
            raise BadSeed(f"these are more than {MOST_ADDED:,} seeds: {more} takes any number")
    return found


def _listed(directory: Path) -> Iterator["ListedSeed"]:
    from hondius.crawler.translation import make_identity
    from hondius.use.seeds import list_seeds

    with open_crawl(directory) as crawl:
        yield from list_seeds(crawl.log, crawl.catalog, make_identity(crawl.settings))


def _print_json(directory: Path) -> None:
    """One object, written as it is read: there may be a million seeds."""
    print('{"seeds": [', end="")
    for number, seed in enumerate(_listed(directory)):
        print(", " if number else "", harmless_json(msgspec.json.encode(seed).decode()), sep="", end="")
    print("]}")
