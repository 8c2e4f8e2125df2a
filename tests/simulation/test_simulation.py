"""Virtual time (Q3): what must hold holds, and what must be found is found. `make simulate` does the same at length."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hondius.native import read_attempts
from tests.simulation.cancels import cancels_anywhere
from tests.simulation.engine import attempt_record
from tests.simulation.faults import FAULTS
from tests.simulation.judges.verdict import verdict
from tests.simulation.plants import MACHINE, PLANTS
from tests.simulation.seed import run_cluster, run_machine
from tests.simulation.simulation import Simulation

FEW_EVENTS = 5_000
ENOUGH_SEEDS = 200
FAULTY_SEEDS = 4
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", range(4))
def test_f5_f7_p1_a_crawl_of_many_lives_loses_nothing_and_disturbs_nobody(seed: int) -> None:
    result = run_machine(seed, FEW_EVENTS)
    assert result.findings == []
    assert result.counts["lives"] > 1


def test_f9_b2_a_slow_host_whose_robots_is_kept_briefly_gets_its_pages(tmp_path: Path) -> None:
    """Each life could ask for robots.txt again, wait for the Crawl-delay, and be over for that."""
    simulation = Simulation(5, tmp_path, FEW_EVENTS)
    host = simulation.web.hosts[0]
    host.robots, host.crawl_delay = "short_lived", 60.0
    simulation.run()
    assert list(verdict(simulation, tmp_path)) == []
    requests = [request for request in simulation.wire.requests if request.host == host.name]
    assert sum(request.kind == "page" for request in requests) > 5


def test_s5_o1_an_order_that_finds_no_room_is_not_kept_and_nobody_expects_it(tmp_path: Path) -> None:
    """Also between two lives of the crawl, of which the first left the disk full."""
    simulation = Simulation(1, tmp_path, FEW_EVENTS)
    disk = simulation.machine.disk
    disk.room = 0
    simulation.operator.want(disk, 60, 1.0)
    for _ in range(20):
        simulation.operator.interfere(disk, 1.0)
    assert disk.list("control") == []
    assert simulation.operator.kept == []
    assert simulation.operator.blacklisted == set()


@pytest.mark.parametrize("seed", range(4))
def test_c2_partitions_move_and_nothing_is_lost_or_done_twice(seed: int) -> None:
    result = run_cluster(seed)
    assert result.findings == []
    assert result.counts["moves"] > 0


@pytest.mark.parametrize("name", PLANTS)
def test_q3_a_planted_bug_is_found(name: str) -> None:
    plant, world = PLANTS[name]
    for seed in range(ENOUGH_SEEDS):
        with plant():
            result = run_machine(seed) if world == MACHINE else run_cluster(seed)
        if result.findings:
            assert "'internal'" not in result.findings[0], f"the plant itself fails: {result.findings[0]}"
            return
    pytest.fail(f"{name} was not found in {ENOUGH_SEEDS} seeds")


@pytest.mark.parametrize("name", FAULTS)
def test_f7_an_exception_at_any_step_or_a_cancel_at_any_await_loses_nothing_else(name: str) -> None:
    raised = 0
    for seed in range(FAULTY_SEEDS):
        with FAULTS[name](seed) as fault:
            result = run_machine(seed, FEW_EVENTS)
        assert result.findings == []
        raised += fault.raised
    assert raised > FAULTY_SEEDS


def test_f4_a_cancel_meets_every_await_of_journeys_and_preparations() -> None:
    called_off: set[str] = set()
    for seed in range(FAULTY_SEEDS):
        with cancels_anywhere(seed) as cancels:
            run_machine(seed, FEW_EVENTS)
        called_off |= {function for function, _ in cancels.places}
    assert called_off >= AWAITS


AWAITS = {
    "Fetcher.fetch",
    "Fetcher.resolve",
    "Outcomes.admit_in_pieces",
    "RobotsCache.load",
    "ProcessClock.sleep_until",
}


def test_q3_the_same_seed_is_the_same_run_in_any_process() -> None:
    """Neither the order of sets nor the time of day may matter."""
    source = (
        "from tests.simulation.seed import run_machine, run_cluster; "
        f"print(run_machine(7, {FEW_EVENTS}).trace, run_cluster(7).trace)"
    )
    traces = {
        subprocess.run(
            [sys.executable, "-c", source],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": number, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for number in ("1", "2")
    }
    assert len(traces) == 1


def test_p7_simulated_attempts_are_records_like_the_engine_writes_them() -> None:
    record = attempt_record(
        ended=True, at=5.5, key=b"k" * 16, host="a.test", address="192.0.2.1:80", kind="sitemap", status=404
    )
    (attempt,), length = read_attempts(record)
    assert length == len(record)
    assert (attempt.ended, attempt.at, attempt.address) == (True, 5.5, "192.0.2.1:80")
    assert (attempt.kind, attempt.status, attempt.key) == ("sitemap", 404, b"k" * 16)
