"""The events of a frame."""

from collections.abc import Sequence

import msgspec

from hondius.crawler.commit.outcome import Change, Outcome
from hondius.model import AnyEvent, Discovered, Finished, FoundCloser, HostState
from hondius.native import Discoveries


def list_events(changes: Sequence[Change]) -> list[AnyEvent]:
    """In an order in which they can be applied: new URLs, ends, URLs found closer, host states. The end of a URL comes
    before any event that finds it closer than that end says."""
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
            finished.append(_add_places(change.finished, change))
    return discovered + others + finished + closer + hosts


def make_discovered(found: Sequence[Discoveries]) -> list[AnyEvent]:
    return [Discovered(some.data, some.count) for some in found if some.count]


def make_found_closer(found: Sequence[Discoveries]) -> list[AnyEvent]:
    return [FoundCloser(some.closer, some.closer_count) for some in found if some.closer_count]


def _add_places(event: Finished, outcome: Outcome) -> Finished:
    places: dict[str, str | int] = {}
    if outcome.record is not None and outcome.record.place is not None:
        places["warc_file"], places["warc_offset"], places["warc_length"] = outcome.record.place
    if outcome.links is not None and outcome.links.place is not None:
        places["links_file"], places["links_offset"], places["links_index"] = outcome.links.place
    return msgspec.structs.replace(event, **places) if places else event
