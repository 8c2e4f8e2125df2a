"""kill -9 at any moment, the same command again (F5, S4, S10)."""

from collections.abc import Iterator
from random import Random

import pytest

from tests.acceptance.crash import Plan, Round, judged
from tests.acceptance.kills import crawl_and_kill
from tests.acceptance.synthetic_web import serving

KILLS = 3
PLAN = Plan("small", delay=0.0, hosts=30, pages_per_host=10, slowest=0.3, longest=0.6)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Round]:
    scratch = tmp_path_factory.mktemp("crash")
    with serving(scratch, hosts=PLAN.hosts, pages_per_host=PLAN.pages_per_host, seed=5, slowest=PLAN.slowest) as web:
        crawl = crawl_and_kill(
            web, scratch / "crawl", delay=PLAN.delay, kills=KILLS, longest=PLAN.longest, random=Random(5)
        )
        yield judged(web, crawl, PLAN, 1)


def test_the_kills_came_before_the_end(played: Round) -> None:
    assert played.kills == KILLS


def test_no_url_is_lost_and_every_one_ends_as_it_must(played: Round) -> None:
    """F5, F7."""
    assert {
        name: lines for name, lines in played.faults.items() if name not in ("too_often", "verify", "rebuild")
    } == {}


def test_only_what_was_under_way_at_a_kill_is_asked_for_again(played: Round) -> None:
    """F5."""
    assert played.faults.get("too_often", []) == []


def test_what_was_written_is_found_whole_after_kills(played: Round) -> None:
    """S4, S10."""
    assert played.faults.get("verify", []) == []


def test_views_made_anew_from_the_log_export_the_same_bytes(played: Round) -> None:
    """S10."""
    assert played.faults.get("rebuild", []) == []
