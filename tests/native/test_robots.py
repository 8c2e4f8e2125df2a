"""B1, B3, B4: robots.txt as RFC 9309 reads it."""

import json
import time

from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, Robots
from tests.native import conformance
from tests.native.suites import suite


def test_b1_the_cases_of_googles_parser_agree_but_for_what_the_rfc_forbids() -> None:
    assert conformance.robots().wrong == []


def test_b3_sitemaps_are_those_of_the_whole_file() -> None:
    data = json.loads(suite("robots-google/google_robotstxt_cases.json").read_text("utf-8"))
    for case in data["sitemap"]:
        assert Robots(case["robots"].encode(), "foo").sitemaps == case["sitemaps"]
    for case in json.loads(suite("sitemaps/expectations.json").read_text("utf-8"))["robots_sitemaps"]:
        found = Robots(case["robots"].encode(), "foo").sitemaps
        assert [Identity().parse(text, case["base"]).href for text in found] == case["sitemaps"]


def test_b3_the_deciding_rule_is_given_by_line_and_text() -> None:
    robots = Robots(
        b"# ours\r\nUser-agent: hondius\r\nCrawl-delay: 2.5\r\nDisallow: /a # no\r\nAllow: /a/b\r\n", "Hondius"
    )
    assert robots.allowed("/a/x") == (False, 4, "Disallow: /a")
    assert robots.allowed("/a/b") == (True, 5, "Allow: /a/b")
    assert robots.allowed("/c") == (True, 0, "")
    assert robots.crawl_delay == 2.5


def test_b4_robots_txt_itself_is_never_blocked() -> None:
    assert Robots(b"User-agent: *\nDisallow: /", "hondius").allowed("/robots.txt") == (True, 0, "")


def test_b1_a_rule_of_a_thousand_stars_is_matched_in_less_than_a_millisecond() -> None:
    robots = Robots(b"User-agent: *\nDisallow: /" + b"*a" * 1000 + b"b\n", "hondius")
    path = "/" + "a" * 2000
    assert robots.allowed(path)[0]
    assert min(seconds(robots, path) for _ in range(5)) < 0.001


def seconds(robots: Robots, path: str) -> float:
    start = time.perf_counter()
    robots.allowed(path)
    return time.perf_counter() - start


@given(st.binary(max_size=200), st.text(max_size=50))
def test_any_bytes_are_a_robots_txt(body: bytes, path: str) -> None:
    for text in (body, b"User-agent: *\nDisallow: " + body):
        allowed, line, rule = Robots(text, "hondius").allowed(path)
        assert allowed or (line > 0 and rule)
