"""S6: a filter of pages, as users write it."""

from typing import Any

import pytest

from hondius.errors import BadSetting
from hondius.model import ALL_PAGES, PageFilter
from hondius.use.left_out import LeftOut
from hondius.use.selection import select_pages


def test_nothing_given_selects_every_page() -> None:
    assert select_pages() == ALL_PAGES


def test_words_become_values() -> None:
    made = select_pages(hosts=["EXAMPLE.com", "*.Bücher.example"], statuses=["200", "4xx", 503], states=["failed"])
    assert made == PageFilter(
        hosts=("example.com", "*.xn--bcher-kva.example"),
        statuses=((200, 200), (400, 499), (503, 503)),
        states=("failed",),
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"hosts": ["example.com/path"]}, "is no host"),
        ({"hosts": [""]}, "is no host"),
        ({"hosts": ["*.*.example.com"]}, "is no host"),
        ({"hosts": ["example.com:99"]}, "is no host"),
        ({"match": "("}, "is no regular expression"),
        ({"statuses": ["6xx"]}, "is no HTTP status"),
        ({"statuses": ["2000"]}, "is no HTTP status"),
        ({"languages": ["%"]}, "is no language"),
        ({"states": ["finished"]}, "unknown state finished; choose from completed"),
        ({"kinds": ["feed"]}, "unknown kind feed; choose from page, sitemap"),
        ({"since": 5.0, "until": 5.0}, "no page can match"),
    ],
)
def test_a_value_that_no_page_can_have_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        select_pages(**words)


def test_w3_urls_that_are_no_pages_are_not_counted_as_pages() -> None:
    left_out = LeftOut("ai-train")
    for kind, state in (("page", "failed"), ("sitemap", "completed")):
        left_out.add({"kind": kind, "state": state, "usage": ""})
    assert left_out.pages == 0
    assert str(left_out) == "no page is reserved for ai-train; left out 2 other URLs, too"
