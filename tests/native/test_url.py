"""U1-U3: what a URL is requested by, and what it is known by."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, NativeError, host_hash, registrable_domain
from tests.native.suites import cases, suite

IDENTITY = Identity()
SWITCHES = ("sort_query", "drop_tracking", "drop_session", "drop_index", "drop_trailing_slash", "drop_www")


def href(text: str, base: str | None = None) -> str | None:
    return IDENTITY.batch([(text, base)])[0][0]


def is_ours(case: dict[str, Any]) -> bool:
    return not case.get("failure") and case["protocol"] in ("http:", "https:")


def expected_href(case: dict[str, Any]) -> str | None:
    """Without fragment and user info, which an href never has; None for what is not http(s)."""
    if not is_ours(case):
        return None
    text: str = case["href"].split("#")[0]
    user_info = case["username"] + (f":{case['password']}" if case["password"] else "")
    return text.replace(f"//{user_info}@", "//", 1) if user_info else text


def test_u1_a_url_has_parts() -> None:
    url = IDENTITY.parse("HTTPS://me@Bücher.example:8443/a/../b?c#d")
    assert url.href == "https://xn--bcher-kva.example:8443/b?c"
    assert (url.scheme, url.host, url.port) == ("https", "xn--bcher-kva.example", 8443)
    assert (url.origin, url.path_and_query) == ("https://xn--bcher-kva.example:8443", "/b?c")
    assert IDENTITY.parse("http://example.com").port == 80


def test_u1_a_link_is_resolved_against_its_base() -> None:
    assert IDENTITY.parse("../c", "http://example.com/a/b").href == "http://example.com/c"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("mailto:a@b.example", "not_http"), ("/a", "no_base"), ("http://", "no_host"), ("http://a b/", "bad_host")],
)
def test_u3_what_is_no_url_has_a_reason(text: str, reason: str) -> None:
    with pytest.raises(NativeError, match=f"^{reason}$") as caught:
        IDENTITY.parse(text)
    assert (caught.value.kind, caught.value.errno) == ("invalid", None)
    assert IDENTITY.batch([(text, None)]) == [(None, None, None, reason)]


def test_u3_the_key_is_the_first_half_of_sha_256_of_the_key_form() -> None:
    url = IDENTITY.parse("http://example.com/?b=1&utm_source=x&a=2")
    assert url.key_form == "http://example.com/?a=2&b=1"
    assert url.key == hashlib.sha256(url.key_form.encode()).digest()[:16]
    assert IDENTITY.batch([(url.href, None)]) == [(url.href, url.key_form, url.key.hex(), None)]


def test_attempt_records_name_a_host_by_its_hash() -> None:
    assert host_hash("example.com") == int.from_bytes(hashlib.sha256(b"example.com").digest()[:8], "little")


@given(
    st.fixed_dictionaries(dict.fromkeys(SWITCHES, st.booleans())),
    st.text(st.characters()),
    st.sampled_from(["", "http://", "http://www.h.example/"]),
)
def test_u3_the_key_form_of_a_key_form_is_itself_and_nothing_raises(
    switches: dict[str, bool], text: str, start: str
) -> None:
    identity = Identity(**switches)
    first = identity.batch([(start + text, None)])[0]
    if first[1] is None:
        assert first[3]
        return
    again = identity.batch([(first[1], None)])[0]
    assert again == (first[1], first[1], first[2], None)


@given(
    st.text(alphabet="/.%2e3B4aA?&=;#:@ \\\tsid", max_size=30), st.text(alphabet="/.%2eaA?&=;#:@ \\\tü", max_size=30)
)
def test_u1_an_href_is_its_own_href(text: str, base: str) -> None:
    found = href(text, f"http://h.example/{base}")
    assert found is None or href(found) == found


# ---- conformance ---------------------------------------------------------------------------------


def is_known_deviation(text: str, found: str | None) -> bool:
    """Two things in which the `url` crate is not what the URL standard is today.

    It refuses names in ASCII whose `xn--` labels are no Punycode, which the standard lets pass since 2025; nobody
    can register one. And it does not know yet that U+3E8AC is unassigned."""
    return "\U0003e8ac" in text or (found is None and text.isascii() and "xn--" in text.lower())


def test_u1_the_web_platform_tests_of_urls_agree() -> None:
    wrong = [
        (case["input"], case["base"], expected, found)
        for case in cases("wpt-url/urltestdata.json")
        if (found := href(case["input"], case["base"])) != (expected := expected_href(case))
    ]
    assert [row for row in wrong if not is_known_deviation(row[0], row[3])] == []
    assert len(wrong) <= 7


@pytest.mark.parametrize("name", ["toascii", "IdnaTestV2", "IdnaTestV2-removed"])
def test_u1_the_web_platform_tests_of_host_names_agree(name: str) -> None:
    wrong = [
        (case["input"], case["output"], found)
        for case in cases(f"wpt-url/{name}.json")
        if case["input"]
        and (found := href(f"https://{case['input']}/x")) != (case["output"] and f"https://{case['output']}/x")
    ]
    assert [row for row in wrong if not is_known_deviation(row[0], row[2])] == []


def test_u1_the_web_platform_tests_of_percent_encoding_agree() -> None:
    for case in cases("wpt-url/percent-encoding.json"):
        assert href(f"https://h.example/?{case['input']}") == f"https://h.example/?{case['output']['utf-8']}"


def test_the_public_suffix_list_agrees() -> None:
    lines = suite("psl/tests.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("//")]
    wrong = [
        (host, expected)
        for host, expected in rows
        if host != "null" and registrable_domain(host) != (None if expected == "null" else expected)
    ]
    assert wrong == []
