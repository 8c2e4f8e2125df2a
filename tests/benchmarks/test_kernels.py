"""The guard of the kernels can fail, and says why where it does not judge."""

import dataclasses
import sys
import tomllib
from pathlib import Path

import pytest
from benchmarks.kernels import __main__ as command
from benchmarks.kernels import build, callgrind
from benchmarks.kernels.baseline import Baseline, Tools
from benchmarks.kernels.catalogue import KERNELS, Kernel, Programs, the_page

TOOLS = Tools("rustc 1.91.0", "valgrind-3.19.0", "Python 3.11.7", "x86_64")
COMMITTED = Baseline(TOOLS, {"analyse": 1_000_000.0, "key": 2_000.0})
LOOP = """
turns=$((100 * ($1 + $1 * ${3:-0} / 100)))
while [ $turns -gt 0 ]; do turns=$((turns - 1)); done
echo $1
"""


class Loops(Programs):
    """A kernel that needs nothing built, and starts at once."""

    def command(self, kernel: Kernel, laps: int, *options: str) -> list[str]:
        return ["sh", "-c", LOOP, "sh", str(laps), *options]


def test_a_kernel_that_needs_15_percent_more_is_named_and_one_that_needs_9_is_not() -> None:
    assert COMMITTED.exceeded({"analyse": 1_090_000.0, "key": 2_300.0}) == [
        "key needs 15.0% more instructions: 2,300 instead of 2,000"
    ]


def test_the_guard_fails_where_a_kernel_needs_more_and_says_how_to_commit_to_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.judge_counts(COMMITTED, {"analyse": 1_150_000.0, "key": 2_000.0}) == 1
    told = capsys.readouterr().out
    assert "analyse needs 15.0% more" in told
    assert "make kernels RECORD=1" in told
    assert command.judge_counts(COMMITTED, {"analyse": 1_050_000.0, "key": 2_000.0}) == 0


def test_a_kernel_that_got_cheaper_is_let_pass() -> None:
    assert COMMITTED.exceeded({"analyse": 500_000.0, "key": 2_000.0}) == []


def test_a_kernel_without_a_committed_count_is_named() -> None:
    assert COMMITTED.exceeded({"url_store": 1.0}) == ["url_store has no committed count"]


def test_counts_of_another_compiler_are_not_judged_and_the_reason_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    other = dataclasses.replace(Tools.here(), rustc="rustc 1.2.3")
    assert command.guard_counts(KERNELS, Baseline(other, {})) == 0
    assert "NOT JUDGED" in (told := capsys.readouterr().out)
    assert "instead of rustc 1.2.3" in told


def test_without_valgrind_nothing_fails_and_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["kernels", "--guard"])
    assert command.main() == 0
    assert "NOT COUNTED, there is no valgrind" in capsys.readouterr().out


@pytest.mark.skipif(not callgrind.is_there(), reason="valgrind, which counts instructions, is not installed")
def test_work_that_is_done_twice_is_counted_twice_and_found() -> None:
    loop, programs = Kernel("loop", "", 20), Loops(None, Path())
    count = callgrind.instructions(programs, loop)
    assert callgrind.instructions(programs, loop, "--repeat", "15") == pytest.approx(1.15 * count, rel=0.01)
    assert command.blind_spots(programs, (loop,), {"loop": count}, 15) == []
    assert command.blind_spots(programs, (loop,), {"loop": count}, 5) == ["loop does 5 % more and it is not seen"]


def test_work_that_the_processor_does_in_hardware_is_charged_as_such_and_no_call_twice() -> None:
    profile = "events: Ir\nsummary: 3100\nfn=read\n0 100\ncfn=sha2::sha256::soft::compress\ncalls=1 0 \n0 3000\n\n"
    assert callgrind.read_count(profile + "fn=sha2::sha256::soft::compress\n0 3000\n") == pytest.approx(100 + 120)


def test_every_kernel_has_a_committed_count_and_no_other_has() -> None:
    assert list(Baseline.read().instructions) == [kernel.name for kernel in KERNELS]


def test_what_is_recorded_is_read_again(tmp_path: Path) -> None:
    COMMITTED.write(tmp_path / "instructions.json")
    assert Baseline.read(tmp_path / "instructions.json") == COMMITTED


def test_the_program_is_built_of_what_the_module_is_built_of() -> None:
    module = tomllib.loads((build.NATIVE / "Cargo.toml").read_text())
    program = build.manifest(module)
    assert program["dependencies"] == module["dependencies"]
    assert program["profile"]["release"] == module["profile"]["release"]
    assert all(Path(target["path"]).is_file() for target in (program["lib"], *program["bin"]))


def test_the_page_that_is_read_has_50_kb() -> None:
    assert 49_000 < len(the_page()) < 51_000
