"""`--set SECTION.NAME=VALUE`: every setting there is, from the command line.

A value is written as in `hondius.toml`; what TOML cannot read is taken as text, so that nobody has to quote twice.
"""

import difflib
import tomllib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hondius.errors import BadSetting
from hondius.operate.cli.plain import printable
from hondius.operate.cli.quantities import bytes_of, seconds_of
from hondius.settings import OBSOLETE, Settings
from hondius.settings.listing import Setting, list_saved_settings, list_settings

ALIKE, VERY_MUCH_ALIKE = 0.6, 0.85
LONGEST_SHOWN = 80

Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Any setting of hondius.toml; may be repeated."),
]


def chosen(texts: Sequence[str], only: str | None = None) -> dict[str, dict[str, Any]]:
    """The settings that were named, by section; `only` one section where the command knows no other."""
    values: dict[str, dict[str, Any]] = {}
    known = [name for name in list_settings() if only is None or name.startswith(f"{only}.")]
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise BadSetting(f"--set {text!r} is not understood: write it like {known[0]}=VALUE")
        if gone := OBSOLETE.get((name.partition(".")[0], name.partition(".")[2])):
            raise BadSetting(f"--set {name}: there is no such setting any more: {gone}")
        if name not in known:
            raise BadSetting(f"--set {name}: there is no such setting here{_advice(name, known)}")
        setting = list_settings()[name]
        values.setdefault(setting.section, {})[setting.name] = read_value(
            setting, _value(value.strip()), f"--set {name}"
        )
    return values


def read_value(setting: Setting, value: Any, named: str) -> Any:
    """Of an option or of `--set`, which is `named` if it is wrong: a size or a duration may have its unit."""
    reads = "value" if setting.option is None else setting.option.reads
    if isinstance(value, str) and reads == "bytes":
        return bytes_of(value, named)
    if isinstance(value, str) and reads == "seconds":
        return seconds_of(value, named)
    return value


def shown_value(setting: Setting, value: Any) -> str:
    if setting.option is not None and setting.option.is_secret:
        return "…" if value else "none"
    if value is None or value in ("", (), []):
        return "not set"
    return printable(str(list(value) if isinstance(value, tuple) else value))


def settings_changed(before: Settings, now: Settings) -> list[str]:
    """A line for each that differs."""
    return [
        f"{setting.full_name} = {shown_value(setting, value)[:LONGEST_SHOWN]} "
        f"(was {shown_value(setting, was)[:LONGEST_SHOWN]})"
        for setting in list_saved_settings()
        if (value := setting.value_in(now)) != (was := setting.value_in(before))
    ]


def _advice(name: str, known: Sequence[str]) -> str:
    """The closest name, of the same section first; a setting given without its section, or in a wrong one, is found by
    its own, almost literally where its section is right. Else, what there is."""
    section, _, own = name.rpartition(".")
    there = {full.partition(".")[2]: full for full in known if full.startswith(f"{section}.")}
    everywhere = {full.partition(".")[2]: full for full in known}
    for names, alike in ((there, ALIKE), (everywhere, VERY_MUCH_ALIKE if there else ALIKE)):
        if close := difflib.get_close_matches(own, names, n=1, cutoff=alike):
            return f"; did you mean {names[close[0]]}?"
    if there:
        return f": {section} has {', '.join(there)}"
    return f": sections are {', '.join(dict.fromkeys(full.partition('.')[0] for full in known))}"


def _value(text: str) -> Any:
    try:
        values = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    value = values["value"]
    return value if len(values) == 1 and isinstance(value, bool | int | float | str | list) else text
