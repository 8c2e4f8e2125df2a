"""A few of the histories of `make accept ONLY=worlds PART=host`, and whether they would tell two hosts apart."""

import pytest

from hondius.crawler.politeness import host
from hondius.crawler.politeness.host import Host
from tests.acceptance.worlds.host_histories import Difference, History
from tests.acceptance.worlds.old_host import has_old_host, old_host

needs_history = pytest.mark.skipif(not has_old_host(), reason="a copy without the project's history")


def live_histories() -> None:
    for seed in range(300):
        History(old_host(), seed).run()


@needs_history
def test_p1_p2_p4_the_host_gives_the_same_times_as_the_one_before_it() -> None:
    live_histories()


@needs_history
@pytest.mark.parametrize(
    "step", ["shrink_back_off", "set_crawl_delay", "_close_circuit", "restore", "mark_saved", "prefer"]
)
def test_q3_a_host_that_leaves_out_a_step_is_told_apart(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Host, step, lambda *_: None)
    with pytest.raises(Difference):
        live_histories()


@needs_history
@pytest.mark.parametrize(("name", "value"), [("RECOVERY", 0.7), ("SLOW", 2.0), ("PUSHED_BACK", {429})])
def test_q3_a_host_with_another_constant_is_told_apart(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, name, value)
    with pytest.raises(Difference):
        live_histories()
