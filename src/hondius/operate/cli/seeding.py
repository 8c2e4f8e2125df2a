"""The seeds that a command names: opened, looked at before anything is written, and told of."""

import sys
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

import msgspec

from hondius.crawler.seeds import SeedSource, seeds_from_arguments
from hondius.crawler.seeds.source import slices_of_files
from hondius.crawler.translation import make_identity, make_policy
from hondius.errors import BadSeed, WrongUse
from hondius.hints import quote_command
from hondius.operate.cli.plain import printable, say
from hondius.operate.cli.quantities import counted
from hondius.operate.cli.queue import unfinished_lines
from hondius.operate.cli.settings_option import LONGEST_SHOWN, settings_changed, shown_value
from hondius.operate.cli.warnings import check_seeds, warn_without_contact
from hondius.ports import Stores
from hondius.settings import Settings
from hondius.settings.listing import list_saved_settings

STANDARD_INPUT = "-"


def open_source(arguments: Sequence[str], path: Path | None, settings: Settings) -> SeedSource | None:
    """None where no seeds are named. What is named on the command line itself must be right."""
    identity = make_identity(settings)
    named = seeds_from_arguments([text for text in arguments if text != STANDARD_INPUT], identity)
    files = [*_standard_input(arguments), *_file(path)]
    if not named and not files:
        return None
    name = ", ".join([*(["arguments"] if named else []), *(Path(name).name for name, _ in files)])
    source = SeedSource(printable(name))
    return source.read_from(lambda source: slices_of_files(source, named, files, identity))


def look_at(source: SeedSource, settings: Settings, *, is_new: bool) -> None:
    """Reads the first slice. Where that is all and nothing of it can be crawled, it is wrong use."""
    first = source.wait()
    if first is None:
        return
    if not first.seeds and is_new:
        skipped = f"; skipped: {source.first_skipped[0]}" if source.first_skipped else ""
        raise BadSeed(f"there is no seed in what was given: name a URL, or a file that has one a line{skipped}")
    check_seeds(settings, first.seeds, are_all=first.is_last)
    warn_without_contact(settings, first.seeds)
    if first.is_last:
        tell_skipped(source)


def tell_skipped(source: SeedSource) -> None:
    """Once: what was told is forgotten."""
    if source.skipped:
        first = "; the first of them" if source.skipped > len(source.first_skipped) else ""
        say(f"warning: {counted(source.skipped, 'line')} of {source.name} skipped{first}:")
        for line in source.first_skipped:
            say(f"  {printable(line)}")
    source.skipped = 0


def tell_unfinished(stores: Stores) -> None:
    for line in unfinished_lines(stores.view.unfinished_seeds()):
        say(line)


def refuse_unknown(source: SeedSource, stores: Stores, settings: Settings, directory: Path) -> None:
    """`crawl` on a directory that has a crawl is meant for that crawl, and its seeds are known. Seeds that the settings
    refuse are not. Blocks: there may be a million."""
    everywhere = msgspec.structs.replace(settings.scope, scope="any")
    policy = make_policy(msgspec.structs.replace(settings, scope=everywhere))
    for entry in stores.view.blacklist():
        policy.blacklist(entry.domain)
    while (some := source.wait()) is not None:
        for seed in some.seeds:
            if stores.urls.state(seed.url.key) is None and policy.judge(seed.url.href, is_seed=True) is None:
                resume = quote_command("resume", directory, seed.url.href)
                raise WrongUse(
                    f"{directory} has a crawl that does not know the seed {seed.url.href}: {resume} adds it, "
                    "another --into begins another crawl"
                )
        source.take()


def settings_in_words(before: Settings, now: Settings) -> str:
    """Which settings of a crawl hold, and which this command changes."""
    held = [
        f"{setting.full_name} = {shown_value(setting, value)[:LONGEST_SHOWN]}"
        for setting in list_saved_settings()
        if (value := setting.value_in(now)) == setting.value_in(before) and value != setting.default
    ]
    changed = settings_changed(before, now)
    kept = f"kept: {', '.join(held)}" if held else "kept: all defaults"
    return kept + (f". Changed by this command: {', '.join(changed)}" if changed else "")


def _standard_input(arguments: Sequence[str]) -> list[tuple[str, FileIO]]:
    if STANDARD_INPUT not in arguments:
        return []
    if sys.stdin is None:
        raise BadSeed("standard input is closed: name a file with --seeds")
    return [("standard input", FileIO(sys.stdin.fileno(), "rb", closefd=False))]


def _file(path: Path | None) -> list[tuple[str, FileIO]]:
    if path is None:
        return []
    try:
        return [(str(path), FileIO(path, "rb"))]
    except OSError as error:
        raise BadSeed(f"{path} cannot be read ({error.strerror}): check the path given to --seeds") from None
