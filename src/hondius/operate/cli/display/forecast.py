"""Forecasts how long the URLs known now will take.

The rate alone is too optimistic: the last host is limited by its own delay, however fast the others were, and resting
hosts (open circuit, Retry-After, pause) have not started.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hondius.crawler.assemble import OpenCrawl
from hondius.model import FOREVER
from hondius.operate.cli.quantities import format_count, format_seconds

MAX_ORIGINS = 1_000
"""Origins of each kind that are examined, so that a forecast takes about a millisecond."""


@dataclass(frozen=True, slots=True)
class HostQueues:
    """The queue lengths of the hosts that were examined."""

    served: Sequence[tuple[int, float]]
    """(URLs, seconds between two requests) of each active host."""
    resting: Sequence[tuple[int, float]]
    """(URLs, end of the rest) of each resting host."""
    others: int = 0
    """Hosts that were not examined."""


def forecast_crawl(crawl: OpenCrawl, rate: float, queued: int, now: float) -> str:
    most = crawl.settings.limits.max_pages
    allowed = None if most is None else most - crawl.statistics.pages
    return format_forecast(_measure_queues(crawl), rate, queued, allowed, now)


def format_forecast(lines: HostQueues, rate: float, queued: int, allowed: int | None, now: float) -> str:
    """`allowed`: pages left until --max-pages. Returns an empty string if there is nothing to forecast."""
    resting = sum(urls for urls, _ in lines.resting)
    left = max(0, queued - resting)
    if allowed is not None and allowed <= left:
        return f"about {format_seconds(allowed / rate)} to --max-pages" if rate > 0 else ""
    slowest = max((urls * delay for urls, delay in lines.served), default=0.0)
    seconds = max(left / rate if rate > 0 else 0.0, slowest)
    least = "at least" if lines.others else "about"
    said = [f"{least} {format_seconds(seconds)} for what is known now"] if seconds else []
    return "; without ".join([*said, _describe_resting(lines.resting, resting, now)] if resting else said)


def _describe_resting(lines: Sequence[tuple[int, float]], urls: int, now: float) -> str:
    until = max(until for _, until in lines)
    when = (
        "until a host is unpaused" if until >= FOREVER else f"for up to {format_seconds(max(0.0, until - now))} first"
    )
    rest = "rests" if len(lines) == 1 else "rest"
    return f"{format_count(urls, 'URL')} on {format_count(len(lines), 'host')} that {rest} {when}"


def _measure_queues(crawl: OpenCrawl) -> HostQueues:
    served, resting = crawl.frontier.served(MAX_ORIGINS), crawl.frontier.rests(MAX_ORIGINS)
    known = [(number, host) for number, name in served if (host := crawl.hosts.known(name)) is not None]
    return HostQueues(
        [(crawl.urls.queued(number), host.delay()) for number, host in known],
        [(crawl.urls.queued(number), until) for number, until in resting],
        others=len(crawl.frontier) - len(known) - len(resting),
    )
