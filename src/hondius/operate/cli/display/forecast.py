"""Forecasts how long the URLs known now will take.

The rate alone is too optimistic: the last host is limited by its own delay, however fast the others were, and resting
hosts (open circuit, Retry-After, pause) have not started. The forecast is the average of those of the last minute: a
single one jumps with every burst of answers. There is none if it would be a guess: at the start of a run, and while
more URLs are found than fetched.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hondius.crawler.assemble import OpenCrawl
from hondius.model import FOREVER
from hondius.quantities import format_count, format_seconds

WINDOW = 60.0
"""Seconds over which forecasts are averaged."""
TOO_EARLY = 10.0
"""Seconds at the start of a run in which its rate says nothing."""
MAX_ORIGINS = 1_000
"""Origins of each kind that are examined, so that a forecast takes about a millisecond."""

Sample = TypeVar("Sample", int, float)


@dataclass(frozen=True, slots=True)
class HostQueues:
    """The queue lengths of the origins that were examined."""

    served: Sequence[tuple[int, float]]
    """(URLs, seconds between two requests) of each active origin."""
    resting: Sequence[tuple[int, float]]
    """(URLs, end of the rest) of each resting origin."""
    others: int = 0
    """Origins that were not examined."""


class Forecaster:
    """Forecasts the end of one run; remembers its forecasts of the last minute."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._queued: deque[tuple[float, int]] = deque()
        self._ends: deque[tuple[float, float]] = deque()
        """(time of the forecast, end that it gave)"""
        self._is_to_limit = False

    def forecast_crawl(self, crawl: OpenCrawl, rate: float, queued: int, now: float) -> str:
        most = crawl.settings.limits.max_pages
        allowed = None if most is None else most - crawl.statistics.pages
        return self.forecast(_measure_queues(crawl), rate, queued, allowed, now)

    def forecast(self, lines: HostQueues, rate: float, queued: int, allowed: int | None, now: float) -> str:
        """Returns an empty string if a forecast would be a guess."""
        _keep_recent(self._queued, now, queued)
        if now < self._began + TOO_EARLY:
            return ""
        is_to_limit = allowed is not None and allowed <= queued - sum(urls for urls, _ in lines.resting)
        if is_to_limit != self._is_to_limit:
            self._ends.clear()
        self._is_to_limit = is_to_limit
        if not is_to_limit and queued > self._queued[0][1]:
            return ""
        return format_forecast(lines, rate, queued, allowed, now, lambda seconds: self._smooth(seconds, now))

    def _smooth(self, seconds: float, now: float) -> float:
        _keep_recent(self._ends, now, now + seconds)
        return max(0.0, sum(end for _, end in self._ends) / len(self._ends) - now)


def _keep_recent(samples: deque[tuple[float, Sample]], now: float, value: Sample) -> None:
    samples.append((now, value))
    while samples[0][0] < now - WINDOW:
        samples.popleft()


def format_forecast(
    lines: HostQueues,
    rate: float,
    queued: int,
    allowed: int | None,
    now: float,
    smooth: Callable[[float], float] = float,
) -> str:
    """`allowed`: pages left until --max-pages. `smooth` is applied to the seconds left. Returns an empty string if
    there is nothing to forecast."""
    resting = sum(urls for urls, _ in lines.resting)
    left = max(0, queued - resting)
    if allowed is not None and allowed <= left:
        return f"about {format_seconds(smooth(allowed / rate))} to --max-pages" if rate > 0 else ""
    slowest = max((urls * delay for urls, delay in lines.served), default=0.0)
    seconds = max(left / rate if rate > 0 else 0.0, slowest)
    seconds = smooth(seconds) if seconds else 0.0
    least = "at least" if lines.others else "about"
    said = [f"{least} {format_seconds(seconds)} for the URLs known now"] if seconds else []
    return ", not counting ".join([*said, _describe_resting(lines.resting, resting, now)] if resting else said)


def _describe_resting(lines: Sequence[tuple[int, float]], urls: int, now: float) -> str:
    until = max(until for _, until in lines)
    when = "until a host is unpaused" if until >= FOREVER else f"up to {format_seconds(max(0.0, until - now))}"
    wait = "waits" if urls == 1 else "wait"
    return f"{format_count(urls, 'URL')} of {format_count(len(lines), 'origin')} that {wait} {when}"


def _measure_queues(crawl: OpenCrawl) -> HostQueues:
    served, resting = crawl.frontier.list_awake(MAX_ORIGINS), crawl.frontier.list_resting(MAX_ORIGINS)
    known = [(number, host) for number, name in served if (host := crawl.hosts.find(name)) is not None]
    return HostQueues(
        [(crawl.urls.queued(number), host.delay()) for number, host in known],
        [(crawl.urls.queued(number), until) for number, until in resting],
        others=len(crawl.frontier) - len(known) - len(resting),
    )
