"""The section of retention."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.option import Option
from hondius.settings.value_types import Section

Days = Annotated[float, Meta(ge=0, le=36_500)]


class RetentionSettings(Section, frozen=True):
    """How long the archive keeps bodies (S9). `hondius retain DIR` applies it."""

    body_days: Annotated[Days | None, Option("--body-days")] = None
    """Days after which bodies are removed from the archive. A body stays while any fetch of the same content is
    younger."""
    pinned: tuple[str, ...] = ()
    """Regular expressions; bodies of URLs in which one is found are never removed (anywhere; use ^ and $)."""
    keep_indexed: bool = True
    """Keep the bodies of pages that the search index of the crawl has."""
