"""Decodes frames of format 1 into events of today.

Validators were text with one character for each byte (Latin-1). All other new fields are at the end of their event and
have a default.
"""

from typing import Any

import msgspec

from hondius.model import AnyEvent, Finished

_TAG = Finished.__struct_config__.tag
_VALIDATORS = [1 + Finished.__struct_fields__.index(name) for name in ("last_modified", "etag")]
"""Their indices, after the tag."""
_decoder = msgspec.msgpack.Decoder(list[list[Any]])


def decode_format_1(payload: memoryview) -> tuple[AnyEvent, ...]:
    """Raises msgspec.DecodeError."""
    events = _decoder.decode(payload)
    for event in events:
        if event and event[0] == _TAG:
            for index in _VALIDATORS:
                event[index : index + 1] = [_to_bytes(text) for text in event[index : index + 1]]
    return msgspec.convert(events, tuple[AnyEvent, ...], builtin_types=(bytes,))


def _to_bytes(text: Any) -> Any:
    """Text with other characters is not a validator."""
    if not isinstance(text, str):
        return text
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return b""
