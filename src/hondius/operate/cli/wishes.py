"""Settings on the command line: the options that `Settings` declares, and `--set` for all of them."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from hondius.operate.cli.settings_option import Set, chosen, read_value
from hondius.settings import merge_values
from hondius.settings.listing import Setting, list_settings, read_descriptions

Wishes = dict[str, dict[str, Any]]
"""What the user asked for, by section; what was not said is left to the defaults or to the crawl's own settings."""
Command = Callable[..., int]
WISHES, SET = "wishes", "settings"
EXAMPLES = {"bytes": " Like 10GB or 500MiB.", "seconds": " Like 90s, 2h or 1h30m."}


def with_settings(command: Command, *, is_new: bool) -> Command:
    """`command` with an option for each setting that has one, and with `--set`, where its signature says `wishes`.
    `is_new`: what is not said has the default of a new crawl."""
    settings = {_parameter_name(setting): setting for setting in list_settings().values() if setting.option is not None}
    parameters = list(_parameters(command, settings, is_new=is_new))

    def run(**given: Any) -> int:
        said = {setting: given.pop(name) for name, setting in settings.items()}
        given[WISHES] = wishes_of(said, chosen(given.pop(SET) or ()))
        return command(**given)

    run.__doc__ = command.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def wishes_of(said: Mapping[Setting, Any], named: Wishes) -> Wishes:
    """What was `named` by `--set` wins over the option that means the same."""
    values: Wishes = {}
    for setting, value in said.items():
        if value is not None and value != []:
            plain = str(value) if isinstance(value, Path) else value
            option = setting.option.name if setting.option is not None else setting.full_name
            values.setdefault(setting.section, {})[setting.name] = read_value(setting, plain, option)
    return with_absolute_paths(merge_values(values, named))


def with_absolute_paths(wishes: Wishes) -> Wishes:
    """Files that settings name are read again at every start, from wherever that is."""
    return {
        section: {name: _absolute(list_settings()[f"{section}.{name}"], value) for name, value in values.items()}
        for section, values in wishes.items()
    }


def _parameters(command: Command, settings: Mapping[str, Setting], *, is_new: bool) -> Iterator[inspect.Parameter]:
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name != WISHES:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        for name, setting in settings.items():
            yield _keyword(name, _annotation(setting, is_new=is_new))
        yield _keyword(SET, Set)


def _keyword(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _parameter_name(setting: Setting) -> str:
    return setting.full_name.replace(".", "_")


def _annotation(setting: Setting, *, is_new: bool) -> Any:
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
    return Annotated[kind | None, typer.Option(name, metavar=choices, help=_help(setting, is_new), show_default=False)]


def _help(setting: Setting, is_new: bool) -> str:
    text = read_descriptions()[setting.section][setting.name]
    text += EXAMPLES.get(setting.option.reads if setting.option else "", "")
    text += " May be repeated." if setting.plain_type is tuple else ""
    is_told = is_new and type(setting.default) is not bool and setting.default not in (None, "", ())
    return text + (f" Default: {setting.default}." if is_told else "")


def _absolute(setting: Setting, value: Any) -> Any:
    reads = "value" if setting.option is None else setting.option.reads
    if reads == "path" and value and isinstance(value, str):
        return str(Path(value).absolute())
    if reads == "rows" and isinstance(value, list):
        return [_absolute_row(row) for row in value]
    return value


def _absolute_row(row: object) -> object:
    return f"@{Path(row[1:]).absolute()}" if isinstance(row, str) and row.startswith("@") else row
