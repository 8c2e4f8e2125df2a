"""Opens the seeds that a command is given, and checks the first ones before anything is written."""

import sys
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

import msgspec

from hondius.crawler.assemble import OpenCrawl
from hondius.crawler.seeds import SeedSource, parse_arguments
from hondius.crawler.seeds.source import read_slices
from hondius.crawler.translation import make_identity, make_policy
from hondius.errors import BadSeed, UnknownSeed
from hondius.ports import Stores
from hondius.quantities import format_count
from hondius.sanitise import make_printable
from hondius.session.queue import describe_unfinished_seeds
from hondius.session.warnings import Say, check_seeds, warn_without_contact
from hondius.settings import Settings
from hondius.settings.listing import list_saved_settings
from hondius.settings.overrides import LONGEST_SHOWN, describe_changes, format_value

STANDARD_INPUT = "-"


def open_seed_source(arguments: Sequence[str], path: Path | None, settings: Settings) -> SeedSource | None:
    """None if no seeds are given. Seeds on the command line must be valid; bad lines of a file are skipped later."""
    identity = make_identity(settings)
    named = parse_arguments([text for text in arguments if text != STANDARD_INPUT], identity)
    files = [*_open_standard_input(arguments), *_open_file(path)]
    if not named and not files:
        return None
    name = ", ".join([*(["arguments"] if named else []), *(Path(name).name for name, _ in files)])
    source = SeedSource(make_printable(name))
    return source.read_from(lambda source: read_slices(source, named, files, identity))


def check_first_seeds(source: SeedSource, settings: Settings, say: Say, *, is_new: bool) -> None:
    """Reads the first slice. Raises BadSeed if that is all and none of it can be crawled."""
    first = source.wait()
    if first is None:
        return
    if not first.seeds and is_new:
        skipped = f"; skipped: {source.first_skipped[0]}" if source.first_skipped else ""
        raise BadSeed(f"no seeds given: name a URL, or a file with one URL a line{skipped}")
    check_seeds(settings, first.seeds, say, are_all=first.is_last)
    warn_without_contact(settings, first.seeds, say)
    if first.is_last:
        report_skipped_lines(source, say)


def report_skipped_lines(source: SeedSource, say: Say) -> None:
    """Reports each skipped line only once: resets the count."""
    if source.skipped:
        first = "; the first of them" if source.skipped > len(source.first_skipped) else ""
        say(f"warning: {format_count(source.skipped, 'line')} of {source.name} skipped{first}:")
        for line in source.first_skipped:
            say(f"  {make_printable(line)}")
    source.skipped = 0


def report_unfinished_seeds(stores: Stores, say: Say) -> None:
    for line in describe_unfinished_seeds(stores.view.unfinished_seeds()):
        say(line)


def refuse_unknown_seeds(source: SeedSource, stores: Stores, settings: Settings, directory: Path) -> None:
    """Raises UnknownSeed if the crawl does not know a seed: `crawl` on an existing directory continues it, and adds
    none. Ignores seeds that the settings refuse. Blocks: there may be a million seeds."""
    everywhere = msgspec.structs.replace(settings.scope, scope="any")
    policy = make_policy(msgspec.structs.replace(settings, scope=everywhere))
    for entry in stores.view.blacklist():
        policy.blacklist(entry.domain)
    while (some := source.wait()) is not None:
        for seed in some.seeds:
            if stores.urls.state(seed.url.key) is None and policy.judge(seed.url.href, is_seed=True) is None:
                raise UnknownSeed(directory, seed.url.href)
        source.take()


def count_seeds_taken(crawl: OpenCrawl) -> int:
    """Seeds read from the source, also by earlier runs: a continued run reads them again and finds them known."""
    return max(crawl.seeds.taken, dict(crawl.stores.view.unfinished_seeds()).get(crawl.seeds.source, 0))


def describe_settings(before: Settings, now: Settings) -> str:
    """Which settings of the crawl are kept, and which this command changes."""
    held = [
        f"{setting.full_name} = {format_value(setting, value)[:LONGEST_SHOWN]}"
        for setting in list_saved_settings()
        if (value := setting.value_in(now)) == setting.value_in(before) and value != setting.default
    ]
    changed = describe_changes(before, now)
    kept = f"kept: {', '.join(held)}" if held else "kept: all defaults"
    return kept + (f". Changed by this command: {', '.join(changed)}" if changed else "")


def _open_standard_input(arguments: Sequence[str]) -> list[tuple[str, FileIO]]:
    if STANDARD_INPUT not in arguments:
        return []
    if sys.stdin is None:
        raise BadSeed("standard input is closed: name a file with --seeds")
    return [("standard input", FileIO(sys.stdin.fileno(), "rb", closefd=False))]


def _open_file(path: Path | None) -> list[tuple[str, FileIO]]:
    if path is None:
        return []
    try:
        return [(str(path), FileIO(path, "rb"))]
    except OSError as error:
        raise BadSeed(f"{path} cannot be read ({error.strerror}): check the path") from None
