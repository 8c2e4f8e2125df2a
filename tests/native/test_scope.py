"""D5, F6: what may enter the frontier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, LinkPolicy, NativeError


def test_d5_the_scope_is_extended_by_seeds_and_where_they_lead() -> None:
    policy = LinkPolicy(scope="host")
    assert policy.judge("http://example.com/") == "scope"
    policy.extend("http://example.com/")
    policy.extend("https://www.example.com/")
    assert policy.judge("https://example.com:8443/a") is None
    assert policy.judge("http://www.example.com/a") is None
    assert policy.judge("http://other.example.com/") == "scope"


@pytest.mark.parametrize(
    ("scope", "href", "verdict"),
    [
        ("domain", "http://a.b.example.co.uk/", None),
        ("domain", "http://other.co.uk/", "scope"),
        ("prefix", "http://shop.example.co.uk/docs/b", None),
        ("prefix", "http://shop.example.co.uk/other", "scope"),
        ("any", "http://elsewhere.example/", None),
    ],
)
def test_d5_scopes(scope: str, href: str, verdict: str | None) -> None:
    policy = LinkPolicy(scope=scope)
    policy.extend("http://shop.example.co.uk/docs/a")
    assert policy.judge(href) == verdict


def test_d5_f6_every_refusal_has_its_reason() -> None:
    policy = LinkPolicy(
        scope="any", include=["example"], exclude=["secret"], skip_extensions=[".zip"], max_url_length=100
    )
    policy.blacklist("bad.example")
    reasons = {
        "http://h.example/secret": "excluded",
        "http://h.test/": "excluded",
        "http://h.example/a.ZIP": "extension",
        "http://h.example/" + "a" * 100: "too_long",
        "http://h.example/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16": "too_many_segments",
        "http://h.example/a/b/a/b/a/b": "repeated_segments",
        "http://h.example/?" + "&".join("abcdefghijklmnopqrstu"): "too_many_parameters",
        "http://h.example/2031/05/12": "future_date",
        "http://sub.bad.example/": "blacklisted",
    }
    assert {href: policy.judge(href, 1_794_700_800.0) for href in reasons} == reasons
    assert policy.judge("http://h.example/2031/05/12", 1_900_000_000.0) is None
    assert [policy.bans(href) for href in ("http://sub.bad.example/x", "http://h.example/secret")] == [True, False]


def test_a_lifted_domain_is_admitted_again() -> None:
    policy = LinkPolicy(scope="any")
    policy.blacklist("bad.example")
    policy.lift("Bad.Example")
    assert policy.judge("http://bad.example/") is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scope": "galaxy"}, 'unknown scope "galaxy"'),
        ({"scope": "any", "exclude": ["a("]}, 'bad pattern "a\\("'),
        ({"scope": "any", "include": [r"(\w{1000}){1000}"]}, "size limit"),
        ({"scope": "any", "max_repeats": 1}, "max_repeats"),
    ],
)
def test_a_bad_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(NativeError, match=message) as caught:
        LinkPolicy(**settings)  # type: ignore[arg-type]
    assert caught.value.kind == "invalid"


def test_what_is_no_url_is_not_judged() -> None:
    with pytest.raises(NativeError, match="not_http"):
        LinkPolicy(scope="any").judge("mailto:someone@h.example")


@given(st.text(alphabet="/.abc?&=;%", max_size=60))
def test_any_url_gets_a_verdict(tail: str) -> None:
    policy = LinkPolicy(scope="prefix", skip_extensions=["a"], max_segments=100, max_repeats=2)
    url = Identity().parse(f"http://h.example/{tail}")
    policy.extend(url.href)
    assert policy.judge(url.href) in {None, "extension", "repeated_segments", "too_many_parameters"}
