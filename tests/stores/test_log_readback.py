"""Every written frame can be read back; events that could not be are refused before."""

from contextlib import suppress
from itertools import product
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hondius.model import AnyEvent, Discovered, Finished, FoundCloser, HostState, Salvaged
from hondius.stores.log import frames
from hondius.stores.log.layouts import make_layouts

ANYTHING: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**64 - 1,
    0.5,
    "",
    "word",
    "completed",
    b"",
    b"octets",
    [],
    [1],
    {},
    {"a": 1.0},
)


def events(kind: Any) -> st.SearchStrategy[Any]:
    """Those whose fields hold what they say."""
    hints = get_type_hints(kind)
    return st.builds(kind, *(st.from_type(hints[name]) for name in kind.__struct_fields__))


ANY_EVENT = st.one_of(*(events(kind) for kind in get_args(AnyEvent)))
UNHURRIED = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
"""The first draw makes all the tables of text."""


def encoded(*events: Any) -> bytes:
    """A lone surrogate or an integer beyond 64 bits cannot even be encoded."""
    try:
        return frames.encode(1, 1.0, events)
    except (UnicodeEncodeError, OverflowError):
        assume(False)
        raise


def written(*events: Any) -> bytes:
    """Impossible values are refused."""
    try:
        return encoded(*events)
    except frames.ImplausibleEvent:
        assume(False)
        raise


def read_back(frame: bytes) -> tuple[AnyEvent, ...]:
    [raw] = frames.split([frame], 0)
    return frames.decode(raw, "log/1.log").events


@UNHURRIED
@given(st.lists(ANY_EVENT, max_size=3))
def test_every_event_of_the_model_can_be_read_back(events: list[Any]) -> None:
    frame = written(*events)
    assert frames.encode(1, 1.0, read_back(frame)) == frame


@UNHURRIED
@given(ANY_EVENT)
def test_an_event_is_refused_or_can_be_read_back_whatever_its_fields_hold(event: Any) -> None:
    for name, value in product(event.__struct_fields__, ANYTHING):
        with suppress(msgspec.ValidationError, frames.ImplausibleEvent):
            frame = encoded(msgspec.structs.replace(event, **{name: value}))
            assert len(read_back(frame)) == 1


@UNHURRIED
@given(st.one_of(*(events(kind) for kind in (Discovered, Finished, FoundCloser, HostState))), st.data())
def test_s1_the_events_of_every_page_need_not_be_decoded_to_be_checked(event: Any, data: st.DataObject) -> None:
    layouts, encoder = make_layouts(), msgspec.msgpack.Encoder()
    try:
        payload = encoder.encode([event])
    except (UnicodeEncodeError, OverflowError):
        assume(False)
        raise
    assert layouts.matches(payload)
    assert not layouts.matches(payload[: data.draw(st.integers(0, len(payload) - 1))])


def test_an_event_that_could_not_be_read_back_is_refused_before_it_is_written() -> None:
    event = Salvaged(1.0, ((1, 2),))
    assert read_back(written(event)) == (event,)
    with pytest.raises(msgspec.ValidationError):
        frames.encode(1, 1.0, [Salvaged(1.0, (("1", 2),))])  # type: ignore[arg-type]
