"""Python imports this at its start in every process of a suite, because `suites.py` puts its directory on PYTHONPATH.

It watches `Boundary.report`, which is called for every bug before its URL ends as `internal`, and records the message,
the test and the traceback. It does not change the product's behaviour, and does not import `hondius` itself.
"""

import importlib.abc
import importlib.machinery
import json
import os
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any

WATCHED = "hondius.crawler.boundary"
NOTES = os.environ.get("HONDIUS_INTERNAL_NOTES", "")


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != WATCHED:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            watch(spec.loader)
        return spec


def watch(loader: Any) -> None:
    execute = loader.exec_module

    def execute_and_watch(module: Any) -> None:
        execute(module)
        report = module.Boundary.report

        def note_and_report(boundary: Any, what: str, error: BaseException) -> None:
            note(what, "".join(traceback.format_exception(error)))
            report(boundary, what, error)

        module.Boundary.report = note_and_report

    loader.exec_module = execute_and_watch


def note(what: str, detail: str) -> None:
    """Appends with a single write: many processes share the file."""
    line = json.dumps({"what": what, "test": os.environ.get("PYTEST_CURRENT_TEST", ""), "detail": detail})
    file = os.open(NOTES, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(file, line.encode() + b"\n")
    finally:
        os.close(file)


if NOTES:
    import importlib.util

    sys.meta_path.insert(0, Finder())
