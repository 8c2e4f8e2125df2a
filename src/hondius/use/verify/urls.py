"""The URL store against the log: what ended is finished, what was only discovered is queued."""

from typing import Protocol

from hondius.model import Discovered, Finished
from hondius.native import decode_discoveries
from hondius.ports import Log
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify.report import Report


class KnownUrls(Protocol):
    """What is asked of the URL store."""

    def state(self, key: bytes) -> str | None: ...


def check_urls(log: Log, urls: KnownUrls, twin: EmbeddedCatalog, remedy: str, report: Report) -> None:
    """Both stand at the end of the log."""
    checked = 0
    again = _wanted_again(log)
    for key, href in again.items():
        checked += 1
        _expect(urls, key, href, ("queued", "parked"), remedy, report)
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Finished) and event.key not in again:
                checked += 1
                _expect(urls, event.key, event.url, ("finished",), remedy, report)
            elif isinstance(event, Discovered):
                for found in decode_discoveries(event.data):
                    if not twin.has_ended(found.key):
                        checked += 1
                        _expect(urls, found.key, found.href, ("queued", "parked"), remedy, report)
    report.counts["URLs"] = checked


def _wanted_again(log: Log) -> dict[bytes, str]:
    """URLs that somebody wants anew (R4) and that have not ended since."""
    wanted: dict[bytes, str] = {}
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Discovered):
                wanted |= {found.key: found.href for found in decode_discoveries(event.data) if found.via == "recrawl"}
            elif isinstance(event, Finished):
                wanted.pop(event.key, None)
    return wanted


def _expect(urls: KnownUrls, key: bytes, href: str, expected: tuple[str, ...], remedy: str, report: Report) -> None:
    state = urls.state(key)
    if state not in expected:
        what = f"the URL store does not know a URL as {' or '.join(expected)}"
        report.problem(what, remedy, f"{href} is {state or 'unknown'}")
