"""O1: a stored order is obeyed: its event is in the log, or it is still in the mailbox."""

from collections.abc import Iterator

from hondius.crawler.translation import make_identity
from hondius.model import Blacklisted, HostOrder, RecrawlOrder
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.orders.files import OrderFiles
from tests.simulation.judges.evidence import Evidence


def check_orders(evidence: Evidence, disk: SimulatedDisk) -> Iterator[str]:
    """URLs of a recrawl order must be known; those that were already queued are not recorded again."""
    waiting = [order for order, _ in OrderFiles(disk).orders()]
    written = {
        _name(event)
        for frame in evidence.frames
        for event in frame.events
        if isinstance(event, (HostOrder, Blacklisted))
    }
    identity = make_identity(evidence.simulation.settings)
    for at, order in evidence.simulation.operator.kept:
        if order in waiting:
            continue
        if isinstance(order, HostOrder | Blacklisted):
            obeyed = _name(order) in written
        else:
            hrefs = order.urls if isinstance(order, RecrawlOrder) else [href for href, _ in order.seeds]
            obeyed = all(identity.parse(href).key in evidence.discovered for href in hrefs)
        if not obeyed:
            yield f"an order of {at:.0f} was kept and not obeyed: {str(order)[:200]}"


def _name(order: HostOrder | Blacklisted) -> tuple[type, str]:
    """Excludes times: the crawl records them by its own clock, the operator by the wall clock."""
    return type(order), order.reason
