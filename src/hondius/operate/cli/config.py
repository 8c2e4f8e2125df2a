"""`hondius config`: shows or changes the settings of a crawl."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hondius.crawler.translation import check_settings
from hondius.errors import BadSetting, DirectoryInUse
from hondius.hints import quote_command
from hondius.opening import open_settings, place_of, resolve_settings
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.set_option import parse_assignments
from hondius.settings import PER_RUN, Settings
from hondius.settings.listing import Setting, list_saved_settings, list_sections, list_settings
from hondius.settings.overrides import Overrides, describe_changes, find_setting, format_value, make_paths_absolute


def register(app: typer.Typer) -> None:
    app.command("config")(config)


def config(
    directory: Directory,
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SECTION[.NAME[=VALUE]]]...",
            help="Settings to change, or settings and sections to show; the value none removes a limit. "
            "Default: show all.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the settings of a crawl, or change some while it is not running."""
    before = open_settings(directory)
    names = [text.strip() for text in changes or () if "=" not in text]
    if names and len(names) < len(changes or ()):
        raise BadSetting(
            f"{names[0]} has no value: one command either shows settings or changes them, like limits.max_pages=100"
        )
    changes = None if names else changes
    shown = _select_settings(directory, names) if names else list_saved_settings()
    now = _change_settings(directory, parse_assignments(changes, option="")) if changes else before
    if json:
        print(json_format.dumps({setting.full_name: _to_json(setting, now) for setting in shown}))
    elif changes:
        for line in describe_changes(before, now) or ["nothing changed: the crawl already has these settings"]:
            print(line)
    else:
        for setting in shown:
            usual = "  (default)" if setting.value_in(now) == setting.default else ""
            print(f"{setting.full_name} = {format_value(setting, setting.value_in(now))}{usual}")


def _select_settings(directory: Path, names: Sequence[str]) -> list[Setting]:
    """`names`: settings and sections."""
    sections = [section for section, _ in list_sections()]
    for name in names:
        if name not in sections:
            setting = find_setting(name, option="")
            _refuse_run_limits(directory, {setting.section: {setting.name: None}})
    return [setting for setting in list_saved_settings() if {setting.section, setting.full_name} & {*names}]


def _change_settings(directory: Path, overrides: Overrides) -> Settings:
    from hondius.crawler.idle_crawl import change_settings
    from hondius.crawler.store_opening import Watch

    _refuse_run_limits(directory, overrides)
    place = place_of(directory)
    try:
        with place.lock():
            settings = resolve_settings(directory, make_paths_absolute(overrides))
            check_settings(settings)
            change_settings(place, settings, Watch(notice=say))
            return settings
    except DirectoryInUse:
        raise DirectoryInUse(
            f"{directory} is in use by process {place.holder() or 'unknown'}, and a running crawl does not read "
            f"its settings again: stop it with Ctrl-C, change them, and run {quote_command('resume', directory)}"
        ) from None


def _refuse_run_limits(directory: Path, overrides: Overrides) -> None:
    for section, name in PER_RUN:
        if name in overrides.get(section, {}):
            option = list_settings()[f"{section}.{name}"].option
            again = quote_command("resume", directory, option.name if option is not None else "", "1h")
            raise BadSetting(f"{section}.{name} holds for one run and is not saved: use {again}")


def _to_json(setting: Setting, settings: Settings) -> dict[str, Any]:
    """Hides the value of a setting that may contain a secret."""
    value = setting.value_in(settings)
    is_hidden = setting.option is not None and setting.option.is_secret and bool(value)
    shown = {"value": None if is_hidden else value, "default": setting.default, "is_default": value == setting.default}
    return shown | ({"is_hidden": True} if is_hidden else {})
