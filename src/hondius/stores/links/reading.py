"""Reads link segments: block by block, in bounded memory."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hondius.errors import Broken
from hondius.native import (
    Identity,
    NativeError,
    PageLinks,
    check_link_header,
    link_block_bytes,
    link_header,
    read_links,
)
from hondius.ports import Disk

DIRECTORY = "links"
SUFFIX = ".links"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,200}\.links")
HEADER_BYTES = len(link_header())
_HEAD_BYTES = 8

LinkLocation = tuple[str, int, int]
"""File, offset of the block, index of the page in it."""


class KeptLink(NamedTuple):
    source: bytes
    """The key of the page."""
    target: bytes
    href: str
    anchor: str
    rel: str
    kind: str


class Block(NamedTuple):
    offset: int
    data: bytes

    @property
    def end(self) -> int:
        return self.offset + len(self.data)


def make_segment_path(name: str) -> str:
    """Names come from the log, which a stranger may have written: only plain names are allowed."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Broken(
            f"{name!r} is no name of a link segment: the log was not written by Hondius; stop using it, "
            "or continue without such frames by `hondius rebuild --salvage`"
        )
    return f"{DIRECTORY}/{name}"


def check_header(disk: Disk, name: str) -> None:
    try:
        check_link_header(disk.read(make_segment_path(name), 0, HEADER_BYTES))
    except NativeError as error:
        raise Broken(f"{name}: {error}") from error


def read_block(disk: Disk, name: str, offset: int, end: int | None = None) -> Block:
    """Reads the block that starts at `offset` and ends before `end`, without decoding it."""
    path = make_segment_path(name)
    try:
        length = link_block_bytes(disk.read(path, offset, _HEAD_BYTES))
        if offset + length > (disk.size(path) if end is None else end):
            raise Broken(f"{name} holds no block of links at {offset:,}: it is cut off")
        return Block(offset, disk.read(path, offset, length))
    except NativeError as error:
        raise Broken(f"{name} holds no block of links at {offset:,} ({error})") from error


def decode_pages(block: Block, name: str, identity: Identity) -> list[PageLinks]:
    try:
        return read_links(block.data, identity)
    except NativeError as error:
        raise Broken(f"{name} holds no block of links at {block.offset:,} ({error})") from error


def read_blocks(disk: Disk, name: str, length: int) -> Iterator[Block]:
    """The blocks of a segment up to `length`, in order. Raises Broken at a damaged one: its length is unknown, so the
    next block cannot be found."""
    offset = HEADER_BYTES
    while offset < length:
        block = read_block(disk, name, offset, length)
        yield block
        offset = block.end


def read_links_at(disk: Disk, places: Iterable[LinkLocation], identity: Identity) -> Iterator[KeptLink]:
    """The links of the pages at these places. With sorted places, each block is read once."""
    last: tuple[str, int] | None = None
    pages: list[PageLinks] = []
    for name, offset, index in places:
        if (name, offset) != last:
            pages, last = decode_pages(read_block(disk, name, offset), name, identity), (name, offset)
        page = get_page(pages, name, offset, index)
        for link in page.links:
            yield KeptLink(page.key, link.key, link.href, link.anchor, link.rel, link.kind)


def get_page(pages: list[PageLinks], name: str, offset: int, index: int) -> PageLinks:
    if not 0 <= index < len(pages):
        raise Broken(f"{name} holds no page {index} in the block of links at {offset:,}")
    return pages[index]


class SegmentFiles:
    """LinkReader, for files in `links/`."""

    def __init__(self, disk: Disk, identity: Identity) -> None:
        self._disk = disk
        self._identity = identity

    def read(self, file: str, offset: int, index: int) -> PageLinks:
        return get_page(self.read_block(file, offset), file, offset, index)

    def scan(self, file: str, length: int) -> Iterator[tuple[int, list[PageLinks]]]:
        for block in read_blocks(self._disk, file, length):
            yield block.offset, decode_pages(block, file, self._identity)

    def read_block(self, file: str, offset: int) -> list[PageLinks]:
        return decode_pages(read_block(self._disk, file, offset), file, self._identity)

    def read_packed(self, file: str, offset: int) -> bytes:
        return read_block(self._disk, file, offset).data
