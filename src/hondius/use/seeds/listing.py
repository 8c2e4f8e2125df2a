"""Finds seeds in the log, and looks each up in the catalog."""

from collections.abc import Iterator, Sequence

import msgspec

from hondius.model import AnyEvent, Discovered, Finished, ScopeExtended, SeedsTaken, State
from hondius.native import Identity, decode_discoveries
from hondius.ports import Catalog, Log

QUEUED = "queued"


class ListedSeed(msgspec.Struct, frozen=True):
    url: str
    state: str
    """The state in which the URL ended, or `queued`."""
    cause: str = ""
    """Why it ended in this state, or failed last time; empty if nothing went wrong."""
    detail: str = ""


def list_seeds(log: Log, catalog: Catalog, identity: Identity) -> Iterator[ListedSeed]:
    """In the order in which they were taken. Excludes URLs that were already known when they were given as seeds. In a
    log of several partitions, seeds may be in other frames than the mark that counts them."""
    for frame in log.read():
        if log.partitions > 1 or any(isinstance(event, SeedsTaken | ScopeExtended) for event in frame.events):
            for url, key in _find_seeds(frame.events):
                yield _describe_seed(url, key, catalog, identity)


def _find_seeds(events: Sequence[AnyEvent]) -> Iterator[tuple[str, bytes]]:
    """First the seeds that were queued, then those that the settings refused."""
    for event in events:
        if isinstance(event, Discovered):
            yield from ((found.href, found.key) for found in decode_discoveries(event.data) if found.via == "seed")
    for event in events:
        if isinstance(event, Finished) and _is_refused_seed(event):
            yield event.url, event.key


def _is_refused_seed(event: Finished) -> bool:
    """A seed that was queued first has another `via`."""
    is_refused = event.state is State.REFUSED and event.via == "link"
    return is_refused and event.source is None and event.depth == 0 and event.kind == "page"


def _describe_seed(url: str, key: bytes, catalog: Catalog, identity: Identity) -> ListedSeed:
    if (page := catalog.page(key)) is not None:
        return ListedSeed(url, str(page["state"]), page["cause"], page["detail"])
    if (failed := catalog.retry(key)) is not None:
        return ListedSeed(url, QUEUED, failed.cause, failed.detail)
    robots = catalog.robots(identity.parse(url).origin)
    if robots is not None and robots.outcome == "unreachable":
        return ListedSeed(url, QUEUED, robots.cause, f"robots.txt: {robots.detail}")
    return ListedSeed(url, QUEUED)
