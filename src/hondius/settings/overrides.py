"""Settings that a command or a Python program gives: from the values of options to the values of sections.

An option in Python has the name of the command's option, with underscores: `--max-pages` is `max_pages`.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hondius.errors import BadSetting
from hondius.quantities import parse_bytes, parse_seconds
from hondius.sanitise import make_printable
from hondius.settings.conversion import merge_values
from hondius.settings.listing import Setting, list_saved_settings, list_settings
from hondius.settings.sections import OBSOLETE, Settings

Overrides = dict[str, dict[str, Any]]
"""Settings that were given, by section. Others keep the crawl's own value, or the default."""
ALIKE, VERY_MUCH_ALIKE = 0.6, 0.85
LONGEST_SHOWN = 200
PAIRS = {"fetch.headers": ": ", "fetch.resolve": "="}
"""Lists of rows with two parts, and what stands between the parts."""


@cache
def list_options() -> dict[str, Setting]:
    """Settings that have an option, by the name of the option in Python."""
    options = {}
    for setting in list_settings().values():
        if setting.option is not None:
            options[setting.option.name.removeprefix("--").replace("-", "_")] = setting
    return options


def collect_options(given: Mapping[str, Any], named: Mapping[str, Any]) -> Overrides:
    """The overrides of a Python program. `given`: by the name of the option; None stands for the default. `named`: by
    the full name of the setting. Raises BadSetting for an unknown name."""
    options = list_options()
    said: dict[Setting, Any] = {}
    for name, value in given.items():
        if name not in options:
            raise BadSetting(f"{name} is not an option of a crawl{_suggest_option(name, list(options))}")
        said[options[name]] = _make_plain(value, options[name])
    values: Overrides = {}
    for name, value in named.items():
        setting = find_setting(name, "set")
        values.setdefault(setting.section, {})[setting.name] = parse_value(
            setting, _make_plain(value, setting), f"set {name}"
        )
    return collect_overrides(said, values)


def find_setting(name: str, option: str, only: str | None = None) -> Setting:
    """`option`: how the user gave the name, for messages. `only`: the one section that is accepted."""
    known = [full for full in list_settings() if only is None or full.startswith(f"{only}.")]
    named = f"{option} {name}".lstrip()
    if gone := OBSOLETE.get((name.partition(".")[0], name.partition(".")[2])):
        raise BadSetting(f"{named}: this setting was removed: {gone}")
    if name not in known:
        raise BadSetting(f"{named}: there is no such setting here{suggest_setting(name, known)}")
    return list_settings()[name]


def collect_overrides(said: Mapping[Setting, Any], named: Overrides) -> Overrides:
    """`named` (values of `--set`) takes precedence over the option of the same setting."""
    values: Overrides = {}
    for setting, value in said.items():
        if value is not None and value != []:
            plain = str(value) if isinstance(value, Path) else value
            option = setting.option.name if setting.option is not None else setting.full_name
            values.setdefault(setting.section, {})[setting.name] = parse_value(setting, plain, option)
    return make_paths_absolute(merge_values(values, named))


def make_paths_absolute(overrides: Overrides) -> Overrides:
    """The files are read at every start, which may be in another working directory."""
    return {
        section: {name: _make_absolute(list_settings()[f"{section}.{name}"], value) for name, value in values.items()}
        for section, values in overrides.items()
    }


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
        f"{setting.full_name} = {_shorten(format_value(setting, value))} (was {_shorten(format_value(setting, was))})"
        for setting in list_saved_settings()
        if (value := setting.value_in(now)) != (was := setting.value_in(before))
    ]


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def suggest_setting(name: str, known: Sequence[str]) -> str:
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


def _suggest_option(name: str, known: Sequence[str]) -> str:
    if close := difflib.get_close_matches(name, known, n=1, cutoff=ALIKE):
        return f"; did you mean {close[0]}?"
    return ": the options are those of `hondius crawl --help`, and others are given with set={'SECTION.NAME': VALUE}"


def _make_plain(value: Any, setting: Setting) -> Any:
    """A list may be given as any sequence, or as one text; rows of two parts as a dictionary. A path may be a Path."""
    if setting.plain_type is not tuple or value is None:
        return str(value) if isinstance(value, Path) else value
    if isinstance(value, Mapping) and setting.full_name in PAIRS:
        return [f"{name}{PAIRS[setting.full_name]}{part}" for name, part in value.items()]
    if isinstance(value, Mapping | bytes) or not isinstance(value, str | Iterable):
        name = setting.full_name if setting.option is None else setting.option.name
        raise BadSetting(f"{name} needs a text or a list of texts, not a value of type {type(value).__name__}")
    return [value] if isinstance(value, str) else [str(row) if isinstance(row, Path) else row for row in value]


def _make_absolute(setting: Setting, value: Any) -> Any:
    reads = "value" if setting.option is None else setting.option.reads
    if reads == "path" and value and isinstance(value, str):
        return str(Path(value).absolute())
    if reads == "rows" and isinstance(value, list):
        return [_make_row_absolute(row) for row in value]
    return value


def _make_row_absolute(row: object) -> object:
    return f"@{Path(row[1:]).absolute()}" if isinstance(row, str) and row.startswith("@") else row
