"""Where the conformance data is: `HONDIUS_SUITES`, or beside the project. Tests read it there and never copy it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

SUITES = Path(__file__).parents[2] / os.environ.get("HONDIUS_SUITES", "../shared/suites")
needs_suites = pytest.mark.skipif(
    not SUITES.exists(), reason="there is no conformance data: set HONDIUS_SUITES to its directory"
)


def suite(path: str) -> Path:
    """A file of the suites; skips the test where there are none."""
    found = SUITES / path
    if not found.exists():
        pytest.skip(f"there is no conformance data: set HONDIUS_SUITES to the directory that holds {path}")
    return found


def cases(path: str) -> list[dict[str, Any]]:
    """The cases of a file that mixes them with remarks."""
    return [case for case in json.loads(suite(path).read_text("utf-8")) if isinstance(case, dict)]
