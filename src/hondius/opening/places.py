"""Which place a name means, and the settings of a crawl there."""

from pathlib import Path
from typing import Any

from hondius.crawler import directory
from hondius.ports import Place
from hondius.settings import Settings


def place_of(name: Path) -> Place:
    """The factory is imported when it is first needed: many commands open no crawl."""
    from hondius.stores import factory

    return factory.place_of(name)


def existing(name: Path) -> bool:
    """True: a crawl of ours. False: nothing is there yet. Anything else is refused."""
    return directory.existing(place_of(name))


def open_settings(name: Path) -> Settings:
    """The settings of a crawl that must exist."""
    return directory.open_settings(place_of(name))


def settled(name: Path, wishes: dict[str, Any]) -> Settings:
    """The settings of a run: those of the crawl, if there is one, with the wishes laid over them."""
    return directory.settled(place_of(name), wishes)
