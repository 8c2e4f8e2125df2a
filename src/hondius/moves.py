"""Where the records of a WARC file are after it was rewritten (S9): the format of `Rewritten.moves`.

For each record four numbers of 64 bits, little-endian: where it was, where it is, its length, and 1 if its body was
removed. The numbers are compressed.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hondius.errors import Broken
from hondius.model import Rewritten

MOST_MOVES = 2**24
"""Of one file. A gigabyte holds a few hundred thousand records."""
_ROW = struct.Struct("<QQQQ")


class Move(NamedTuple):
    old: int
    new: int
    length: int
    is_shortened: int
    """1 if the body was removed."""


def encode_moves(moves: Iterable[Move]) -> bytes:
    return zlib.compress(b"".join(_ROW.pack(*move) for move in moves), 1)


def decode_moves(event: Rewritten) -> Iterator[Move]:
    """Raises Broken if they cannot be read."""
    data = _decompress(event)
    if data is None:
        raise Broken(f"the log says where the records of {event.file} are, and cannot be read there")
    return (Move(*row) for row in _ROW.iter_unpack(data))


def has_whole_moves(event: Rewritten) -> bool:
    return _decompress(event) is not None


def _decompress(event: Rewritten) -> bytes | None:
    """A log may come from a stranger: no more is decompressed than the event says."""
    if not 0 <= event.count <= MOST_MOVES:
        return None
    size = event.count * _ROW.size
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(event.moves, size + 1)
    except zlib.error:
        return None
    return data if len(data) == size and decompressor.eof else None
