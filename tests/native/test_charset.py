"""A1: byte order mark, HTTP, meta, then detection; text is always valid Unicode."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, Page, Reader, decode_text
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


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("UTF-8", b"\xef\xbb\xbf\xd0\xbf\xff", "\u043f\ufffd"),
        ("windows-874", b"\xa1", "\u0e01"),
        ("Shift_JIS", b"\x82\xa0", "\u3042"),
        ("replacement", b"a", None),
        ("no such", b"a", None),
        ("", b"a", None),
    ],
)
def test_a1_a_body_is_decoded_by_the_encodings_of_the_web(charset: str, body: bytes, text: str | None) -> None:
    assert decode_text(body, charset) == text
