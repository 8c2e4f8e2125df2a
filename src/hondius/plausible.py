"""Checks whether Hondius can have written an event. A log from a stranger may contain readable events with impossible
values: a negative length, a time that is not a number, a list of URLs that ends too soon. A salvage drops frames with
such events, an audit does not judge them, `verify` reports them, and a log refuses to append rare events of that
kind."""

import re
from collections.abc import Iterable
from functools import cache
from math import isnan

from msgspec import inspect

from hondius.model import (
    EARLIEST,
    LATEST,
    AnyEvent,
    Archived,
    Blacklisted,
    Discovered,
    Failed,
    Finished,
    FoundCloser,
    Frame,
    HostState,
    LinksKept,
    Rewritten,
)
from hondius.moves import has_whole_moves
from hondius.native import NativeError, decode_discoveries

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,200}\.(?:warc\.gz|links)")
_LARGEST = 2**53
_LARGEST_OF = {"depth": 2**32 - 1, "hops": 2**32 - 1, "simhash": 2**64 - 1}


_FREQUENT = frozenset({Discovered, FoundCloser, Finished, Failed, HostState})
"""Events of every page. Checking them would cost each page 12 µs, and their values are bounded where they are made."""


def find_implausible(events: Iterable[AnyEvent]) -> AnyEvent | None:
    """The first of the rare events with an impossible value: what the operator or another program ordered."""
    rare = (event for event in events if type(event) not in _FREQUENT)
    return next((event for event in rare if not _is_plausible_event(event)), None)


def is_plausible(frame: Frame) -> bool:
    return has_plausible_values(frame) and all(map(_can_be_decoded, frame.events))


def has_plausible_values(frame: Frame) -> bool:
    """Checks everything but the lists of URLs, whose decoding takes time."""
    return EARLIEST <= frame.at <= LATEST and all(map(_is_plausible_event, frame.events))


def _can_be_decoded(event: AnyEvent) -> bool:
    """True also for the list of a newer Hondius: a salvage must not drop it."""
    if isinstance(event, Discovered | FoundCloser):
        try:
            decode_discoveries(event.data)
        except NativeError as error:
            return error.kind != "corrupt"
    return True


def _is_plausible_event(event: AnyEvent) -> bool:
    for name in _list_numbers(type(event)):
        value = getattr(event, name)
        if value is None:
            continue
        is_time = isinstance(value, float)
        least, most = (EARLIEST, LATEST) if is_time else (0, _LARGEST_OF.get(name, _LARGEST))
        if isnan(value) or not least <= value <= most:
            return False
    match event:
        case Rewritten():
            return all(map(_FILE.fullmatch, (event.file, event.into))) and has_whole_moves(event)
        case Archived() | LinksKept():
            return _FILE.fullmatch(event.file) is not None
        case Blacklisted():
            return bool(event.domain.strip(".* "))
    return True


@cache
def _list_numbers(kind: type[AnyEvent]) -> list[str]:
    """The numeric fields of an event."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return [field.name for field in info.fields if _is_number(field.type)]


def _is_number(kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.UnionType):
        return any(map(_is_number, kind.types))
    return isinstance(kind, inspect.IntType | inspect.FloatType)
