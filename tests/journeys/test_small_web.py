"""A small web with a bit of everything, crawled to its end without delay."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.testweb.judge import Verdict
from tests.acceptance import commands
from tests.acceptance.synthetic_web import SyntheticWeb, serving


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyntheticWeb]:
    scratch = tmp_path_factory.mktemp("small_web")
    with serving(scratch, hosts=12, pages_per_host=6, seed=12, slowest=0.2) as web:
        yield web


@pytest.fixture(scope="module")
def directory(web: SyntheticWeb) -> Path:
    into = web.seeds_file.parent / "crawl"
    ended = commands.run(*web.crawl_arguments(into, delay=0), patience=60)
    assert ended.status == 0, ended.errors
    assert ended.summary["stop_reason"] == "done"
    return into


@pytest.fixture(scope="module")
def verdict(web: SyntheticWeb, directory: Path) -> Verdict:
    return web.judge(commands.rows(commands.export(directory)))


def test_every_url_in_reach_ends_and_no_other_does(verdict: Verdict) -> None:
    """D3, D5, U4."""
    assert verdict.missing == []
    assert verdict.extra == []


def test_every_url_ends_in_the_state_that_its_answer_means(verdict: Verdict) -> None:
    """F6, F7, H3, P5, X1."""
    assert verdict.wrong_state == []


def test_nothing_that_robots_or_directives_forbid_is_requested(verdict: Verdict) -> None:
    """B1, B4, D4."""
    assert verdict.forbidden == []


def test_nothing_is_requested_more_or_less_often_than_it_must(verdict: Verdict) -> None:
    """U4: none is fetched twice in a cycle."""
    assert verdict.too_often == []
    assert verdict.too_seldom == []


def test_a_crawl_that_is_done_asks_for_nothing_when_it_is_resumed(web: SyntheticWeb, directory: Path) -> None:
    """F9."""
    before = len(web.requests())
    ended = commands.run("resume", directory, "--json", patience=60)
    assert ended.status == 0, ended.errors
    assert len(web.requests()) == before


def test_what_was_written_is_found_whole(directory: Path) -> None:
    """S10."""
    ended = commands.run("verify", directory, patience=60)
    assert ended.status == 0, ended.output + ended.errors
