"""When a failed URL is retried (P5)."""

from random import Random

from hondius.crawler.politeness.failures import find_treatment
from hondius.settings import PolitenessSettings


class RetrySchedule:
    def __init__(self, settings: PolitenessSettings, random: Random) -> None:
        self._settings = settings
        self._random = random

    def compute_next_try(self, cause: str, tries: int, now: float) -> float | None:
        """When to retry after failure number `tries`, or None if it is not retried. 2 s, 4 s, 8 s, with jitter."""
        settings = self._settings
        if not find_treatment(cause).retried or tries > settings.retries:
            return None
        if settings.delay <= 0:
            return now
        return now + settings.retry_wait * 2.0 ** (tries - 1) * self._random.uniform(0.8, 1.2)
