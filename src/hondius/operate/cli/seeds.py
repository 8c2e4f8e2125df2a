"""`hondius seeds`: shows or adds the seeds of a crawl; also works while it runs."""

import json as json_format
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from hondius.crawler.seeds import Seed, SeedSource
from hondius.errors import BadSeed, BrokenView
from hondius.hints import quote_command
from hondius.model import NewSeeds
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli import options
from hondius.operate.cli.messages import say
from hondius.operate.cli.orders import send_orders
from hondius.quantities import format_count
from hondius.sanitise import escape_controls_in_json, make_printable
from hondius.settings import Settings
from hondius.use.causes import explain_cause

if TYPE_CHECKING:
    from hondius.use.seeds import ListedSeed

MAX_ADDED = 100_000
BLACKLISTED = "blacklisted"
SHOWN = 10
"""Refused seeds that are named one by one."""
SEEDS_PER_ORDER = 1_000
"""Seeds in one order."""


def register(app: typer.Typer) -> None:
    app.command("seeds")(seeds)


def seeds(
    directory: options.Directory,
    urls: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    json: options.Json = False,
) -> None:
    """Show the seeds of a crawl and the result of each, or add seeds. A running crawl takes new seeds at once."""
    if urls or seeds_file is not None:
        _add(directory, urls or [], seeds_file, json)
    elif json:
        _print_json(directory)
    else:
        for seed in _read_crawl_seeds(directory):
            print("\t".join(make_printable(word) for word in (seed.url, seed.state, seed.cause) if word))


def _add(directory: Path, urls: list[str], file: Path | None, as_json: bool) -> None:
    from hondius.session.seed_input import check_first_seeds, open_seed_source, report_skipped_lines

    settings = open_settings(directory)
    source = open_seed_source(urls, file, settings)
    assert source is not None
    check_first_seeds(source, settings, say, is_new=True)
    found = _read_all(source, directory)
    report_skipped_lines(source, say)
    orders = [
        NewSeeds(tuple((seed.url.href, seed.priority) for seed in found[start : start + SEEDS_PER_ORDER]))
        for start in range(0, len(found), SEEDS_PER_ORDER)
    ]
    refused = _list_refused(directory, settings, found)
    added = send_orders(directory, settings, orders)
    if as_json:
        print(json_format.dumps({"seeds": len(found), "added": added, "running": added is None}))
    elif added is None:
        print(f"sent to the running crawl of {directory}: {format_count(len(found), 'seed')}")
    else:
        known = len(found) - added - len(refused)
        words = [f"{known:,} already known" if known > 0 else "", f"{len(refused):,} refused" if refused else ""]
        rest = "".join(f", {word}" for word in words if word)
        print(f"{format_count(added, 'seed')} added{rest}: {quote_command('resume', directory)} fetches what is queued")
    banned = [href for href, reason in refused if reason == BLACKLISTED]
    for href in banned[:SHOWN] if not as_json else ():
        print(f"refused: {make_printable(href)} ({explain_cause(BLACKLISTED, '').words})")


def _list_refused(directory: Path, settings: Settings, found: Sequence[Seed]) -> list[tuple[str, str]]:
    """(URL, reason) of each seed that the settings or the blacklist refuse. Those that the settings refuse were
    reported when they were read."""
    from hondius.crawler.translation import make_policy

    policy = make_policy(settings)
    with suppress(BrokenView), open_crawl(directory) as crawl:
        for entry in crawl.catalog.blacklist():
            policy.blacklist(entry.domain)
    for seed in found:
        policy.extend(seed.url.href)
    verdicts = ((seed.url.href, policy.judge(seed.url.href, is_seed=True)) for seed in found)
    return [(href, reason) for href, reason in verdicts if reason]


def _read_all(source: SeedSource, directory: Path) -> list[Seed]:
    found: list[Seed] = []
    while (some := source.wait()) is not None:
        found += some.seeds
        source.take()
        if len(found) > MAX_ADDED:
            source.stop()
            more = quote_command("resume", directory, "--seeds", "FILE")
            raise BadSeed(f"these are more than {MAX_ADDED:,} seeds: {more} takes any number")
    return found


def _read_crawl_seeds(directory: Path) -> Iterator["ListedSeed"]:
    from hondius.crawler.translation import make_identity
    from hondius.use.seeds import list_seeds

    with open_crawl(directory) as crawl:
        yield from list_seeds(crawl.log, crawl.catalog, make_identity(crawl.settings))


def _print_json(directory: Path) -> None:
    """Streams one JSON object: there may be a million seeds."""
    print('{"seeds": [', end="")
    for number, seed in enumerate(_read_crawl_seeds(directory)):
        print(", " if number else "", escape_controls_in_json(msgspec.json.encode(seed).decode()), sep="", end="")
    print("]}")
