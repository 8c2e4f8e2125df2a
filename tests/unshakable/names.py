"""Functions of the package that have another name in the earlier build."""

from importlib import import_module
from typing import Any


def find(module: str, today: str, earlier: str) -> Any:
    """What the module calls `today`, or `earlier` in the earlier build."""
    found = import_module(module)
    return getattr(found, today) if hasattr(found, today) else getattr(found, earlier)
