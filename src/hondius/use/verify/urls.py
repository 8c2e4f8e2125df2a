"""The URL store against the log: what ended is finished, what was only discovered is queued."""

from typing import Protocol

from hondius.model import Discovered, Finished
from hondius.native import decode_discoveries
from hondius.ports import Log
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify.report import Report

WAITING = ("queued", "parked")


class KnownUrls(Protocol):
    """What is asked of the URL store."""

    def state(self, key: bytes) -> str | None: ...


def check_urls(log: Log, urls: KnownUrls, twin: EmbeddedCatalog, remedy: str, report: Report) -> None:
    """Both stand at the end of the log. What ended waits again only where a later frame asks for it anew (R4)."""
    checked = 0
    waiting: dict[bytes, str] = {}
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Finished):
                checked += 1
                if urls.state(event.key) in WAITING:
                    waiting[event.key] = event.url
                else:
                    _expect(urls, event.key, event.url, ("finished",), remedy, report)
            elif isinstance(event, Discovered):
                for found in decode_discoveries(event.data):
                    if found.via == "recrawl":
                        waiting.pop(found.key, None)
                    if not twin.has_ended(found.key):
                        checked += 1
                        _expect(urls, found.key, found.href, WAITING, remedy, report)
    for key, href in waiting.items():
        _expect(urls, key, href, ("finished",), remedy, report)
    report.counts["URLs"] = checked


def _expect(urls: KnownUrls, key: bytes, href: str, expected: tuple[str, ...], remedy: str, report: Report) -> None:
    state = urls.state(key)
    if state not in expected:
        what = f"the URL store does not know a URL as {' or '.join(expected)}"
        report.problem(what, remedy, f"{href} is {state or 'unknown'}")
