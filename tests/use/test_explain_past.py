"""`explain --at`: what was known of a URL at a time in the past, from the log alone (O5)."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hondius.crawler.store_opening import open_stores
from hondius.model import Blacklisted, Discovered, Failed, Finished, Frame, HostOrder, HostState
from hondius.native import Identity, decode_discoveries
from hondius.opening import open_crawl, place_of
from hondius.operate.cli import main
from hondius.settings import Settings
from hondius.use.explain import Explanation, explain_url
from tests.use.planted_crawl import EPOCH, PlantedCrawl, polite
from tests.use.test_explain import PAGE, done
from tests.use.worlds import WORLDS, new_place

__all__ = ["done"]
A = "http://a.test"


def explain_url_at(directory: Path, text: str, at: float | None) -> Explanation:
    with open_crawl(directory) as crawl:
        return explain_url(crawl, text, at)


def frames_of(directory: Path) -> list[Frame]:
    with open_crawl(directory) as crawl:
        return list(crawl.log.read())


@pytest.fixture(scope="module", params=WORLDS)
def planted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A host whose robots.txt changes, that fails, is paused and slowed, and is blacklisted in the end."""
    with new_place(request.param, tmp_path_factory.mktemp("past")) as name:
        _plant(name)
        yield name


def _plant(name: Path) -> None:
    place = place_of(name)
    crawl = PlantedCrawl(place.directory)
    polite(crawl)
    later = Identity().parse(f"{A}/later")
    crawl.discover(later.href, 6.0)
    crawl.tell(20.0, Failed(later.key, later.href, "a.test", "http_503", "", 1, EPOCH + 20.0, EPOCH + 24.0))
    crawl.tell(20.0, HostState("a.test", EPOCH + 20.0, EPOCH + 40.0, back_off=2.0, consecutive_failures=1))
    crawl.tell(50.0, HostState("a.test", EPOCH + 50.0, 0.0, consecutive_failures=5, circuit_until=EPOCH + 110.0))
    crawl.tell(120.0, HostOrder("a.test", EPOCH + 120.0, paused_until=EPOCH + 500.0, reason="they asked"))
    crawl.tell(600.0, HostOrder("a.test", EPOCH + 600.0, delay=9.0, reason="slowly"))
    crawl.robots(A, 700.0, "User-agent: *\nDisallow: /later\n")
    crawl.tell(800.0, Blacklisted("test", "for good", EPOCH + 800.0))
    crawl.write(place)
    with ExitStack() as stack:
        open_stores(stack, place, Settings())


def _known(frames: list[Frame], key: bytes) -> Iterator[tuple[float, str | None]]:
    """By a plain reading of the log: the state after each frame."""
    state = None
    for frame in frames:
        for event in frame.events:
            if isinstance(event, Discovered) and any(found.key == key for found in decode_discoveries(event.data)):
                state = state or "queued"
            elif isinstance(event, Finished) and event.key == key:
                state = "finished"
        yield frame.at, state


def test_o5_after_every_frame_of_a_real_crawl_the_state_is_the_one_of_then(done: Path) -> None:
    states = list(_known(frames_of(done), Identity().parse(PAGE).key))
    for at, state in states:
        told = explain_url_at(done, PAGE, at)
        assert told.queue is not None
        assert told.queue.state == state
        assert (told.ending is not None) == (state == "finished")
    assert {state for _, state in states} == {None, "queued", "finished"}


def test_o5_at_the_end_past_and_present_tell_the_same(done: Path) -> None:
    now, then = explain_url_at(done, PAGE, None), explain_url_at(done, PAGE, time.time())
    for name in ("summary", "identity", "discovery", "scope", "robots", "host", "ending", "requests", "links", "sent"):
        assert getattr(then, name) == getattr(now, name), name


