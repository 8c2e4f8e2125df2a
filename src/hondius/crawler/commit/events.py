"""The events of a frame."""

from collections.abc import Sequence

import msgspec

from hondius.crawler.commit.outcome import Change, Outcome
from hondius.model import AnyEvent, Discovered, Finished, FoundCloser, HostState
from hondius.native import Discoveries


def list_events(changes: Sequence[Change]) -> list[AnyEvent]:
    """Lists the events of a frame in an order in which they can be applied: new URLs, ends, URLs found closer, host
    states. The end of a URL comes before any event that finds it closer than that end says."""
    discovered: list[AnyEvent] = []
    others: list[AnyEvent] = []
    finished: list[AnyEvent] = []
    closer: list[AnyEvent] = []
    hosts: list[AnyEvent] = []
    for change in changes:
        if isinstance(change, HostState):
            hosts.append(change)
            continue
        if change.discoveries:
            discovered += make_discovered(change.discoveries)
            closer += make_found_closer(change.discoveries)
        others += change.events
        if change.finished is not None:
            finished.append(_add_locations(change.finished, change))
    return discovered + others + finished + closer + hosts


def make_discovered(found: Sequence[Discoveries]) -> list[AnyEvent]:
    return [Discovered(some.data, some.count) for some in found if some.count]


def make_found_closer(found: Sequence[Discoveries]) -> list[AnyEvent]:
    return [FoundCloser(some.closer, some.closer_count) for some in found if some.closer_count]


def _add_locations(event: Finished, outcome: Outcome) -> Finished:
    locations: dict[str, str | int] = {}
    if outcome.record is not None and outcome.record.location is not None:
        locations["warc_file"], locations["warc_offset"], locations["warc_length"] = outcome.record.location
    if outcome.links is not None and outcome.links.location is not None:
        locations["links_file"], locations["links_offset"], locations["links_index"] = outcome.links.location
    return msgspec.structs.replace(event, **locations) if locations else event
