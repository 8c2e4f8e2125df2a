"""The file with the ranks of a crawl."""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec

from hondius.crawler.kept_edges import add_kept_edges
from hondius.crawler.translation import make_identity
from hondius.errors import DiskFull, HondiusError
from hondius.native import EdgeLog, NativeError, Ranks
from hondius.opening import Crawl
from hondius.position import Position

FILE = "ranks"
MOST_TOP = 10_000
"""Pages and hosts that can be listed by rank."""
_FULL_DISK = (28, 122)
Show = Callable[[str, float], None]
"""Called with what is being done, and how much of it: a number, or a share from 0 to 1."""


class Note(msgspec.Struct, frozen=True):
    """To what the ranks belong."""

    log: int
    position: Position
    unread: int = 0
    """Pages whose links could not be read."""


def open_stored(crawl: Crawl) -> Ranks | None:
    """The stored ranks, perhaps of an earlier position of the log; None if there are none that can be read."""
    try:
        ranks = Ranks.open(str(crawl.place.directory / FILE))
        note = read_note(ranks)
    except (NativeError, msgspec.MsgspecError):
        return None
    return ranks if note.log == crawl.catalog.log else None


def read_note(ranks: Ranks) -> Note:
    return msgspec.json.decode(ranks.note, type=Note)


def load_ranks(crawl: Crawl, show: Show = lambda doing, share: None) -> Ranks:
    """The ranks of everything that the catalog has. Computes them if the stored ones are older."""
    stored = open_stored(crawl)
    if stored is not None and read_note(stored).position == crawl.catalog.position:
        return stored
    try:
        return _compute(crawl, show)
    except NativeError as error:
        if error.errno in _FULL_DISK:
            raise DiskFull(f"the disk is full, and the ranks of {crawl.name} need room there: {error}") from error
        raise HondiusError(f"the ranks of {crawl.name} were not computed: {error}") from error


def _compute(crawl: Crawl, show: Show) -> Ranks:
    settings, catalog = crawl.settings, crawl.catalog
    identity = make_identity(settings)
    with ExitStack() as stack:
        directory = crawl.place.directory
        to: str | None = str(directory / FILE)
        if not crawl.place.is_writable:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hondius-rank-")))
            to = None
        edges = EdgeLog(str(directory), follow_nofollow=settings.scope.follow_nofollow)
        # Taken first: pages that end meanwhile are in the next ranks at the latest.
        log, position = catalog.log, catalog.position
        reader = crawl.place.open_link_reader(identity=identity)
        kept = add_kept_edges(edges, catalog, reader, identity, partial(show, "pages read"))
        note = msgspec.json.encode(Note(log, position, kept.unread))
        return edges.compute(
            to,
            note=note,
            memory=settings.rank.memory,
            top=MOST_TOP,
            progress=show,
        )
