"""How many origins are awake at once (F8): it tunes itself to what is ready."""

from hondius.settings import FrontierSettings

EVERY = 10.0
FEW_READY = 100
MANY_READY = 5_000


class Feed:
    """`limit` origins may be awake. Every ten seconds: a tenth more where few are ready, so that the fetch slots stay
    filled; a tenth less where many are, so that memory is not."""

    def __init__(self, settings: FrontierSettings) -> None:
        self._least = min(settings.least_awake, settings.most_awake)
        self._most = settings.most_awake
        self._next = 0.0
        self._limit = float(max(self._least, self._most // 10))

    @property
    def limit(self) -> int:
        return int(self._limit)

    def tune(self, ready: int, now: float) -> None:
        if now < self._next:
            return
        if self._next:
            if ready < FEW_READY:
                self._limit = min(float(self._most), self._limit * 1.1)
            elif ready > MANY_READY:
                self._limit = max(float(self._least), self._limit * 0.9)
        self._next = now + EVERY
