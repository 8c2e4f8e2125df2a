"""A deep text as compressed bytes. The file with it may come from a stranger, so unpacking is bounded."""

import msgspec

from hondius.json_text import is_json_object
from hondius.model import DeepText
from hondius.native import pack_text, unpack_text

LARGEST = 64 * 2**20
"""Bytes of one unpacked result. A larger one is made again each time."""


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
    return text if is_json_object(text.structured) else None
