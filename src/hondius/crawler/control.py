"""Orders to a crawl, by the crawl's own clock."""

import msgspec

from hondius.clock import Clock
from hondius.model import FOREVER, Blacklisted, NewSeeds, Order, Wanted


def convert_order_times(order: Order, clock: Clock) -> Order:
    """The order with its times by the crawl's clock. Whoever gave it looked at the wall clock, which may have been set
    since the crawl began, or since the order was given: none is given in the future."""
    if isinstance(order, Wanted | NewSeeds):
        return order
    at = min(clock.of_wall(order.at), clock.now())
    if isinstance(order, Blacklisted):
        return msgspec.structs.replace(order, at=at)
    until = order.paused_until
    if until is not None and until < FOREVER:
        until += at - order.at
    return msgspec.structs.replace(order, at=at, paused_until=until)
