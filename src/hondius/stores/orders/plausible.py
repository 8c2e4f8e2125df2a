"""Checks whether a command of Hondius can have given an order.

Anybody who may write into `control/` may give orders. An order with impossible values must neither end the run nor get
into the log, which could not be read any more.
"""

import re

from hondius.model import EARLIEST, LATEST, Blacklisted, HostOrder, NewSeeds, Order, RecrawlOrder

DEEPEST = 2**31
LONGEST_REASON = 10_000
KINDS = ("page", "sitemap", "requisite")
_HOST = re.compile(r"[^\x00-\x20\x7f/?#@\\]{1,253}")


def find_fault(order: Order) -> str:
    """What no command of ours would have written; empty if there is nothing."""
    match order:
        case RecrawlOrder():
            return _name_faults(depth=0 <= order.depth <= DEEPEST, kind=order.kind in KINDS)
        case NewSeeds():
            priorities = (priority for _, priority in order.seeds if priority is not None)
            return _name_faults(priority=all(0 <= priority <= 1 for priority in priorities))
        case HostOrder():
            until, delay = order.paused_until, order.delay
            return _name_faults(
                host=_is_host(order.host),
                at=_is_time(order.at),
                paused_until=until is None or _is_time(until),
                delay=delay is None or 0 <= delay <= LATEST,
                reason=len(order.reason) <= LONGEST_REASON,
            )
        case Blacklisted():
            return _name_faults(
                domain=_is_host(order.domain),
                at=_is_time(order.at),
                reason=len(order.reason) <= LONGEST_REASON,
            )


def _name_faults(**are_plausible: bool) -> str:
    return ", ".join(name for name, is_plausible in are_plausible.items() if not is_plausible)


def _is_host(name: str) -> bool:
    return _HOST.fullmatch(name) is not None and bool(name.strip(".*"))


def _is_time(seconds: float) -> bool:
    return EARLIEST <= seconds <= LATEST
