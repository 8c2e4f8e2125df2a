"""U1-U3: what a URL is requested by, and what it is known by."""

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, NativeError, host_hash
from tests.native import conformance
from tests.native.conformance import href

IDENTITY = Identity()
SWITCHES = ("sort_query", "drop_tracking", "drop_session", "drop_index", "drop_trailing_slash", "drop_www")


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
    st.fixed_dictionaries(dict.fromkeys(SWITCHES, st.booleans())),
    st.lists(st.sampled_from(["xn--", "XN--", "%78n--", ".", "www.", "a", "zca", "-", "1", "=", "ß", "@", ":", "%2e"])),
    st.sampled_from(["", "/b/../c", "?utm_source=1&a", "\\\\x"]),
)
def test_u3_the_key_form_of_names_that_look_like_punycode_is_itself(
    switches: dict[str, bool], name: list[str], rest: str
) -> None:
    identity = Identity(**switches)
    href, form, key, reason = identity.batch([("http://" + "".join(name) + rest, None)])[0]
    if href is None or form is None:
        assert reason
        return
    assert identity.batch([(href, None), (form, None)]) == [(href, form, key, None), (form, form, key, None)]
    base = identity.parse(href)
    assert identity.parse("d", href).origin == base.origin
    assert href == base.origin + base.path_and_query


@given(
    st.text(alphabet="/.%2e3B4aA?&=;#:@ \\\tsid", max_size=30), st.text(alphabet="/.%2eaA?&=;#:@ \\\tü", max_size=30)
)
def test_u1_an_href_is_its_own_href(text: str, base: str) -> None:
    found = href(text, f"http://h.example/{base}")
    assert found is None or href(found) == found


# ---- conformance ---------------------------------------------------------------------------------


@pytest.mark.parametrize("judge", [conformance.urls, conformance.host_names, conformance.percent_encoding])
def test_u1_the_web_platform_tests_agree(judge: Callable[[], conformance.Verdict]) -> None:
    assert judge().wrong == []


def test_u1_every_url_of_the_web_platform_tests_is_read_as_they_say() -> None:
    verdict = conformance.urls()
    assert (verdict.passed, verdict.deviations) == (verdict.total, [])
    assert len(conformance.host_names().deviations) <= 2


def test_the_public_suffix_list_agrees() -> None:
    assert conformance.public_suffixes().wrong == []
