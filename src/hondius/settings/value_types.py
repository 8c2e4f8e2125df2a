"""Types of setting values, with their ranges."""

from typing import Annotated

import msgspec
from msgspec import Meta

Seconds = Annotated[float, Meta(ge=0, le=86_400)]
LARGEST = 2**53
"""The largest integer that every JSON reader represents exactly."""
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Weight = Annotated[float, Meta(ge=0, le=1)]
Depth = Annotated[int, Meta(ge=0, le=1_000_000)]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass
