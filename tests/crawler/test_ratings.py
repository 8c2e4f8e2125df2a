"""Priorities of new URLs, before and after ranks are known (F2)."""

import logging
from pathlib import Path

import pytest

from hondius.crawler.frontier.frontier import compute_class
from hondius.crawler.page import Ratings
from hondius.crawler.page.priority import compute_priority
from hondius.crawler.page.ratings import DAY
from hondius.native import EdgeLog, Fetched, mark_computed
from hondius.settings import PrioritySettings
from tests.native.exchanges import fetch_all
from tests.native.loopback import response

WEIGHTS = PrioritySettings()
STEP = 1 / 256


def fetch_pages(count: int) -> dict[str, Fetched]:
    """Each links to the start and to one page that nobody else names."""
    html = "Content-Type: text/html"
    pages = {f"/{number}": f'<a href="/">start</a><a href="/new-{number}">new</a>' for number in range(count)}
    pages["/"] = '<a href="/new">new</a><a href="http://far.test/">far</a>'
    return fetch_all({path: response(body.encode(), html) for path, body in pages.items()})


@pytest.mark.parametrize("is_news", [False, True])
@pytest.mark.parametrize("depth", [0, 1, 5, 30])
def test_f2_a_computed_priority_says_so_and_stays_in_its_class(depth: int, is_news: bool) -> None:
    usual = compute_priority(WEIGHTS, depth, from_sitemap=is_news, is_news=is_news)
    rated = Ratings(WEIGHTS).rate(depth, from_sitemap=is_news, is_news=is_news)
    assert rated == mark_computed(usual, is_news=is_news)
    assert abs(rated - usual) < STEP
    assert compute_class(rated) == compute_class(usual)
    assert rated / STEP % 1 == (0.25 if is_news else 0.5)


def test_f2_links_of_a_page_with_a_high_rank_come_first(tmp_path: Path) -> None:
    fetched = fetch_pages(30)
    ratings, edges = Ratings(WEIGHTS), EdgeLog(str(tmp_path))
    before = ratings.rate_links(fetched["/"], 2)
    assert before == (ratings.rate(2), None)
    ratings.note_into(edges)
    for page in fetched.values():
        ratings.note_page(page)
    assert (ratings.pages, edges.pages, edges.edges) == (31, 31, 62)
    ratings.use(edges.compute())
    (from_start, others), (from_leaf, _) = (ratings.rate_links(fetched[path], 2) for path in ("/", "/7"))
    assert from_start > from_leaf
    assert others is not None, "the link to the other host has another authority"
    assert len(others) == 2


def test_f2_a_url_of_a_sitemap_gets_the_authority_of_its_host(tmp_path: Path) -> None:
    fetched = fetch_pages(5)
    ratings, edges = Ratings(WEIGHTS), EdgeLog(str(tmp_path))
    ratings.note_into(edges)
    for page in fetched.values():
        ratings.note_page(page)
    ratings.use(edges.compute())
    unknown = ratings.rate(1, "unknown.test", from_sitemap=True)
    assert unknown == ratings.rate(1, from_sitemap=True)
    assert ratings.rate(1, "far.test", from_sitemap=True) > unknown


def test_s8_links_that_cannot_be_noted_cost_the_ranks_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ratings = Ratings(WEIGHTS)
    ratings.note_into(EdgeLog(str(tmp_path / "missing")))
    with caplog.at_level(logging.WARNING, "hondius.crawler.rank"):
        ratings.note_page(fetch_pages(1)["/"])
    assert not ratings.is_noting
    assert "page ranks are not computed any more" in caplog.text
    ratings.note_page(fetch_pages(1)["/"])


def due(**facts: object) -> dict[str, object]:
    row = {"key": b"k" * 16, "host": "a.test", "via": "link", "depth": 2, "page_class": "wiki"}
    return row | {"priority": mark_computed(0.5), "change_interval": None, "last_fetched_at": None} | facts


def test_f2_a_page_that_is_due_is_rated_by_how_often_it_changes_and_how_old_it_is() -> None:
    rate, now = Ratings(WEIGHTS).rate_due, 1e9
    seldom, often = (
        rate(due(change_interval=days * DAY, last_fetched_at=now - days * DAY), now) for days in (30, 1 / 24)
    )
    assert seldom is not None
    assert often is not None
    assert often - seldom == pytest.approx(WEIGHTS.change_rate, abs=0.02)
    fresh = rate(due(change_interval=DAY, last_fetched_at=now), now)
    stale = rate(due(change_interval=DAY, last_fetched_at=now - 5 * DAY), now)
    assert fresh is not None
    assert stale is not None
    assert stale - fresh == pytest.approx(WEIGHTS.freshness, abs=0.01)
    assert rate(due(), now) == Ratings(WEIGHTS).rate(2), "nothing is known"


def test_f2_a_priority_that_was_given_stays_when_a_page_is_due() -> None:
    ratings = Ratings(WEIGHTS)
    assert ratings.rate_due(due(priority=0.7), 1e9) is None
    assert ratings.rate_due(due(via="seed"), 1e9) is None
