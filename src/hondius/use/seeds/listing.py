"""Finds seeds in the log, and asks the catalog for each."""

from collections.abc import Iterator, Sequence

import msgspec

from hondius.model import AnyEvent, Discovered, Finished, ScopeExtended, SeedsTaken, State
from hondius.native import Identity, decode_discoveries
from hondius.ports import Catalog, Log

QUEUED = "queued"


class ListedSeed(msgspec.Struct, frozen=True):
    url: str
    state: str
    """One of those that a URL ends in; or queued."""
    cause: str = ""
    """Why it ended so, or failed the last time; empty where nothing went wrong."""
    detail: str = ""


def list_seeds(log: Log, catalog: Catalog, identity: Identity) -> Iterator[ListedSeed]:
    """In the order in which they were taken. A URL that was known when it was named as a seed is not among them. In a
    log of several partitions, seeds may be in other frames than the mark that tells of them."""
    for frame in log.read():
        if log.partitions > 1 or any(isinstance(event, SeedsTaken | ScopeExtended) for event in frame.events):
            for url, key in _seeds_of(frame.events):
                yield _listed(url, key, catalog, identity)


def _seeds_of(events: Sequence[AnyEvent]) -> Iterator[tuple[str, bytes]]:
    """Those that were queued, then those that the settings refused at once."""
    for event in events:
        if isinstance(event, Discovered):
            yield from ((found.href, found.key) for found in decode_discoveries(event.data) if found.via == "seed")
    for event in events:
        if isinstance(event, Finished) and _is_refused_seed(event):
            yield event.url, event.key


def _is_refused_seed(event: Finished) -> bool:
    """One that was queued first has another `via`."""
    is_refused = event.state is State.REFUSED and event.via == "link"
    return is_refused and event.source is None and event.depth == 0 and event.kind == "page"


def _listed(url: str, key: bytes, catalog: Catalog, identity: Identity) -> ListedSeed:
    if (page := catalog.page(key)) is not None:
        return ListedSeed(url, str(page["state"]), page["cause"], page["detail"])
    if (failed := catalog.retry(key)) is not None:
        return ListedSeed(url, QUEUED, failed.cause, failed.detail)
    robots = catalog.robots(identity.parse(url).origin)
    if robots is not None and robots.outcome == "unreachable":
        return ListedSeed(url, QUEUED, robots.cause, f"robots.txt: {robots.detail}")
    return ListedSeed(url, QUEUED)
