"""The benchmark of growth measures what it says: the right shape, no CPU of its own, bars that can be missed."""

import time
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.growth import report
from benchmarks.growth.__main__ import milestones
from benchmarks.growth.bars import Row, verdicts
from benchmarks.growth.meter import Meter
from benchmarks.growth.web import Web, key

HOSTS = 1_000


def test_every_host_is_there_from_the_start_and_no_url_comes_twice() -> None:
    web = Web(HOSTS)
    hrefs = [web.href(number) for number in range(20 * HOSTS)]
    assert len(set(hrefs)) == len({key(number) for number in range(20 * HOSTS)}) == len(hrefs)
    assert len({href.split("/")[2] for href in hrefs[:HOSTS]}) == HOSTS


def test_f3_hosts_follow_a_power_law() -> None:
    web = Web(1_000_000)
    sizes = Counter(web.href(number).split("/")[2] for number in range(1_000_000, 1_100_000))
    largest = [count for _, count in sizes.most_common(len(sizes) // 10)]
    assert sum(largest) > 0.2 * 100_000
    assert largest[0] < 0.001 * 100_000


def test_what_the_benchmark_itself_needs_is_not_charged() -> None:
    meter = Meter()
    with meter.uncharged():
        busy(0.1)
    uncharged = meter.stop().cpu
    meter = Meter()
    busy(0.1)
    assert meter.stop().cpu >= 0.09 > uncharged


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def row(millions: int, add: float) -> Row:
    start = {"seconds": 2.0}
    return {
        "urls": millions * 1_000_000,
        "origins": 1_000_000,
        "add": add,
        "take": 10.0,
        "known_recent": 1.0,
        "known_old": 5.0,
        "page": 300.0,
        "peak_resident": 2**29,
        "start": start,
        "start_after_kill": start,
        "bloom_bits": 120_000_000,
        "bloom_rate": 0.001,
        "disk_bytes": 2**30,
    }


def test_f3_beyond_50_million_memory_and_the_growth_of_a_take_count() -> None:
    large = {**row(200, 30.0), "take": 15.0, "peak_resident": 4 * 2**30}
    assert all(verdict.holds for verdict in verdicts([row(50, 6.0), large]))
    slow, big = {**large, "take": 15.1}, {**large, "peak_resident": 4 * 2**30 + 1}
    missed = [[it.what for it in verdicts([row(50, 6.0), one]) if not it.holds] for one in (slow, big)]
    assert missed == [["take at 200 million / at 50 million"], ["peak resident"]]


@pytest.mark.parametrize(
    ("most", "hosts", "expected"),
    [
        (50, 1_000_000, [1, 5, 20, 50]),
        (2, 1_000_000, [1, 2]),
        (200, 4_000_000, [5, 20, 50, 100, 200]),
        (4, 4_000_000, [4]),
    ],
)
def test_f3_each_milestone_has_a_url_of_every_host(most: int, hosts: int, expected: list[int]) -> None:
    assert milestones(most, hosts) == expected


def test_f3_a_cost_that_doubles_between_5_and_50_million_is_missed() -> None:
    assert all(verdict.holds for verdict in verdicts([row(5, 3.0), row(50, 6.0)]))
    missed = [verdict.what for verdict in verdicts([row(5, 3.0), row(50, 6.1)]) if not verdict.holds]
    assert missed == ["add at 50 million / at 5 million"]


def test_results_of_others_stay_when_ours_are_recorded_again(tmp_path: Path) -> None:
    results = tmp_path / "RESULTS.md"
    results.write_text("# Results\n\n## Theirs\n\n1\n")
    report.record([row(5, 3.0)], "", results)
    results.write_text(results.read_text() + "\n## Others\n\n2\n")
    report.record([row(5, 4.5)], "on a quiet machine", results)
    text = results.read_text()
    assert "## Theirs\n\n1\n" in text
    assert text.endswith("\n## Others\n\n2\n")
    assert text.count("## The frontier at 5 million") == 1
    assert "| 4.5 |" in text
    assert "on a quiet machine" in text
