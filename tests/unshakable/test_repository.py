"""Defects of the repository's own files."""

import re
from pathlib import Path

import pytest

from tests.unshakable.repository import REPOSITORY, python


@pytest.mark.defect("`make growth DIRECTORY=new` failed where the directory was not there yet", inside=True)
async def test_growth_makes_its_directory(tmp_path: Path) -> None:
    new = tmp_path / "not" / "yet"
    said = await python("-m", "benchmarks.growth", "--most", "1", "--directory", new, enough=new.exists)
    assert new.is_dir(), said


@pytest.mark.defect("no page lists the settings", inside=True)
async def test_s1_the_page_of_settings_is_made_from_the_code() -> None:
    page = REPOSITORY / "docs" / "settings.md"
    assert page.exists()
    assert page.read_text() == await python("-m", "hondius.settings_text")


@pytest.mark.defect("the README does not say what is skipped by default", inside=True)
async def test_d7_the_readme_says_what_is_skipped_by_default() -> None:
    text = " ".join((REPOSITORY / "README.md").read_text().split())
    skipped = [sentence for sentence in re.split(r"(?<=\.) ", text) if re.search(r"\b(skips|skipped)\b", sentence)]
    for kind in ("PDF", "images", "scripts"):
        assert any(kind in sentence for sentence in skipped), kind
