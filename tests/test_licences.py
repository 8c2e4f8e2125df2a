"""What the licence check lets pass (`make licences`)."""

from importlib import metadata

import pytest
from scripts.check_licences import FOR_TESTS, PERMISSIVE, find_shipped, is_allowed, is_mit_text


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND Apache-2.0", True),
        ("MIT AND GPL-3.0-only", False),
        ("MPL-2.0", False),
        ("(MIT OR GPL-3.0-only) AND GPL-3.0-only", False),
        ("", False),
    ],
)
def test_one_alternative_must_be_allowed_in_all_its_parts(expression: str, allowed: bool) -> None:
    assert is_allowed(expression, PERMISSIVE) is allowed


def test_what_only_the_tests_use_may_be_mpl() -> None:
    assert is_allowed("MPL-2.0 AND MIT", FOR_TESTS)


def test_what_the_extra_brings_is_shipped_and_the_tools_of_the_tests_are_not() -> None:
    shipped = find_shipped()
    assert {"hondius", "msgspec", "rich", "cryptography", "cffi"} <= shipped
    assert not {"pytest", "hypothesis"} & shipped


def test_the_whole_text_of_the_mit_licence_is_recognised_and_no_other() -> None:
    text = "\n".join(metadata.metadata("polars").get_all("License") or [])
    assert is_mit_text(text)
    assert not is_mit_text(text.replace("without restriction", "with some restriction"))
    assert not is_mit_text(f"{text}\nNot for commercial use.")
