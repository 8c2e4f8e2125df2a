"""Lists all settings. The command line, `hondius.toml` and `docs/settings.md` are generated from this list."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from hondius.settings.option import Option
from hondius.settings.sections import PER_RUN, Settings

_SPEC_IDS = re.compile(r" \([A-Z]\d*(?:[-,] ?[A-Z]\d*)*\)")


class Setting(msgspec.Struct, frozen=True):
    section: str
    name: str
    type: Any
    """The annotation as declared, with the range and the option."""
    default: Any

    @property
    def full_name(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def option(self) -> Option | None:
        return next((some for some in get_args(self.type)[1:] if isinstance(some, Option)), None)

    def value_in(self, settings: Settings) -> Any:
        return getattr(getattr(settings, self.section), self.name)

    @property
    def plain_type(self) -> Any:
        return strip_annotations(self.type)


def list_sections() -> Iterator[tuple[str, type[msgspec.Struct]]]:
    return ((field.name, field.type) for field in msgspec.structs.fields(Settings))


@cache
def list_settings() -> dict[str, Setting]:
    """All settings by full name, in the order of declaration."""
    settings = (
        Setting(section, field.name, field.type, field.default)
        for section, kind in list_sections()
        for field in msgspec.structs.fields(kind)
    )
    return {setting.full_name: setting for setting in settings}


def list_saved_settings() -> list[Setting]:
    """The settings that `hondius.toml` holds: all but those of a single run."""
    return [setting for setting in list_settings().values() if (setting.section, setting.name) not in PER_RUN]


@cache
def read_descriptions() -> dict[str, dict[str, str]]:
    """The description of each setting, by section and name. The name "" stands for the section itself.

    Python discards the docstring of a field, so descriptions are read from the source code of the section.
    """
    found: dict[str, dict[str, str]] = {}
    for module in dict.fromkeys(kind.__module__ for _, kind in list_sections()):
        for node in ast.parse(inspect.getsource(sys.modules[module])).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = {"": _join_lines(ast.get_docstring(node) or ""), **dict(_read_field_texts(node))}
    return {name: found[kind.__name__] for name, kind in list_sections()}


def strip_annotations(kind: Any) -> Any:
    """The bare type (int, float, bool, str, tuple or a Literal), without range, option and None."""
    if get_origin(kind) is Annotated:
        return strip_annotations(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return strip_annotations(next(some for some in get_args(kind) if some is not NoneType))
    return kind if get_origin(kind) is Literal else get_origin(kind) or kind


def _read_field_texts(section: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in zip(section.body, section.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            yield field.target.id, _read_docstring(text)


def _read_docstring(node: ast.stmt) -> str:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return _join_lines(node.value.value) if is_text else ""  # type: ignore[attr-defined]


def _join_lines(text: str) -> str:
    """Also drops ids of the specification, which are for readers of the code."""
    return _SPEC_IDS.sub("", " ".join(text.split()))
