"""C2: nothing lost, nothing done twice, nobody contacted too early, across every hand-over."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from hondius.native import MemoryTree, UrlStore, decode_discoveries
from hondius.stores.log.epochs import Fence
from hondius.stores.log.partitions import collect_batch
from tests.simulation.cluster.simulation import ClusterSimulation
from tests.simulation.machine import FILTER_CAPACITY, HOT_KEYS
from tests.simulation.web import IDENTITY

EPSILON = 1e-4


def verdict(simulation: ClusterSimulation) -> Iterator[str]:
    yield from _politeness(simulation)
    yield from _ends(simulation)
    yield from _views(simulation)


def _politeness(simulation: ClusterSimulation) -> Iterator[str]:
    delay = simulation.settings.delay
    for host, exchanges in simulation.wires.by_host().items():
        for before, exchange in pairwise(exchanges):
            if exchange.start < before.end - EPSILON:
                yield f"{host} was contacted by {before.node} and {exchange.node} at once"
            elif exchange.start < before.end + delay - EPSILON:
                gap = exchange.start - before.end
                yield f"{host} was contacted {gap:.3f} s after an answer, by {before.node} and {exchange.node}"


def _ends(simulation: ClusterSimulation) -> Iterator[str]:
    ended: Counter[bytes] = Counter()
    known: dict[bytes, str] = {}
    for records in simulation.broker.records:
        if not records:
            continue
        batch = collect_batch(records, Fence())
        simulation.counts["records ignored"] += len(batch.ignored)
        ended.update(event.key for event in batch.finished)
        known |= {found.key: found.href for data in batch.discoveries for found in decode_discoveries(data)}
    for key, href in known.items():
        if ended[key] != 1:
            yield f"{href} ended {ended[key]} times"
    for exchange in simulation.wires.exchanges:
        if ended[exchange.key] and exchange.end:
            for href in exchange.links:
                if IDENTITY.parse(href).key not in known:
                    yield f"{href}, linked from {exchange.href}, was lost"


def _views(simulation: ClusterSimulation) -> Iterator[str]:
    """Each owner's view is what its partition comes to."""
    for seat in simulation.seats:
        for part, owned in seat.node.owned.items() if seat.node is not None else ():
            rebuilt = UrlStore(MemoryTree(), capacity=FILTER_CAPACITY, cached_keys=HOT_KEYS)
            records = simulation.broker.records[part]
            if records:
                batch = collect_batch(records, Fence())
                rebuilt.apply(batch.next_offset, batch.discoveries, batch.ended())
            names = ("seen", "queued", "parked", "finished")
            found, expected = owned.urls.counts(), rebuilt.counts()
            if any(found[name] != expected[name] for name in names):
                yield f"the view of partition {part} on {seat.node and seat.node.name} differs: {found}, {expected}"
