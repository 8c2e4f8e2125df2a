"""Where the conformance data is: `HONDIUS_SUITES`, or beside the project. Tests read it there and never copy it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def suite(path: str) -> Path:
    """A file of the suites; skips the test where there are none."""
    found = ROOT / os.environ.get("HONDIUS_SUITES", "../shared/suites") / path
    if not found.exists():
        pytest.skip(f"no conformance data: set HONDIUS_SUITES to the directory that holds {path}")
    return found


def cases(path: str) -> list[dict[str, Any]]:
    """The cases of a file that mixes them with remarks."""
    return [case for case in json.loads(suite(path).read_text("utf-8")) if isinstance(case, dict)]
