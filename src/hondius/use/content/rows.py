"""The end of a URL as a row of the catalog."""

from typing import Any

import msgspec

from hondius.model import RESERVED_FIELDS, Finished

Row = dict[str, Any]
"""A row of `Catalog.page`."""


def make_row_of_end(end: Finished) -> Row:
    """The row that this end alone would give. Counts over all visits are missing: only the catalog has them."""
    row = {name: value for name, value in msgspec.structs.asdict(end).items() if name not in RESERVED_FIELDS}
    row["last_fetched_at"] = row.pop("fetched_at")
    return row
