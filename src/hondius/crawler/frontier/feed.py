"""How many origins are awake at once (F8). The limit adapts to the number of ready origins."""

from hondius.settings import FrontierSettings

EVERY = 10.0
FEW_READY = 100
MANY_READY = 5_000


class Feed:
    """`limit` origins may be awake. Every ten seconds the limit grows by a tenth if few origins are ready, to keep the
    fetch slots filled, and shrinks by a tenth if many are, to save memory."""

    def __init__(self, settings: FrontierSettings) -> None:
        self._least = min(settings.least_awake, settings.most_awake)
        self._most = settings.most_awake
        self._exact = float(max(self._least, self._most // 10))
        self.limit = int(self._exact)
        self.due = 0.0
        """When the limit is adapted next."""

    def tune(self, ready: int, now: float) -> None:
        if now < self.due:
            return
        if self.due:
            if ready < FEW_READY:
                self._exact = min(float(self._most), self._exact * 1.1)
            elif ready > MANY_READY:
                self._exact = max(float(self._least), self._exact * 0.9)
        self.limit = int(self._exact)
        self.due = now + EVERY
