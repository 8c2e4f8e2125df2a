"""The end of a URL as a row of the catalog."""

from collections.abc import Iterator
from typing import Any

import msgspec

from hondius.model import LOG_ONLY_FIELDS, Extracted, Finished, Frame

Row = dict[str, Any]
"""A row of `Catalog.page`."""


def list_ends(frame: Frame) -> Iterator[tuple[Finished, Extracted | None]]:
    """The ends in a frame, in order, each with what hooks said of the page."""
    said = {event.key: event for event in frame.events if type(event) is Extracted}
    for event in frame.events:
        if type(event) is Finished:
            yield event, said.get(event.key)


def make_row_of_end(end: Finished, said: Extracted | None = None) -> Row:
    """The row that this end alone would give. Counts over all visits are missing: only the catalog has them."""
    row = {name: value for name, value in msgspec.structs.asdict(end).items() if name not in LOG_ONLY_FIELDS}
    row["last_fetched_at"] = row.pop("fetched_at")
    row["extracted"] = said.data if said is not None else None
    row["body_removed_at"] = None
    row["hook_failures"] = said.failures if said is not None else None
    return row
