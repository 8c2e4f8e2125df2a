"""Compares the URL store with the log: URLs that ended are finished, URLs that were only discovered are queued."""

from typing import Protocol

from hondius.model import Discovered, Finished, FoundCloser, State
from hondius.native import decode_discoveries
from hondius.ports import Log
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify.report import Report


class KnownUrls(Protocol):
    """The part of the URL store that is needed here."""

    def state(self, key: bytes) -> str | None: ...


def check_urls(log: Log, urls: KnownUrls, reference: EmbeddedCatalog, remedy: str, report: Report) -> None:
    """Both must be at the end of the log."""
    checked = 0
    again = _find_recrawls(log)
    open_again = _find_reopened(log)
    for key, href in again.items():
        checked += 1
        _check_state(urls, key, href, ("queued", "parked"), remedy, report)
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Finished) and event.key not in again:
                checked += 1
                ended = ("finished", "queued", "parked") if event.key in open_again else ("finished",)
                _check_state(urls, event.key, event.url, ended, remedy, report)
            elif isinstance(event, Discovered):
                for found in decode_discoveries(event.data):
                    if not reference.has_ended(found.key):
                        checked += 1
                        _check_state(urls, found.key, found.href, ("queued", "parked"), remedy, report)
    report.counts["URLs"] = checked


def _find_recrawls(log: Log) -> dict[bytes, str]:
    """URLs that are to be recrawled (R4) and have not ended since."""
    wanted: dict[bytes, str] = {}
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Discovered):
                wanted |= {found.key: found.href for found in decode_discoveries(event.data) if found.via == "recrawl"}
            elif isinstance(event, Finished):
                wanted.pop(event.key, None)
    return wanted


def _find_reopened(log: Log) -> set[bytes]:
    """URLs that were refused because such URLs had no new content (F6), and were found on their own host since. That
    may have queued them again, if only other hosts had linked to them before."""
    refused: set[bytes] = set()
    named: set[bytes] = set()
    for frame in log.read():
        for event in frame.events:
            if isinstance(event, Finished) and event.state is State.REFUSED and event.cause == "no_novelty":
                refused.add(event.key)
            elif isinstance(event, Finished):
                refused.discard(event.key)
                named.discard(event.key)
            elif refused and isinstance(event, Discovered | FoundCloser):
                found = decode_discoveries(event.data)
                named |= {one.key for one in found if one.key in refused and not one.foreign}
    return named


def _check_state(
    urls: KnownUrls, key: bytes, href: str, expected: tuple[str, ...], remedy: str, report: Report
) -> None:
    state = urls.state(key)
    if state not in expected:
        what = f"a URL is not {' or '.join(expected)} in the URL store"
        report.add_problem(what, remedy, f"{href} is {state or 'unknown'}")
