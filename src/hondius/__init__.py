"""Hondius: a web crawler that is fast, durable, provably polite and easy."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hondius.python.off_loop import open_async
    from hondius.python.opened import open  # noqa: A004
    from hondius.python.page import Page

__version__ = "0.1.0"
__all__ = ["Page", "__version__", "open", "open_async"]

_PUBLIC = {
    "Page": "hondius.python.page",
    "open": "hondius.python.opened",
    "open_async": "hondius.python.off_loop",
}
"""Public names and their modules, which are imported on first use: a command needs few of them."""

logging.getLogger(__name__).addHandler(logging.NullHandler())  # as a library it is silent; the command sets up a file


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
