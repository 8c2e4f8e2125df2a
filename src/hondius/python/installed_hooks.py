"""Hooks of installed packages, by name: entry points of the groups `hondius.follow`, `hondius.extract`,
`hondius.classify`, `hondius.predict` and `hondius.sink`."""

import difflib
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any

from hondius.errors import BadSetting, WrongUse
from hondius.python.hook_set import HookSet, check_hook

KINDS = ("follow", "extract", "classify", "predict", "sink")


def load_installed_hooks(names: Sequence[str]) -> HookSet:
    """One name may have an entry point in several groups. Raises BadSetting for an unknown name."""
    hooks = HookSet()
    found: set[str] = set()
    known: set[str] = set()
    for kind in KINDS:
        for entry in entry_points(group=f"hondius.{kind}"):
            known.add(entry.name)
            if entry.name in names:
                found.add(entry.name)
                getattr(hooks, kind).append(_load(kind, entry))
    for name in names:
        if name not in found:
            close = difflib.get_close_matches(name, known, n=1)
            some = f"; did you mean {close[0]}?" if close else f": there are {', '.join(sorted(known)) or 'none'}"
            raise BadSetting(f"--hook {name}: no installed package has a hook of this name{some}")
    return hooks


def _load(kind: str, entry: Any) -> Any:
    try:
        hook = entry.load()
        check_hook(kind, hook)
        return hook
    except WrongUse as error:
        raise BadSetting(f"--hook {entry.name} cannot be used: {error}") from None
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadSetting(f"--hook {entry.name} cannot be loaded ({reason}): reinstall its package") from error
