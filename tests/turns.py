"""Turns at addresses, for tests of what waits for them."""

from hondius.clock import Clock
from hondius.crawler.politeness import AddressTurns
from hondius.settings import PolitenessSettings


def address_turns(settings: PolitenessSettings, clock: Clock) -> AddressTurns:
    return AddressTurns(settings, clock)
