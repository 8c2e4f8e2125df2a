"""A frame that is vouched for can be read back: what takes the place of decoding every one that is written."""

from itertools import product
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hondius.model import AnyEvent, RunStarted, Salvaged
from hondius.stores.log import frames
from hondius.stores.log.layouts import event_layouts

ENCODER = msgspec.msgpack.Encoder()
DECODER = msgspec.msgpack.Decoder(tuple[AnyEvent, ...])
LAYOUTS = event_layouts()
WITH_PARTS = (RunStarted, Salvaged)

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


def encoded(*some: Any) -> bytes:
    """What cannot even be encoded, a lone surrogate or an integer beyond 64 bits, is written by nobody."""
    try:
        return ENCODER.encode(some)
    except (UnicodeEncodeError, OverflowError):
        assume(False)
        raise


@UNHURRIED
@given(st.lists(ANY_EVENT, max_size=3))
def test_every_event_of_the_model_can_be_read_back(some: list[Any]) -> None:
    payload = encoded(*some)
    assert ENCODER.encode(DECODER.decode(payload)) == payload
    assert LAYOUTS.vouch_for(payload) is not any(isinstance(event, WITH_PARTS) for event in some)


@UNHURRIED
@given(ANY_EVENT)
def test_an_event_that_is_vouched_for_can_be_read_back_whatever_its_fields_hold(event: Any) -> None:
    for name, value in product(event.__struct_fields__, ANYTHING):
        payload = encoded(msgspec.structs.replace(event, **{name: value}))
        if LAYOUTS.vouch_for(payload):
            assert ENCODER.encode(DECODER.decode(payload)) == payload


@UNHURRIED
@given(ANY_EVENT, st.data())
def test_part_of_a_frame_is_not_vouched_for(event: Any, data: st.DataObject) -> None:
    payload = encoded(event)
    assert not LAYOUTS.vouch_for(payload[: data.draw(st.integers(0, len(payload) - 1))])


def test_what_is_not_vouched_for_is_decoded_before_it_is_written() -> None:
    event = Salvaged(1.0, ((1, 2),))
    raw = next(frames.split([frames.encode(1, 1.0, [event])], 0))
    assert frames.decode(raw, "log/1.log").events == (event,)
    with pytest.raises(msgspec.ValidationError):
        frames.encode(1, 1.0, [Salvaged(1.0, (("1", 2),))])  # type: ignore[arg-type]
