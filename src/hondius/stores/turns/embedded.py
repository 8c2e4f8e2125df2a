"""Turns at addresses, for one process: a table in memory.

It contains an address only while it is in use or its gap lasts.
"""

from hondius.clock import Clock

SHORTEST_GAP = 0.01
"""Seconds until a caller asks again about an address that is taken."""
MOST_IDLE = 10_000
"""Addresses in the table before unused ones are dropped."""
NEVER = 0.0


class Address:
    __slots__ = ("in_use", "last_host", "last_start", "promised", "start_before")

    def __init__(self) -> None:
        self.in_use = 0
        self.last_start = NEVER
        self.last_host: str | None = None
        """The host of the last turn, which may cancel it."""
        self.start_before = NEVER
        self.promised = NEVER
        """The latest time at which a caller was told to come back."""


class EmbeddedTurns:
    def __init__(self, *, gap: float, most: int, is_spaced: bool, clock: Clock) -> None:
        self._gap = gap
        self._most = most
        self._is_spaced = is_spaced
        self._clock = clock
        self._addresses: dict[str, Address] = {}

    def ask(self, address: str, now: float) -> float:
        turn = self._addresses.get(address)
        return NEVER if turn is None else self._free_at(turn, now)

    def come_back_at(self, address: str, now: float) -> float:
        turn = self._addresses.get(address)
        if turn is None:
            return NEVER
        when = self._free_at(turn, now)
        if when > now:
            when = turn.promised = max(when, turn.promised + max(self._gap, SHORTEST_GAP))
        return when

    def begin(self, address: str, host: str, now: float) -> None:
        turn = self._addresses.get(address)
        if turn is None:
            turn = self._addresses[address] = Address()
        turn.in_use += 1
        turn.start_before, turn.last_start, turn.last_host = turn.last_start, now, host

    def cancel(self, address: str, host: str) -> None:
        turn = self._addresses.get(address)
        if turn is not None and turn.last_host == host:
            turn.last_start, turn.last_host = turn.start_before, None
        self.end(address)

    def end(self, address: str) -> None:
        turn = self._addresses.get(address)
        if turn is None:
            return
        turn.in_use -= 1
        if turn.in_use <= 0 and (not self._is_spaced or len(self._addresses) > MOST_IDLE):
            self._drop_idle(address)

    def _free_at(self, turn: Address, now: float) -> float:
        when = turn.last_start + self._gap if self._is_spaced else NEVER
        if turn.in_use >= self._most:
            when = max(when, now + max(self._gap, SHORTEST_GAP))
        return when

    def _drop_idle(self, address: str) -> None:
        if not self._is_spaced:
            del self._addresses[address]
            return
        old = self._clock.now() - self._gap
        self._addresses = {
            name: turn for name, turn in self._addresses.items() if turn.in_use > 0 or turn.last_start > old
        }
