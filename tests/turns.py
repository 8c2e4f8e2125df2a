"""Turns at addresses, for tests of what waits for them."""

from hondius.clock import Clock
from hondius.crawler.politeness import AddressTurns
from hondius.settings import PolitenessSettings
from hondius.stores.turns.embedded import EmbeddedTurns


def address_turns(settings: PolitenessSettings, clock: Clock) -> AddressTurns:
    gap, most, is_spaced = settings.address_gap, settings.address_concurrency, settings.delay > 0
    return AddressTurns(EmbeddedTurns(gap=gap, most=most, is_spaced=is_spaced, clock=clock), clock)


def requests_under_way(turns: AddressTurns) -> list[int]:
    """At each address that is remembered."""
    assert isinstance(turns._turns, EmbeddedTurns)
    return [turn.in_use for turn in turns._turns._addresses.values()]
