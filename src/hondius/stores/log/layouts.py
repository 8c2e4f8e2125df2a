"""The layouts of events, as the native module checks them: what each field may hold, by the types of `model.py`.

An event with lists or maps in it is left out; those are rare.
"""

from typing import get_args

from msgspec import inspect

from hondius.model import AnyEvent
from hondius.native import EventLayouts

Field = tuple[list[str], list[str]]
"""Kinds, and the only words that are allowed, where only some are."""

_KINDS: tuple[tuple[inspect.Type, str], ...] = (
    (inspect.NoneType(), "None"),
    (inspect.BoolType(), "bool"),
    (inspect.IntType(), "int"),
    (inspect.FloatType(), "float"),
    (inspect.StrType(), "str"),
    (inspect.BytesType(), "bytes"),
)
"""Types without a constraint."""


def event_layouts() -> EventLayouts:
    known = []
    for event in get_args(AnyEvent):
        info = inspect.type_info(event)
        assert isinstance(info, inspect.StructType)
        fields = [_field(field.type) for field in info.fields]
        if info.array_like and all(kinds for kinds, _ in fields):
            known.append((str(info.tag), fields))
    return EventLayouts(known)


def _field(kind: inspect.Type) -> Field:
    """Without kinds where the native module has no name for one of them."""
    if isinstance(kind, inspect.EnumType):
        return ["str"], [word.value for word in kind.cls]
    if isinstance(kind, inspect.UnionType):
        parts = [_field(part) for part in kind.types]
        if any(words or not kinds for kinds, words in parts):
            return [], []
        return [kind for kinds, _ in parts for kind in kinds], []
    return [name for known, name in _KINDS if known == kind], []