def test_o5_the_path_to_the_seed_is_told_as_soon_as_a_url_is_known(done: Path) -> None:
    first = next(at for at, state in _known(frames_of(done), Identity().parse(PAGE).key) if state)
    assert [finding.via for finding in explain_url_at(done, PAGE, first).discovery] == ["link", "seed"]
    assert explain_url_at(done, PAGE, first - 60).discovery == []


@pytest.mark.parametrize(
    ("at", "state", "waits"),
    [
        (2.0, None, []),
        (10.0, "queued", []),
        (21.0, "queued", ["its host may not be contacted yet", "it failed and will be retried"]),
        (45.0, "queued", []),
        (60.0, "queued", ["its host failed 5 times in a row, and its circuit is open"]),
        (130.0, "queued", ["its host is paused: they asked"]),
        (650.0, "queued", []),
    ],
)
def test_o5_what_a_url_waited_for_at_a_time(planted: Path, at: float, state: str | None, waits: list[str]) -> None:
    queue = explain_url_at(planted, f"{A}/later", EPOCH + at).queue
    assert queue is not None
    assert (queue.state, queue.waits) == (state, waits)


def test_b2_the_robots_copy_of_then_decides(planted: Path) -> None:
    verdicts = [explain_url_at(planted, f"{A}/later", EPOCH + at).robots for at in (0.5, 10.0, 750.0)]
    assert [verdict.allowed if verdict else ... for verdict in verdicts] == [None, True, False]
    assert verdicts[2] is not None
    assert (verdicts[2].line, verdicts[2].rule) == (2, "Disallow: /later")


def test_p1_orders_and_blacklist_are_those_of_then(planted: Path) -> None:
    slowed, banned = (
        explain_url_at(planted, f"{A}/later", EPOCH + 650),
        explain_url_at(planted, f"{A}/later", EPOCH + 900),
    )
    assert slowed.host is not None
    assert (slowed.host.paused_until, slowed.host.ordered_delay, slowed.host.delay) == (None, 9.0, 9.0)
    assert slowed.scope is not None
    assert slowed.scope.blacklisted is None
    assert banned.scope is not None
    assert banned.scope.blacklisted == "test"


def test_o5_the_command_takes_a_time_in_many_forms(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at in ("2027-01-15T08:00:10Z", "2027-01-15 09:00:10+01:00"):
        assert main.run(["explain", str(planted), f"{A}/later", "--at", at]) == 0
        assert "as of 2027-01-15 08:00:10Z: it is queued" in capsys.readouterr().out
    assert main.run(["explain", str(planted), f"{A}/later", "--at", "2027-01-15T08:02:10Z", "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["at"] == EPOCH + 130
    assert told["host"]["order_reason"] == "they asked"
    assert main.run(["explain", str(planted), f"{A}/later", "--at", "-2h"]) == 0
    assert main.run(["explain", str(planted), f"{A}/later", "--at", "-30min"]) == 0
    assert main.run(["explain", str(planted), f"{A}/later", "--at", "yesterday"]) == 2
    assert "write it like" in capsys.readouterr().err


def test_o5_a_time_before_the_crawl_or_still_to_come_is_told_so(
    planted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["explain", str(planted), f"{A}/later", "--at", "1999-12-31T23:59Z"]) == 0
    assert "nothing had been committed by then: the crawl started later" in capsys.readouterr().out
    assert main.run(["explain", str(planted), f"{A}/later", "--at", "2999-01-01"]) == 0
    told = capsys.readouterr().out
    assert "as of" not in told
    assert "in the future: this is what is known now" in told


def test_o5_in_and_out_links_are_told_as_far_as_the_log_knows(done: Path) -> None:
    links = explain_url_at(done, PAGE, None).links
    assert links is not None
    assert links.found_on == "http://a.test/"
    assert sorted(links.examples) == ["http://a.test/copy", "http://a.test/far"]
    seed = explain_url_at(done, "http://a.test/", None).links
    assert seed is not None
    assert seed.found_on is None
    assert "http://a.test/t/t/t/t/t" in seed.examples, "what was refused was found, too"
