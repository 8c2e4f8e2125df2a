"""`--set SECTION.NAME=VALUE`: sets any setting from the command line.

A value is written as in `hondius.toml`. A value that is not valid TOML is taken as text, so that text needs no quotes.
"""

import difflib
import tomllib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hondius.errors import BadSetting
from hondius.operate.cli.quantities import parse_bytes, parse_seconds
from hondius.operate.cli.sanitise import make_printable
from hondius.settings import OBSOLETE, Settings
from hondius.settings.listing import Setting, list_saved_settings, list_settings

ALIKE, VERY_MUCH_ALIKE = 0.6, 0.85
LONGEST_SHOWN = 80

Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Any setting of hondius.toml; may be repeated."),
]


def parse_assignments(
    texts: Sequence[str], only: str | None = None, option: str = "--set "
) -> dict[str, dict[str, Any]]:
    """The settings that were given, by section. `only`: the one section that the command accepts. `option`: what the
    user typed before each, for error messages."""
    values: dict[str, dict[str, Any]] = {}
    known = [name for name in list_settings() if only is None or name.startswith(f"{only}.")]
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise BadSetting(f"{option}{text!r} is not understood: write it like {known[0]}=VALUE")
        if gone := OBSOLETE.get((name.partition(".")[0], name.partition(".")[2])):
            raise BadSetting(f"{option}{name}: this setting was removed: {gone}")
        if name not in known:
            raise BadSetting(f"{option}{name}: there is no such setting here{_suggest(name, known)}")
        setting = list_settings()[name]
        values.setdefault(setting.section, {})[setting.name] = parse_value(
            setting, _parse_toml(value.strip()), f"{option}{name}"
        )
    return values


def parse_value(setting: Setting, value: Any, named: str) -> Any:
    """Parses a size or a duration with its unit, and `none` for a setting that may be unset. `named` is the option, for
    error messages."""
    if value == "none" and setting.default is None:
        return None
    reads = "value" if setting.option is None else setting.option.reads
    if isinstance(value, str) and reads == "bytes":
        return parse_bytes(value, named)
    if isinstance(value, str) and reads == "seconds":
        return parse_seconds(value, named)
    return value


def format_value(setting: Setting, value: Any) -> str:
    if setting.option is not None and setting.option.is_secret:
        return "…" if value else "none"
    if value is None or value in ("", (), []):
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    return make_printable(str(list(value) if isinstance(value, tuple) else value))


def describe_changes(before: Settings, now: Settings) -> list[str]:
    """One line for each setting that differs."""
    return [
        f"{setting.full_name} = {format_value(setting, value)[:LONGEST_SHOWN]} "
        f"(was {format_value(setting, was)[:LONGEST_SHOWN]})"
        for setting in list_saved_settings()
        if (value := setting.value_in(now)) != (was := setting.value_in(before))
    ]


def _suggest(name: str, known: Sequence[str]) -> str:
    """Suggests the closest name, first of the same section, then of all sections. For a valid section the match in
    other sections must be very close. Otherwise lists what exists."""
    section, _, own = name.rpartition(".")
    there = {full.partition(".")[2]: full for full in known if full.startswith(f"{section}.")}
    everywhere = {full.partition(".")[2]: full for full in known}
    for names, alike in ((there, ALIKE), (everywhere, VERY_MUCH_ALIKE if there else ALIKE)):
        if close := difflib.get_close_matches(own, names, n=1, cutoff=alike):
            return f"; did you mean {names[close[0]]}?"
    if there:
        return f": {section} has {', '.join(there)}"
    return f": sections are {', '.join(dict.fromkeys(full.partition('.')[0] for full in known))}"


def _parse_toml(text: str) -> Any:
    try:
        values = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    value = values["value"]
    return value if len(values) == 1 and isinstance(value, bool | int | float | str | list) else text
