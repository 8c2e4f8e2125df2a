"""All settings, one by one: what the command line, the file and the page of settings are made from."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from hondius.settings.option import Option
from hondius.settings.sections import OF_ONE_RUN, Settings


class Setting(msgspec.Struct, frozen=True):
    section: str
    name: str
    type: Any
    """As it is declared: with its range, and with its option."""
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
        return plain_type(self.type)


def sections() -> Iterator[tuple[str, type[msgspec.Struct]]]:
    return ((field.name, field.type) for field in msgspec.structs.fields(Settings))


@cache
def all_settings() -> dict[str, Setting]:
    """By their full names, in the order of their declaration."""
    settings = (
        Setting(section, field.name, field.type, field.default)
        for section, kind in sections()
        for field in msgspec.structs.fields(kind)
    )
    return {setting.full_name: setting for setting in settings}


def lasting_settings() -> list[Setting]:
    """Without those of one run."""
    return [setting for setting in all_settings().values() if (setting.section, setting.name) not in OF_ONE_RUN]


@cache
def descriptions() -> dict[str, dict[str, str]]:
    """What settings mean, by section and name; the name "" is the section itself.

    Python keeps no docstring of a field at run time: they are read from the source of the section.
    """
    found: dict[str, dict[str, str]] = {}
    for module in dict.fromkeys(kind.__module__ for _, kind in sections()):
        for node in ast.parse(inspect.getsource(sys.modules[module])).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = {"": _one_line(ast.get_docstring(node) or ""), **dict(_field_texts(node))}
    return {name: found[kind.__name__] for name, kind in sections()}


def plain_type(kind: Any) -> Any:
    """int, float, bool, str, tuple or a Literal: without range, option and None."""
    if get_origin(kind) is Annotated:
        return plain_type(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return plain_type(next(some for some in get_args(kind) if some is not NoneType))
    return kind if get_origin(kind) is Literal else get_origin(kind) or kind


def _field_texts(section: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in zip(section.body, section.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            yield field.target.id, _docstring(text)


def _docstring(node: ast.stmt) -> str:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return _one_line(node.value.value) if is_text else ""  # type: ignore[attr-defined]


def _one_line(text: str) -> str:
    return " ".join(text.split())
