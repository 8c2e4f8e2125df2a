"""S6: names of files are made of URLs that strangers chose."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.use.export.formats.file_names import make_directory_name, make_file_name

KEY = bytes(range(16))


def test_a_name_is_readable_and_ends_with_the_key() -> None:
    name = make_file_name("example.com", "https://example.com/Shoes/red%20ones.html?size=42", KEY)
    assert name == f"example.com/shoes-red-ones-html-size-42-{KEY.hex()}.md"
    assert make_file_name("example.com", "https://example.com/", KEY) == f"example.com/{KEY.hex()}.md"


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc", "/\\..\\x", "/%00"]
)
def test_no_path_leads_out_of_the_directory(path: str) -> None:
    name = make_file_name("a.test", f"http://a.test{path}", KEY)
    assert ".." not in name
    assert name.count("/") == 1


@pytest.mark.parametrize("host", ["con", "NUL", "com1", "lpt9.example", "aux.", "..", ".", "", "-"])
def test_no_host_becomes_a_reserved_or_hidden_name(host: str) -> None:
    name = make_directory_name(host)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name)
    assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)


@given(st.text(max_size=400), st.text(max_size=400), st.binary(min_size=16, max_size=16))
def test_any_name_is_safe_and_short(host: str, rest: str, key: bytes) -> None:
    directory, file = make_file_name(host, f"http://a.test/{rest}", key).split("/")
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,80}", directory)
    assert not directory.endswith((".", "-"))
    assert re.fullmatch(r"[a-z0-9_-]*[0-9a-f]{32}\.md", file)
    assert len(file) <= 100


def test_pages_that_differ_only_in_case_have_different_names() -> None:
    names = {
        make_file_name("a.test", f"http://a.test/{path}", key).lower() for path, key in (("A", KEY), ("a", KEY[::-1]))
    }
    assert len(names) == 2
