"""All judges together."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from hondius.crawler.store_opening import open_place
from hondius.crawler.translation import make_identity
from tests.simulation.judges.auditor import check_audit
from tests.simulation.judges.copies import check_copies
from tests.simulation.judges.depth import check_depth
from tests.simulation.judges.ends import check_ends
from tests.simulation.judges.evidence import Evidence
from tests.simulation.judges.fairness import check_fairness
from tests.simulation.judges.hooks import check_hooks
from tests.simulation.judges.obedience import check_obedience
from tests.simulation.judges.orders import check_orders
from tests.simulation.judges.politeness import check_politeness
from tests.simulation.judges.returning import check_returning
from tests.simulation.judges.storage import check_storage
from tests.simulation.judges.waits import check_waits
from tests.simulation.simulation import Simulation


def verdict(simulation: Simulation, directory: Path) -> Iterator[str]:
    with ExitStack() as stack:
        stores = open_place(stack, simulation.machine.place, simulation.settings, simulation.time)
        evidence = Evidence(simulation, list(stores.log.read()))
        yield from check_politeness(evidence)
        yield from check_obedience(evidence)
        pages = {page["key"]: page for page in stores.catalog.pages()}
        yield from check_ends(evidence, pages)
        yield from check_copies(evidence, pages)
        yield from check_depth(evidence, pages)
        yield from check_returning(evidence, pages)
        yield from check_hooks(pages, has_hooks=simulation.hooks is not None)
        yield from check_fairness(evidence)
        yield from check_waits(evidence)
        yield from check_orders(evidence, simulation.machine.disk)
        if simulation.sound:
            yield from check_audit(stores.place.disk, stores.log)
        yield from check_storage(stores, make_identity(simulation.settings), directory)
