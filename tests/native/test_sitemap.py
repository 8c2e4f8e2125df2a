"""D2: sitemaps, feeds and lists of URLs, however broken."""

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, NativeError, SitemapEntry, read_sitemap
from tests.native.suites import suite

URL = "http://www.example.com/sitemap.xml"


def read(body: bytes, url: str = URL) -> list[SitemapEntry]:
    return read_sitemap(body, url, Identity())[0]


def expectations(name: str) -> list[Any]:
    found: list[Any] = json.loads(suite("sitemaps/expectations.json").read_text("utf-8"))[name]
    return found


def find_faults(case: dict[str, Any], entries: list[SitemapEntry]) -> dict[str, object]:
    """What was found where it is not what is expected."""
    hrefs = [entry.href for entry in entries]
    found: dict[str, object] = {
        "locs": hrefs,
        "locs_if_recovering": hrefs,
        "n_locs": len(hrefs),
        "contains": case.get("contains") if case.get("contains") in hrefs else None,
        "lastmod": [entry.last_modified or None for entry in entries],
        "changefreq": [entry.change_frequency or None for entry in entries],
        "first_changefreq": entries[0].change_frequency if entries else None,
        "priority": [entry.priority for entry in entries],
    }
    return {name: value for name, value in found.items() if name in case and case[name] != value}


def test_d2_the_files_of_other_crawlers_yield_the_same_entries() -> None:
    for case in expectations("cases"):
        entries = read(suite(f"sitemaps/{case['file']}").read_bytes(), case.get("url", URL))
        assert (case["file"], find_faults(case, entries)) == (case["file"], {})
        assert (case["kind"] == "error") == (entries == [])
        assert all(entry.is_sitemap == (case["kind"] == "index") for entry in entries)


def test_d2_the_files_of_scrapy_yield_the_same_entries() -> None:
    for case in expectations("scrapy_cases"):
        entries = read(suite(f"sitemaps/{case['file']}").read_bytes())
        assert [entry.href for entry in entries] == case["locs"]
        for entry, expected in zip(entries, case["entries"], strict=True):
            assert entry.last_modified[:10] == expected.get("lastmod", "")[:10]
            assert entry.change_frequency == expected.get("changefreq", "")
            assert entry.priority == (float(expected["priority"]) if "priority" in expected else None)


@pytest.mark.parametrize("name", ["w3c_dates", "rss_dates"])
def test_d2_dates_of_sitemaps_and_feeds_are_made_one(name: str) -> None:
    for text, expected in expectations(name):
        [entry] = read(f"<urlset><url><loc>/a</loc><lastmod>{text}</lastmod></url></urlset>".encode())
        assert entry.last_modified == (expected or "")


def test_d2_an_entry_has_a_key_and_its_attributes() -> None:
    [entry] = read(b"<urlset><url><loc>a?utm_source=x</loc><priority>0.3</priority></url></urlset>")
    assert entry.href == "http://www.example.com/a?utm_source=x"
    assert entry.key == Identity().parse("http://www.example.com/a").key
    assert (entry.priority, entry.is_sitemap) == (0.3, False)


def test_d2_at_most_50_000_entries_are_read_and_the_rest_is_counted() -> None:
    body = gzip.compress(b"http://www.example.com/a\n" * 50_003)
    entries, cut = read_sitemap(body, URL, Identity())
    assert (len(entries), cut) == (50_000, 3)


def test_d2_at_most_50_mb_are_decompressed() -> None:
    bomb = gzip.compress(b" " * 50_000_000 + b"\nhttp://www.example.com/beyond\n", 1)
    assert read(bomb) == []


def test_the_url_of_a_sitemap_must_be_one() -> None:
    with pytest.raises(NativeError, match="no_base"):
        read(b"", "sitemap.xml")


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"<urlset><loc>", b"<rss><item><link>", b"<feed><entry><link ", b"\x1f\x8b"]),
)
def test_d2_any_bytes_are_a_sitemap(body: bytes, start: bytes) -> None:
    for entry in read(start + body):
        assert Identity().parse(entry.href).href == entry.href
