"""`hondius bench` (O1, E2): a real crawl of the pages that it serves to itself."""

import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

import pytest

from hondius.operate.cli.main import run
from hondius.stores.disk.lock import DirectoryLock
from hondius.use.bench import Figures, measure
from hondius.use.bench.site import FEWEST_LINKS, MOST_LINKS, PAGES_PER_HOST, generate_pages
from hondius.use.bench.threads import COMMIT, ENGINE, LOOP
from tests.acceptance.commands import HONDIUS

HOSTS = 3


@pytest.fixture(scope="module")
def figures() -> Figures:
    return measure(HOSTS, concurrency=4, watch_loop=True)


def test_every_page_is_crawled_over_kept_connections(figures: Figures) -> None:
    assert figures.pages == HOSTS * PAGES_PER_HOST
    assert figures.connections <= 2 * HOSTS
    assert figures.wire_bytes > figures.pages * 4_000
    assert figures.server_cpu_seconds > 0


def test_the_stages_add_up_to_the_whole(figures: Figures) -> None:
    assert 0.9 < figures.accounted < 1.1
    assert {thread for thread, _, _ in figures.stages} >= {ENGINE, LOOP, COMMIT}
    steps = {step: seconds for _, step, seconds in figures.stages}
    assert all(steps[step] > 0 for step in ("page read: links, text, SimHash", "WARC records", "catalog"))


def test_the_longest_callback_of_the_event_loop_is_told(figures: Figures) -> None:
    assert figures.loop is not None
    assert 0 < figures.loop.longest_callback < figures.threads[LOOP]
    assert figures.loop.callback
    assert figures.loop.beats > 0


@pytest.mark.parametrize(
    ("cpu", "server", "loop", "machine", "expected"),
    [
        (15.0, 4.0, 5.0, 19.5, "the processor: 2 cores were busy 95% of the time, 21% of it with serving"),
        (9.5, 2.0, 9.0, 12.0, "the event loop, one thread that was busy 90% of the time"),
        (4.0, 2.0, 2.0, 7.0, "answers and the disk: 2 cores were busy 30% of the time"),
        (8.0, 2.0, 5.0, 20.0, "other programs, which kept 1.0 of 2 cores busy: measure again when they do not"),
    ],
)
def test_it_names_what_the_time_waits_for(
    cpu: float, server: float, loop: float, machine: float, expected: str
) -> None:
    figures = Figures(100, 5, 10.0, cpu, machine, server, 0, 0, 0, cores=2, threads={LOOP: loop}, stages=[])
    assert figures.waits_for == expected


def test_what_a_killed_run_left_is_removed_by_the_next_and_what_a_running_one_has_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, used = tmp_path / "hondius-bench-left", tmp_path / "hondius-bench-used"
    left.mkdir()
    used.mkdir()
    with DirectoryLock(used):
        measure(1, concurrency=1)
    assert list(tmp_path.iterdir()) == [used]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_end_leaves_nothing_and_shows_no_traceback(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "hondius", "bench", "--hosts", "200"]
    surroundings = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=surroundings) as process:
        assert process.stderr is not None
        assert "preparing" in process.stderr.readline()
        while not list(tmp_path.glob("hondius-bench-*")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        said = process.stderr.read()
        assert process.wait(timeout=20) == 130
    assert len(said.splitlines()) <= 1
    assert list(tmp_path.iterdir()) == []


def test_pages_are_of_many_sizes_have_many_links_and_differ() -> None:
    bodies = []
    for _, _, parts, is_gzipped in generate_pages(2):
        body = b"".join(parts)
        bodies.append(zlib.decompress(body, 16 + zlib.MAX_WBITS) if is_gzipped else body)
    assert len(set(bodies)) == len(bodies) == 2 * PAGES_PER_HOST
    assert all(FEWEST_LINKS <= body.count(b" href=") - 1 <= MOST_LINKS for body in bodies)
    assert len(Counter(round(len(body), -4) for body in bodies)) >= 3


def test_the_command_prints_figures_that_a_program_can_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--hosts", "1", "--concurrency", "2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["pages"] == PAGES_PER_HOST
    assert shown["cpu_ms_per_page"] == pytest.approx(
        sum(stage["microseconds"] for stage in shown["stages"]) / 1_000, rel=0.1
    )


@pytest.mark.parametrize(
    ("hosts", "concurrency", "said"),
    [
        ("500", "8", "too few for 500 hosts: raise that with `ulimit -n 1040`, or choose --hosts 45"),
        ("5", "500", "too few for 500 requests at once: raise that with `ulimit -n 564`, or choose --concurrency 66"),
    ],
)
def test_o1c_too_few_open_files_are_told_before_anything_fails(hosts: str, concurrency: str, said: str) -> None:
    command = [*HONDIUS, "bench", "--hosts", hosts, "--concurrency", concurrency]
    ended = subprocess.run(["sh", "-c", 'ulimit -n 130; exec "$@"', "sh", *command], capture_output=True, check=False)
    assert ended.returncode == 2
    assert said in ended.stderr.decode().splitlines()[-1]


def test_o1c_the_soft_limit_of_open_files_is_raised() -> None:
    command = [*HONDIUS, "bench", "--hosts", "20", "--concurrency", "8", "--json"]
    ended = subprocess.run(["sh", "-c", 'ulimit -Sn 40; exec "$@"', "sh", *command], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert json.loads(ended.stdout)["pages"] == 20 * PAGES_PER_HOST
