"""The figures of `latency` can be missed."""

import os

from tests.acceptance.commands import Ended
from tests.acceptance.worlds.latency import RAMP, Crawled, judged, rate_of


def test_f8_the_rate_is_that_of_pages_between_ramp_and_end() -> None:
    pages = [(number / 100 - 0.5, number / 100) for number in range(6_000)]
    robots = [(number / 100, number / 100 + 0.001) for number in range(6_000)]
    assert 95 < rate_of(pages + robots, 0.5) < 105
    assert rate_of(pages[: int(RAMP) * 50], 0.5) == 0.0
    assert rate_of(robots, 0.5) == 0.0


def test_f8_a_slow_crawl_is_met_where_it_keeps_all_cores_busy_itself() -> None:
    cores = os.cpu_count() or 1
    idle = Ended(0, "", "", seconds=10.0, cpu_seconds=5.0, peak_bytes=10**8)
    busy = Ended(0, "", "", seconds=10.0, cpu_seconds=10.0 * cores, peak_bytes=10**8)
    assert [figure.met for figure in judged(2.0, Crawled(950, idle, 1.0, busy=0.1))] == [True, True]
    assert [figure.met for figure in judged(2.0, Crawled(850, idle, 1.0, busy=0.1))] == [False, True]
    assert [figure.met for figure in judged(2.0, Crawled(850, busy, 1.0, busy=cores))] == [True, True]
    by_others = Crawled(850, idle, 1.0, busy=1.0 + cores)
    assert [figure.met for figure in judged(2.0, by_others)] == [False, True]
