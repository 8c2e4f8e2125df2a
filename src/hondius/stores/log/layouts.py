"""The layouts of events for the native check of frames, derived from the types of `model.py`.

Events with lists or maps are left out; they are rare.
"""

from functools import cache
from typing import get_args

from msgspec import inspect

from hondius.model import AnyEvent
from hondius.native import EventLayouts

Field = tuple[list[str], list[str]]
"""Kinds of values, and the only texts allowed, if only some are."""

_KINDS: tuple[tuple[inspect.Type, str], ...] = (
    (inspect.NoneType(), "None"),
    (inspect.BoolType(), "bool"),
    (inspect.IntType(), "int"),
    (inspect.FloatType(), "float"),
    (inspect.StrType(), "str"),
    (inspect.BytesType(), "bytes"),
)
"""Types without a constraint."""


@cache
def make_layouts() -> EventLayouts:
    """Only writers need it, so commands that only read do not wait for it at their start."""
    known = []
    for event in get_args(AnyEvent):
        info = inspect.type_info(event)
        assert isinstance(info, inspect.StructType)
        fields = [_make_field(field.type) for field in info.fields]
        if info.array_like and all(kinds for kinds, _ in fields):
            known.append((str(info.tag), fields))
    return EventLayouts(known)


def _make_field(kind: inspect.Type) -> Field:
    """Without kinds if the native module has no name for one of them."""
    if isinstance(kind, inspect.EnumType):
        return ["str"], [word.value for word in kind.cls]
    if isinstance(kind, inspect.UnionType):
        parts = [_make_field(part) for part in kind.types]
        if any(words or not kinds for kinds, words in parts):
            return [], []
        return [kind for kinds, _ in parts for kind in kinds], []
    return [name for known, name in _KINDS if known == kind], []
