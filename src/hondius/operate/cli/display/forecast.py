"""How long what is known now will take.

The rate alone promises too much: the last host is alone with its delay, however fast the others were, and whoever rests
(a circuit, a Retry-After, a pause) has not begun. What is shown is the mean of the last minute's forecasts: a single
one jumps with every burst of answers. Nothing is shown where it would be a guess: at the beginning of a run, and while
more is found than fetched.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hondius.crawler.assemble import OpenCrawl
from hondius.model import FOREVER
from hondius.operate.cli.quantities import counted, shown_seconds

WINDOW = 60.0
"""Seconds over which forecasts are averaged, and the queue is watched."""
TOO_EARLY = 10.0
"""Seconds at the beginning of a run in which its rate says nothing."""
MOST_ASKED = 1_000
"""Origins of each kind that are looked at, so that a forecast costs about a millisecond."""


Sample = TypeVar("Sample", int, float)


@dataclass(frozen=True, slots=True)
class Lines:
    """What stands in line at the hosts that were looked at."""

    served: Sequence[tuple[int, float]]
    """(URLs, seconds between two) of each that has its turns."""
    resting: Sequence[tuple[int, float]]
    """(URLs, until when) of each that rests."""
    others: int = 0
    """Hosts that were not looked at."""


class Forecaster:
    """Of one run; remembers what it foretold in the last minute."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._queued: deque[tuple[float, int]] = deque()
        self._ends: deque[tuple[float, float]] = deque()
        """(when it was foretold, the end that was foretold)"""
        self._is_to_limit = False

    def tell(self, lines: Lines, rate: float, queued: int, allowed: int | None, now: float) -> str:
        """Empty where it would be a guess."""
        _keep_recent(self._queued, now, queued)
        if now < self._began + TOO_EARLY:
            return ""
        is_to_limit = allowed is not None and allowed <= queued - sum(urls for urls, _ in lines.resting)
        if is_to_limit != self._is_to_limit:
            self._ends.clear()
        self._is_to_limit = is_to_limit
        if not is_to_limit and queued > self._queued[0][1]:
            return ""
        return forecast(lines, rate, queued, allowed, now, lambda seconds: self._smooth(seconds, now))

    def _smooth(self, seconds: float, now: float) -> float:
        _keep_recent(self._ends, now, now + seconds)
        return max(0.0, sum(end for _, end in self._ends) / len(self._ends) - now)


def _keep_recent(samples: deque[tuple[float, Sample]], now: float, value: Sample) -> None:
    samples.append((now, value))
    while samples[0][0] < now - WINDOW:
        samples.popleft()


def forecast_of(forecaster: Forecaster, crawl: OpenCrawl, rate: float, queued: int, now: float) -> str:
    most = crawl.settings.limits.max_pages
    allowed = None if most is None else most - crawl.statistics.pages
    return forecaster.tell(_lines(crawl), rate, queued, allowed, now)


def forecast(
    lines: Lines,
    rate: float,
    queued: int,
    allowed: int | None,
    now: float,
    smooth: Callable[[float], float] = float,
) -> str:
    """`allowed`: pages up to --max-pages. `smooth`: of the seconds that are left. Empty where nothing can be said."""
    resting = sum(urls for urls, _ in lines.resting)
    left = max(0, queued - resting)
    if allowed is not None and allowed <= left:
        return f"about {shown_seconds(smooth(allowed / rate))} to --max-pages" if rate > 0 else ""
    slowest = max((urls * delay for urls, delay in lines.served), default=0.0)
    seconds = max(left / rate if rate > 0 else 0.0, slowest)
    seconds = smooth(seconds) if seconds else 0.0
    least = "at least" if lines.others else "about"
    said = [f"{least} {shown_seconds(seconds)} for what is known now"] if seconds else []
    return "; without ".join([*said, _rests(lines.resting, resting, now)] if resting else said)


def _rests(lines: Sequence[tuple[int, float]], urls: int, now: float) -> str:
    until = max(until for _, until in lines)
    when = "until a host is unpaused" if until >= FOREVER else f"for up to {shown_seconds(max(0.0, until - now))} first"
    rest = "rests" if len(lines) == 1 else "rest"
    return f"{counted(urls, 'URL')} on {counted(len(lines), 'host')} that {rest} {when}"


def _lines(crawl: OpenCrawl) -> Lines:
    served, resting = crawl.frontier.served(MOST_ASKED), crawl.frontier.rests(MOST_ASKED)
    known = [(number, host) for number, name in served if (host := crawl.hosts.known(name)) is not None]
    return Lines(
        [(crawl.urls.queued(number), host.delay()) for number, host in known],
        [(crawl.urls.queued(number), until) for number, until in resting],
        others=len(crawl.frontier) - len(known) - len(resting),
    )
