"""The section of page ranks."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.value_types import Section


class RankSettings(Section, frozen=True):
    """How page ranks are computed (S8). `[priority]` says what they weigh."""

    every: Annotated[int, Meta(ge=0, le=10**9)] = 200
    """Pages after which the crawl computes the ranks of pages and hosts, and after half as many again as it had before;
    0: never. Queued URLs then change their priority."""
    memory: Annotated[int, Meta(ge=2**22, le=2**40)] = 256 * 1024 * 1024
    """Bytes of memory that a computation may take, approximately. What does not fit is read from disk."""
