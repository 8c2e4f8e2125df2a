"""A1: byte order mark, HTTP, meta, then detection; text is always valid Unicode."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, Page, Reader
from tests.native.suites import cases, suite

READER = Reader(Identity(), agent_token="hondius")

# Here the standard's prescan, which reads markup in raw text too, and what browsers do differ. We keep to the standard.
PRESCAN_READS_RAW_TEXT = {"in-script.html", "in-style.html", "in-title.html"}


def read(body: bytes, content_type: str = "text/html") -> Page:
    return READER.read(body, url="http://a.test/", content_type=content_type)


def html5lib_cases(name: str) -> list[tuple[bytes, str]]:
    data = (suite("html5lib-encoding") / name).read_bytes()
    found = re.findall(rb"#data\n(.*?)\n#encoding\n(.*?)(?:\n|$)", data, flags=re.DOTALL)
    assert found
    return [(body, label.decode()) for body, label in found]


@pytest.mark.parametrize("name", ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"])
def test_a1_html5lib_agrees_on_what_documents_declare(name: str) -> None:
    wrong = [
        (body[:80], expected, read(body).charset)
        for body, expected in html5lib_cases(name)
        if read(body).charset.lower() != expected.lower()
    ]
    assert not wrong


def test_a1_undeclared_big5_is_detected() -> None:
    body = (suite("html5lib-encoding") / "chardet_test_big5.txt").read_bytes()
    assert read(body, "text/plain").charset == "Big5"


def test_a1_every_label_of_the_standard_names_its_encoding() -> None:
    wrong = [
        (label, encoding["name"], read(b"x", f"text/html; charset={label}").charset)
        for group in cases("whatwg-encoding/encodings.json")
        for encoding in group["encodings"]
        for label in encoding["labels"]
        if read(b"x", f"text/html; charset={label}").charset != encoding["name"]
    ]
    assert not wrong


def test_a1_meta_counts_where_browsers_let_it_count() -> None:
    """A reference that must not match is a declaration that must not count."""
    folder = suite("wpt-html/charset")
    for case in cases("wpt-html/charset/manifest.json"):
        body = (folder / case["file"]).read_bytes()
        if case["file"] in PRESCAN_READS_RAW_TEXT:
            continue
        charset = read(body).charset
        if "expected" in case:
            assert (charset == case["expected"]) is not case["negated"], case
        else:
            assert (charset == "windows-1251") is (b'rel="mismatch"' not in body), case


def test_a1_declarations_have_the_precedence_of_the_standard() -> None:
    folder = suite("wpt-html/input-byte-stream")
    for case in cases("wpt-html/input-byte-stream/manifest.json"):
        body = (folder / case["file"]).read_bytes()
        content_type = (case["headers"] or "Content-Type: text/html").removeprefix("Content-Type: ").strip()
        mark = {b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}.get(body[:2])
        assert read(body, content_type).charset.lower() == (mark or case["expected"]), case


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
