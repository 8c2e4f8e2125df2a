"""`--set SECTION.NAME=VALUE`: sets any setting from the command line.

A value is written as in `hondius.toml`. A value that is not valid TOML is taken as text, so that text needs no quotes.
"""

import tomllib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hondius.errors import BadSetting
from hondius.settings.listing import list_settings
from hondius.settings.overrides import find_setting, parse_value

Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Any setting of hondius.toml; may be repeated."),
]

EXAMPLE = "limits.max_pages"
"""A setting that can always be changed."""


def parse_assignments(
    texts: Sequence[str], only: str | None = None, option: str = "--set"
) -> dict[str, dict[str, Any]]:
    """The settings that were given, by section. `only`: the one section that the command accepts. `option`: what the
    user typed before each, for error messages."""
    values: dict[str, dict[str, Any]] = {}
    known = [name for name in list_settings() if only is None or name.startswith(f"{only}.")]
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            example = EXAMPLE if EXAMPLE in known else known[0]
            raise BadSetting(f"{option} {text!r} is not understood: write it like {example}=VALUE".lstrip())
        setting = find_setting(name, option, only)
        values.setdefault(setting.section, {})[setting.name] = parse_value(
            setting, _parse_toml(value.strip()), f"{option} {name}".lstrip()
        )
    return values


def _parse_toml(text: str) -> Any:
    try:
        values = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # also a number with thousands of digits
        return text
    value = values["value"]
    return value if len(values) == 1 and isinstance(value, bool | int | float | str | list) else text
