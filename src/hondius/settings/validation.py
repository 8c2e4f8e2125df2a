"""Validates settings, from the command line or from the file, and describes the values that a setting accepts."""

import difflib
import re
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from hondius.errors import BadSetting
from hondius.settings.sections import OBSOLETE, Settings
from hondius.settings.value_types import LARGEST


def make_settings(values: dict[str, Any]) -> Settings:
    try:
        return msgspec.convert(values, Settings, strict=True)
    except msgspec.ValidationError as error:
        raise BadSetting(_describe_error(str(error), values)) from None


def check_value(kind: Any, value: Any, named: str) -> None:
    """`kind`: the annotation of a setting. `named`: the option that gave the value, for the message."""
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError:
        raise BadSetting(f"{named} is {repr(value)[:LONGEST_SHOWN]}: {describe_type(kind)} is expected") from None


_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "text", tuple: "a list"}
LONGEST_SHOWN = 60


def _describe_error(message: str, values: dict[str, Any]) -> str:
    """Translates an error of msgspec: names the setting, the value given, and the values it accepts."""
    text, _, path = message.partition(" - at `$.")
    name = path.rstrip("`")
    if match := re.fullmatch(r"Object contains unknown field `(.*)`", text):
        if gone := OBSOLETE.get((name, match[1])):
            return f"there is no setting {name}.{match[1]} any more: {gone}"
        known = [field.name for field in msgspec.structs.fields(_find_type(name))]
        close = difflib.get_close_matches(match[1], known, n=2, cutoff=0.6)
        hint = f"; did you mean {' or '.join(close)}?" if close else ": `docs/settings.md` lists all"
        return f"there is no setting `{match[1]}` in {name or 'hondius.toml'}{hint}"
    given: Any = values
    for part in re.findall(r"\w+", name):
        given = given[int(part) if isinstance(given, list | tuple) else part]
    return f"setting {name} is {repr(given)[:LONGEST_SHOWN]}: {describe_type(_find_type(name))} is expected"


def _find_type(name: str) -> Any:
    """The annotation of a setting, of an item of a list, or of a section; the empty name stands for `Settings`."""
    kind: Any = Settings
    for part in re.findall(r"\w+", name):
        if part.isdigit():
            return str
        kind = next(field.type for field in msgspec.structs.fields(kind) if field.name == part)
    return kind


def describe_type(kind: Any) -> str:
    """The values that a setting accepts, with their range. Does not mention that it is optional."""
    if get_origin(kind) in (Union, UnionType):
        return describe_type(next(some for some in get_args(kind) if some is not NoneType))
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) is Annotated:
        plain, *notes = get_args(kind)
        limits = next((note for note in notes if isinstance(note, Meta)), None)
        return describe_type(plain) + ("" if limits is None else _describe_range(limits))
    return _WORDS.get(get_origin(kind) or kind, "a section")


def _describe_range(limits: Meta) -> str:
    if limits.max_length is not None:
        return f" of up to {limits.max_length}"
    least = f"from {limits.ge}" if limits.gt is None else f"above {limits.gt}"
    if limits.le is None or limits.le >= LARGEST:
        return f" {least} on" if limits.gt is None else f" {least}"
    return f" {least} to {limits.le}"
