"""Rounds are stored, so that `make crash` can be stopped and resumed."""

from pathlib import Path

from tests.acceptance.crash.dealing import sum_of
from tests.acceptance.crash.state import FILE, Round, State


def played(state: State, number: int, **more: object) -> Round:
    return Round(build=state.build, seed=1, plan="p", number=number, kills={"any": 3, "commit": 2}, **more)  # type: ignore[arg-type]


def test_rounds_are_found_again_and_counted(tmp_path: Path) -> None:
    first = State(tmp_path, seed=1, fresh=False)
    first.keep(played(first, 1))
    first.keep(played(first, 2))
    again = State(tmp_path, seed=1, fresh=False)
    assert (again.dealt, again.next_number("p"), again.next_number("q")) == (10, 3, 1)


def test_a_line_that_was_cut_short_is_a_round_that_was_not_kept(tmp_path: Path) -> None:
    state = State(tmp_path, seed=1, fresh=False)
    state.keep(played(state, 1))
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"build": "x", "se')
    assert State(tmp_path, seed=1, fresh=False).dealt == 5


def test_rounds_of_another_build_are_told_and_not_counted(tmp_path: Path) -> None:
    state = State(tmp_path, seed=1, fresh=False)
    state.build = "another"
    state.keep(played(state, 1))
    again = State(tmp_path, seed=1, fresh=False)
    assert (again.dealt, again.others) == (0, 1)


def test_a_fresh_start_forgets(tmp_path: Path) -> None:
    state = State(tmp_path, seed=1, fresh=False)
    state.keep(played(state, 1))
    assert State(tmp_path, seed=1, fresh=True).dealt == 0


def test_the_sum_names_what_failed_and_what_was_skipped(tmp_path: Path) -> None:
    state = State(tmp_path, seed=1, fresh=False)
    rounds = [played(state, 1, faults={"verify": ["it is not"]}), played(state, 2, skipped="no root")]
    lines = list(sum_of(rounds))
    assert "kills by moment: 6 any, 4 commit" in lines
    assert any("1 SKIPPED" in line for line in lines)
    assert lines[-1] == "10 kills in 2 rounds: 1 rounds failed"
