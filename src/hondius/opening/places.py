"""Finds the place that a name refers to, and the settings of the crawl there."""

from pathlib import Path
from typing import Any

from hondius.crawler import crawl_settings
from hondius.ports import Place
from hondius.settings import Settings


def place_of(name: Path) -> Place:
    """Imports the factory on first use: many commands open no crawl."""
    from hondius.stores import factory

    return factory.place_of(name)


def crawl_exists(name: Path) -> bool:
    """False if nothing is there yet. Raises BadDirectory if something other than a crawl is there."""
    return crawl_settings.crawl_exists(place_of(name))


def open_settings(name: Path) -> Settings:
    """The settings of a crawl that must exist."""
    return crawl_settings.open_settings(place_of(name))


def resolve_settings(name: Path, overrides: dict[str, Any]) -> Settings:
    """The settings of a run: those of the crawl, if it exists, replaced by `overrides` where given."""
    return crawl_settings.resolve_settings(place_of(name), overrides)
