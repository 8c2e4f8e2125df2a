"""Reads the lines of a file or of standard input, compressed or not, as they arrive. Nothing is read before it is
needed.

Every step is bounded: a read, its decompressed size, a line. The reader can be stopped between any two reads, also
while no data arrives.
"""

import select
import zlib
from collections.abc import Callable, Iterator
from io import FileIO

from hondius.crawler.seeds.lines import LONGEST_LINE

READ = 64 * 1024
UNPACKED = 256 * 1024
ENDLESS = 16 * 1024 * 1024
"""Bytes. A file with a longer line is not text: `/dev/zero` is one endless line."""
IDLE = 0.1
"""Seconds after which a pipe without data counts as idle."""
GZIP = b"\x1f\x8b"


class Stopped(Exception):
    """No more lines are wanted. Never leaves this package."""


class Damaged(ValueError):
    """The compressed data is damaged."""


def read_lines(file: FileIO, is_stopped: Callable[[], bool]) -> Iterator[bytes | None]:
    """Lines without their end. A line that is too long is cut. None: no data at the moment."""
    rest, is_cut, cut = b"", False, 0
    for block in _unpack(_read_blocks(file, is_stopped)):
        if not block:
            yield None
            continue
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            if not is_cut:
                yield line[: LONGEST_LINE + 1]
            is_cut = False
        cut = 0 if whole else cut
        if len(rest) > LONGEST_LINE:
            if not is_cut:
                yield rest[: LONGEST_LINE + 1]
            cut += len(rest)
            if cut > ENDLESS:
                raise Damaged(f"it is not a list of seeds: a line has more than {ENDLESS // 2**20} MiB")
            rest, is_cut = b"", True
    if rest and not is_cut:
        yield rest


def _read_blocks(file: FileIO, is_stopped: Callable[[], bool]) -> Iterator[bytes]:
    """An empty block means: no data at the moment."""
    while True:
        if is_stopped():
            raise Stopped
        if not select.select([file], [], [], IDLE)[0]:
            yield b""
            continue
        block = file.read(READ)
        if not block:
            return
        yield block


def _unpack(blocks: Iterator[bytes]) -> Iterator[bytes]:
    head = b""
    for block in blocks:
        head += block
        if len(head) >= len(GZIP) or not block:
            break
    if head[: len(GZIP)] != GZIP:
        yield head
        yield from blocks
    else:
        yield from _unpack_members(head, blocks)


def _unpack_members(head: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """A gzip file may have several members, one after the other."""
    member = None
    try:
        for block in _prepend(head, blocks):
            if not block:
                yield b""
            while block:
                member = member or zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
                yield from _skip_empty(member.decompress(block, UNPACKED))
                block = member.unused_data if member.eof else member.unconsumed_tail
                member = None if member.eof else member
    except zlib.error as error:
        raise Damaged(f"it is damaged gzip data: {error}") from None
    if member is not None:
        raise Damaged("its gzip data is cut off")


def _skip_empty(data: bytes) -> Iterator[bytes]:
    if data:
        yield data


def _prepend(head: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from blocks
