"""A deep text as compressed bytes.

The file with it may come from a stranger, so unpacking is bounded, and structured data has the form that Hondius
writes. Whether a text is really that of its page is not checked (`SECURITY.md`): only another extraction could tell.
"""

from typing import Annotated

import msgspec

from hondius.json_text import is_json_object
from hondius.model import DeepText
from hondius.native import pack_text, unpack_text

LARGEST = 64 * 2**20
"""Bytes of one unpacked result. A larger one is made again each time."""


class Structured(msgspec.Struct, forbid_unknown_fields=True):
    """The form of structured data (`native/src/structured/mod.rs`). Their values are checked as JSON, and not built."""

    json_ld: list[dict[str, msgspec.Raw]]
    microdata: list[dict[str, msgspec.Raw]]
    rdfa: list[dict[str, msgspec.Raw]]
    open_graph: dict[str, list[str]]
    left_out: Annotated[int, msgspec.Meta(ge=0)]


_structured_decoder = msgspec.json.Decoder(Structured)


def pack(text: DeepText) -> bytes:
    return pack_text(msgspec.msgpack.encode(text))


def unpack(data: object) -> DeepText | None:
    """None if it is damaged or too large, or Hondius never writes such structured data."""
    if not isinstance(data, bytes) or (plain := unpack_text(data, LARGEST)) is None:
        return None
    try:
        text = msgspec.msgpack.decode(plain, type=DeepText)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return text if _is_structured_data(text.structured) else None


def _is_structured_data(text: str) -> bool:
    if not is_json_object(text):
        return False
    try:
        _structured_decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True
