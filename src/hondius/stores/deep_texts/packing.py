"""A deep text as compressed bytes. The file with it may come from a stranger, so unpacking is bounded."""

import zlib

import msgspec

from hondius.model import DeepText

LARGEST = 256 * 2**20
"""Bytes of one unpacked result."""
_LEVEL = 3


def pack(text: DeepText) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(text), _LEVEL)


def unpack(data: object) -> DeepText | None:
    """None if it is damaged or too large."""
    if not isinstance(data, bytes):
        return None
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(data, LARGEST)
        return msgspec.msgpack.decode(plain, type=DeepText) if inflate.eof else None
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
        return None
