"""A1: byte order mark, HTTP, meta, then detection; text is always valid Unicode."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, Page, Reader
from tests.native import conformance
from tests.native.suites import suite

READER = Reader(Identity(), agent_token="hondius")


def read(body: bytes, content_type: str = "text/html") -> Page:
    return READER.read(body, url="http://a.test/", content_type=content_type)


@pytest.mark.parametrize(
    "judge",
    [
        conformance.html5lib_encodings,
        conformance.encoding_labels,
        conformance.meta_charsets,
        conformance.input_byte_streams,
    ],
)
def test_a1_what_documents_declare_is_what_browsers_read(judge: Callable[[], conformance.Verdict]) -> None:
    assert judge().wrong == []


def test_a1_undeclared_big5_is_detected() -> None:
    body = (suite("html5lib-encoding") / "chardet_test_big5.txt").read_bytes()
    assert read(body, "text/plain").charset == "Big5"


def test_a1_the_charset_of_the_headers_counts_where_the_type_has_none() -> None:
    headers = [("Content-Type", "text/html; charset=koi8-r")]
    page = READER.read(b"\xf0", url="http://a.test/", content_type="text/html", headers=headers)
    assert (page.charset, page.text) == ("KOI8-R", "П")


def test_a1_xml_declares_its_encoding_in_its_first_line() -> None:
    body = "<?xml version='1.0' encoding='euc-jp'?><a>日本</a>".encode("euc-jp")
    page = read(body, "application/xml")
    assert (page.charset, page.text) == ("EUC-JP", "日本")


@given(
    st.binary(max_size=400), st.sampled_from(["text/html", "text/html; charset=utf-16", "text/plain", "text/xml", ""])
)
def test_a1_any_bytes_become_valid_unicode(body: bytes, content_type: str) -> None:
    page = read(body, content_type)
    (page.text + page.title + "".join(link.anchor for link in page.links)).encode()
