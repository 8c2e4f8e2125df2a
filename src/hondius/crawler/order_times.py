"""Converts the times of orders to the crawl's own clock."""

import msgspec

from hondius.clock import Clock
from hondius.model import FOREVER, Blacklisted, NewSeeds, Order, RecrawlOrder


def convert_order_times(order: Order, clock: Clock) -> Order:
    """The command that gave the order used the wall clock, which may have been set since the crawl began, or since the
    order was given. An order from the future counts as given now."""
    if isinstance(order, RecrawlOrder | NewSeeds):
        return order
    at = min(clock.of_wall(order.at), clock.now())
    if isinstance(order, Blacklisted):
        return msgspec.structs.replace(order, at=at)
    until = order.paused_until
    if until is not None and until < FOREVER:
        until += at - order.at
    return msgspec.structs.replace(order, at=at, paused_until=until)
