"""If a crawl has fetched nothing at all, says for each seed what went wrong, and what helps."""

from collections.abc import Iterator, Sequence

from hondius.quantities import format_count
from hondius.session.failed_seeds import FailedSeed
from hondius.use.causes import explain_cause

SHOWN = 10


def format_failed_seeds(seeds: Sequence[FailedSeed]) -> Iterator[str]:
    helps: dict[str, None] = {}
    for seed in seeds[:SHOWN]:
        explained = explain_cause(seed.cause, seed.detail)
        reason = explained.words if seed.cause else seed.detail
        yield f"{seed.url}: {reason}{'; it is retried on resume' if seed.is_waiting else ''}"
        if explained.help:
            helps[explained.help] = None
    if len(seeds) > SHOWN:
        yield f"… and {format_count(len(seeds) - SHOWN, 'other seed')}"
    yield from (f"  → {text}" for text in helps)
