"""Command-line options for settings: those that `Settings` declares, and `--set` for all of them."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from hondius.operate.cli.set_option import Set, parse_assignments
from hondius.settings.listing import Setting, list_settings, read_descriptions
from hondius.settings.overrides import collect_overrides
from hondius.settings.validation import check_value

Command = Callable[..., int]
OVERRIDES, SET = "overrides", "settings"
EXAMPLES = {"bytes": " Like 10GB or 500MiB.", "seconds": " Like 90s, 2h or 1h30m."}


def add_setting_options(command: Command, *, is_new: bool) -> Command:
    """Replaces the parameter `overrides` of `command` by an option for each setting that has one, and by `--set`.
    `is_new`: settings not given have the default of a new crawl, which the help shows."""
    settings = {
        _make_parameter_name(setting): setting for setting in list_settings().values() if setting.option is not None
    }
    parameters = list(_build_parameters(command, settings, is_new=is_new))

    def run(**given: Any) -> int:
        said = {setting: given.pop(name) for name, setting in settings.items()}
        named = parse_assignments(given.pop(SET) or ())
        given[OVERRIDES] = values = collect_overrides(said, named)
        for setting, value in said.items():
            is_given = value is not None and value != []
            if is_given and setting.option is not None and setting.name not in named.get(setting.section, {}):
                check_value(setting.type, values[setting.section][setting.name], setting.option.name)
        return command(**given)

    run.__doc__ = command.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _build_parameters(
    command: Command, settings: Mapping[str, Setting], *, is_new: bool
) -> Iterator[inspect.Parameter]:
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name != OVERRIDES:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        for name, setting in settings.items():
            yield _make_keyword(name, _build_annotation(setting, is_new=is_new))
        yield _make_keyword(SET, Set)


def _make_keyword(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _make_parameter_name(setting: Setting) -> str:
    return setting.full_name.replace(".", "_")


def _build_annotation(setting: Setting, *, is_new: bool) -> Any:
    option = setting.option
    assert option is not None
    kind, choices, name = setting.plain_type, None, option.name
    if option.reads in ("bytes", "seconds") or get_origin(kind) is Literal:
        choices = "|".join(get_args(kind)) or {"bytes": "SIZE", "seconds": "TIME"}[option.reads]
        kind = str
    elif option.reads == "path":
        kind = Path
    elif kind is tuple:
        kind = list[str]
    elif kind is bool:
        name = f"{name}/--no-{name.removeprefix('--')}"
    return Annotated[
        kind | None, typer.Option(name, metavar=choices, help=_write_help(setting, is_new), show_default=False)
    ]


def _write_help(setting: Setting, is_new: bool) -> str:
    text = read_descriptions()[setting.section][setting.name]
    text += EXAMPLES.get(setting.option.reads if setting.option else "", "")
    if setting.plain_type is tuple:
        text += " May be repeated." if is_new else " May be repeated; replaces the list that the crawl has."
    has_default = is_new and type(setting.default) is not bool and setting.default not in (None, "", ())
    return text + (f" Default: {setting.default}." if has_default else "")
