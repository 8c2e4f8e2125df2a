"""Imports packages of optional extras when they are used: a plain installation stays small, and starts fast."""

from importlib import import_module
from types import ModuleType

from hondius.errors import WrongUse


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Raises WrongUse, with the command that installs it, if the package is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise WrongUse(
            f"the package {error.name} is missing, which {purpose}: install it with `pip install 'hondius[{extra}]'`"
        ) from error
