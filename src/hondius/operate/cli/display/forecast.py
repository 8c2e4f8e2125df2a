"""How long what is known now will take.

The rate alone promises too much: the last host is alone with its delay, however fast the others were, and whoever rests
(a circuit, a Retry-After, a pause) has not begun.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hondius.crawler.assemble import OpenCrawl
from hondius.model import FOREVER
from hondius.operate.cli.quantities import counted, shown_seconds

MOST_ASKED = 1_000
"""Origins of each kind that are looked at, so that a forecast costs about a millisecond."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What stands in line at the hosts that were looked at."""

    served: Sequence[tuple[int, float]]
    """(URLs, seconds between two) of each that has its turns."""
    resting: Sequence[tuple[int, float]]
    """(URLs, until when) of each that rests."""
    others: int = 0
    """Hosts that were not looked at."""


def forecast_of(crawl: OpenCrawl, rate: float, queued: int, now: float) -> str:
    most = crawl.settings.limits.max_pages
    allowed = None if most is None else most - crawl.statistics.pages
    return forecast(_lines(crawl), rate, queued, allowed, now)


def forecast(lines: Lines, rate: float, queued: int, allowed: int | None, now: float) -> str:
    """`allowed`: pages up to --max-pages. Empty where nothing can be said."""
    resting = sum(urls for urls, _ in lines.resting)
    left = max(0, queued - resting)
    if allowed is not None and allowed <= left:
        return f"about {shown_seconds(allowed / rate)} to --max-pages" if rate > 0 else ""
    slowest = max((urls * delay for urls, delay in lines.served), default=0.0)
    seconds = max(left / rate if rate > 0 else 0.0, slowest)
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
