"""Lists what became of the seeds if a crawl has fetched nothing at all."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hondius.model import State

if TYPE_CHECKING:
    from hondius.crawler.statistics import Statistics
    from hondius.ports import Catalog

MAX_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class FailedSeed:
    url: str
    cause: str
    detail: str
    is_waiting: bool = False
    """It has not ended yet: it is retried when the crawl is resumed."""


def list_failed_seeds(catalog: "Catalog", statistics: "Statistics") -> list[FailedSeed]:
    """Empty if the crawl has ever fetched a page or a sitemap."""
    if statistics.pages:
        return []
    if any(count for (state, _), count in statistics.sitemaps.items() if state == State.COMPLETED):
        return []
    ended = [FailedSeed(url, cause, detail) for url, cause, detail in catalog.failed_seeds(MAX_LISTED)]
    retries = [FailedSeed(retry.url, retry.cause, retry.detail, True) for retry in catalog.retries(MAX_LISTED)]
    causes = statistics.waiting_causes
    waiting = [FailedSeed(origin, causes[origin], reason, True) for origin, reason in statistics.waiting.items()]
    return [*ended, *retries, *(seed for seed in waiting if not retries)][:MAX_LISTED]
