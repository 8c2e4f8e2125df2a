"""The section of near copies."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.value_types import Section, Weight


class NearSettings(Section, frozen=True):
    """Near copies (X2, X3): pages that say nearly the same as another one. They are kept, and each names the first page
    of its cluster. The index is in `near/`."""

    enabled: bool = True
    """Find near copies."""
    similarity: Annotated[float, Meta(ge=0.5, le=1.0)] = 0.75
    """Share of the text from which two pages are near copies, as estimated from pairs of neighbouring words. Numbers do
    not count: texts that differ in dates and prices alone are near copies. Pages that were compared before keep what
    was found then."""
    priority: Weight = 0.2
    """The highest priority of the links of near copies."""
