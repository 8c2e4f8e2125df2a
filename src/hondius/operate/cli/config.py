"""`hondius config`: the settings of a crawl, shown or changed."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from hondius.advice import command
from hondius.crawler.translation import check
from hondius.errors import BadSetting, DirectoryInUse
from hondius.opening import open_settings, place_of, settled
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.plain import say
from hondius.operate.cli.settings_option import chosen, settings_changed, shown_value
from hondius.operate.cli.wishes import Wishes, with_absolute_paths
from hondius.settings import OF_ONE_RUN, Settings
from hondius.settings.listing import Setting, all_settings, lasting_settings


def register(app: typer.Typer) -> None:
    app.command("config")(config)


def config(
    directory: Directory,
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SECTION.NAME=VALUE]...", help="Settings to change. None: show them.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the settings of a crawl, or change some of a crawl that does not run."""
    before = open_settings(directory)
    now = _changed(directory, chosen(changes)) if changes else before
    if json:
        print(json_format.dumps({setting.full_name: _row(setting, now) for setting in lasting_settings()}))
    elif changes:
        for line in settings_changed(before, now) or ["nothing changes: these are its settings already"]:
            print(line)
    else:
        for setting in lasting_settings():
            usual = "  (default)" if setting.value_in(now) == setting.default else ""
            print(f"{setting.full_name} = {shown_value(setting, setting.value_in(now))}{usual}")


def _changed(directory: Path, wishes: Wishes) -> Settings:
    from hondius.crawler.opening import Watch
    from hondius.crawler.recording import change_settings

    _refuse_for_one_run(directory, wishes)
    place = place_of(directory)
    try:
        with place.lock():
            settings = settled(directory, with_absolute_paths(wishes))
            check(settings)
            change_settings(place, settings, Watch(notice=say))
            return settings
    except DirectoryInUse:
        raise DirectoryInUse(
            f"{directory} is in use by process {place.holder() or 'unknown'}, which keeps the settings it began "
            f"with: stop it with Ctrl-C, change them, and go on with {command('resume', directory)}"
        ) from None


def _refuse_for_one_run(directory: Path, wishes: Wishes) -> None:
    for section, name in OF_ONE_RUN:
        if name in wishes.get(section, {}):
            option = all_settings()[f"{section}.{name}"].option
            again = command("resume", directory, option.name if option is not None else "", "1h")
            raise BadSetting(f"{section}.{name} belongs to one run and is not kept: {again} sets it")


def _row(setting: Setting, settings: Settings) -> dict[str, Any]:
    """The value of what may be a secret is not shown."""
    value = setting.value_in(settings)
    is_hidden = setting.option is not None and setting.option.is_secret and bool(value)
    shown = {"value": None if is_hidden else value, "default": setting.default, "is_default": value == setting.default}
    return shown | ({"is_hidden": True} if is_hidden else {})
