"""kill -9 at any moment, the same command again (F5, S4, S10)."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from tests.acceptance.crash.kills import KilledCrawl, crawl_and_kill
from tests.acceptance.crash.plans import HASTY
from tests.acceptance.crash.rounds import Judgement, judge_crawl
from tests.acceptance.synthetic_web import serving

KILLS = 3
PLAN = replace(HASTY, hosts=30, pages_per_host=10, slowest=0.3, longest=0.8)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KilledCrawl]:
    scratch = tmp_path_factory.mktemp("crash")
    with serving(scratch, hosts=PLAN.hosts, pages_per_host=PLAN.pages_per_host, seed=5, slowest=PLAN.slowest) as web:
        crawl = KilledCrawl(web, scratch / "crawl", PLAN)
        crawl_and_kill(crawl, KILLS, Random(5))
        yield crawl


@pytest.fixture(scope="module")
def judgement(crawl: KilledCrawl) -> Judgement:
    return judge_crawl(crawl.web, crawl)


def test_the_kills_were_dealt(crawl: KilledCrawl) -> None:
    assert len(crawl.kills) == KILLS


def test_no_url_is_lost_and_every_one_ends_as_it_must(judgement: Judgement) -> None:
    """F5, F7."""
    others = ("too_often", "orders", "archives", "verify", "rebuild")
    assert {name: lines for name, lines in judgement.faults.items() if name not in others} == {}


def test_only_what_was_under_way_at_a_kill_is_asked_for_again(judgement: Judgement) -> None:
    """F5."""
    assert judgement.faults.get("too_often", []) == []


def test_what_was_written_is_found_whole_after_kills(judgement: Judgement) -> None:
    """S3, S4, S10: by `verify`, warcio and fastwarc."""
    assert judgement.faults.get("verify", []) == []
    assert judgement.faults.get("archives", []) == []


def test_views_made_anew_from_the_log_export_the_same_bytes(judgement: Judgement) -> None:
    """S10."""
    assert judgement.faults.get("rebuild", []) == []
