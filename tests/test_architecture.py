"""What import-linter cannot see: compiled modules have no source for it to read."""

import re
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src" / "hondius"


def test_only_native_py_imports_the_native_module() -> None:
    importers = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"^\s*(from|import) .*\b_native\b", path.read_text(), re.MULTILINE)
    ]
    assert importers == ["native.py"]


def test_the_journey_of_a_url_is_a_page_long() -> None:
    assert len((SOURCES / "crawler" / "journey.py").read_text().splitlines()) <= 80
