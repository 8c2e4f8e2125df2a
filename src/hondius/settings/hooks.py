"""The section of hooks: functions of the user that a crawl calls."""

from typing import Annotated, Literal

from msgspec import Meta

from hondius.settings.option import Option
from hondius.settings.value_types import Section


class HookSettings(Section, frozen=True):
    """Functions of the user that a crawl calls (O2): of Python programs, and of installed packages."""

    enabled: Annotated[tuple[str, ...], Option("--hook")] = ()
    """Name of an installed hook to use: an entry point of the group hondius.follow, hondius.extract, hondius.classify,
    hondius.predict or hondius.sink."""
    on_error: Annotated[Literal["report", "stop"], Option("--on-hook-error")] = "report"
    """What happens if a hook raises an exception or takes too long: it is reported with its URL, or the crawl stops."""
    timeout: Annotated[float, Meta(ge=0.01, le=3_600)] = 10.0
    """Seconds that the hooks of one page may take."""
    threads: Annotated[int, Meta(ge=1, le=256)] = 8
    """Threads on which hooks run."""
    max_abandoned: Annotated[int, Meta(ge=0, le=1_000)] = 16
    """Threads whose hook took too long and still runs. The crawl stops if there are more."""
    max_extracted: Annotated[int, Meta(ge=2, le=2**24)] = 65_536
    """Bytes of JSON that extract hooks may return for one page; more counts as a failure."""
