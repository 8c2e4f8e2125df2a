"""Hondius: a web crawler that is fast, durable, provably polite and easy."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hondius.errors import (
        BadDirectory,
        BadSeed,
        BadSetting,
        Broken,
        BrokenLog,
        BrokenView,
        CrawlWarning,
        DirectoryInUse,
        DiskFull,
        HondiusError,
        HookStopped,
        UnknownUrl,
        WrongUse,
    )
    from hondius.python.crawler import Crawler
    from hondius.python.crawling import RunningCrawl, crawl
    from hondius.python.elements import Element, Elements
    from hondius.python.extracted import Extracted
    from hondius.python.off_loop import AsyncOpenedCrawl, open_async
    from hondius.python.opened import CrawlReport, OpenedCrawl, open  # noqa: A004
    from hondius.python.page import Page
    from hondius.python.parts import Fetch, Link
    from hondius.python.selected import Pages
    from hondius.python.summary import Host, Summary
    from hondius.python.synchronous import SyncCrawl, crawl_sync

__version__ = "0.1.0"
__all__ = [
    "AsyncOpenedCrawl",
    "BadDirectory",
    "BadSeed",
    "BadSetting",
    "Broken",
    "BrokenLog",
    "BrokenView",
    "CrawlReport",
    "CrawlWarning",
    "Crawler",
    "DirectoryInUse",
    "DiskFull",
    "Element",
    "Elements",
    "Extracted",
    "Fetch",
    "HondiusError",
    "HookStopped",
    "Host",
    "Link",
    "OpenedCrawl",
    "Page",
    "Pages",
    "RunningCrawl",
    "Summary",
    "SyncCrawl",
    "UnknownUrl",
    "WrongUse",
    "__version__",
    "crawl",
    "crawl_sync",
    "open",
    "open_async",
]

_ERRORS = (
    "BadDirectory BadSeed BadSetting Broken BrokenLog BrokenView CrawlWarning DirectoryInUse DiskFull "
    "HondiusError HookStopped UnknownUrl WrongUse"
).split()
_PUBLIC = {
    "AsyncOpenedCrawl": "hondius.python.off_loop",
    "CrawlReport": "hondius.python.opened",
    "Crawler": "hondius.python.crawler",
    "Element": "hondius.python.elements",
    "Elements": "hondius.python.elements",
    "Extracted": "hondius.python.extracted",
    "Fetch": "hondius.python.parts",
    "Host": "hondius.python.summary",
    "Link": "hondius.python.parts",
    "OpenedCrawl": "hondius.python.opened",
    "Page": "hondius.python.page",
    "Pages": "hondius.python.selected",
    "RunningCrawl": "hondius.python.crawling",
    "Summary": "hondius.python.summary",
    "SyncCrawl": "hondius.python.synchronous",
    "crawl": "hondius.python.crawling",
    "crawl_sync": "hondius.python.synchronous",
    "open": "hondius.python.opened",
    "open_async": "hondius.python.off_loop",
} | dict.fromkeys(_ERRORS, "hondius.errors")
"""Public names and their modules, which are imported on first use: a command needs few of them."""

logging.getLogger(__name__).addHandler(logging.NullHandler())  # as a library it is silent; the command sets up a file


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
