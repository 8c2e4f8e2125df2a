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
    from hondius.python.off_loop import open_async
    from hondius.python.opened import open  # noqa: A004
    from hondius.python.page import Page
    from hondius.python.synchronous import SyncCrawl, crawl_sync

__version__ = "0.1.0"
__all__ = [
    "BadDirectory",
    "BadSeed",
    "BadSetting",
    "Broken",
    "BrokenLog",
    "BrokenView",
    "CrawlWarning",
    "Crawler",
    "DirectoryInUse",
    "DiskFull",
    "HondiusError",
    "HookStopped",
    "Page",
    "RunningCrawl",
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
    "Crawler": "hondius.python.crawler",
    "Page": "hondius.python.page",
    "RunningCrawl": "hondius.python.crawling",
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
    return sorted({*globals(), *_PUBLIC})
