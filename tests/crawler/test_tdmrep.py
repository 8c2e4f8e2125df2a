"""W1: tdmrep.json is requested once a day, after robots.txt and by its rules; a failure reserves nothing."""

import pytest

from hondius.crawler.politeness import Need, NotYet, RobotsCache
from hondius.crawler.politeness.tdmrep import MOST_BYTES, TDMREP_PATH
from hondius.model import RobotsCopy
from tests.crawler.test_gate import HTTP, NOW, SLOWLY, Surroundings

DAY = 86_400.0
ROBOTS, TDMREP = f"{HTTP}/robots.txt", f"{HTTP}{TDMREP_PATH}"
FILE = '[{"location": "/a/", "tdm-reservation": 1}]'
OPEN = "User-agent: *\nContent-Signal: search=yes\n"


def make_surroundings(tdmrep: str = FILE, robots: str = OPEN, *copies: RobotsCopy) -> Surroundings:
    answers = {ROBOTS: (robots, 3_600), TDMREP: (tdmrep, 3_600)}
    return Surroundings({href: found for href, found in answers.items() if found[0]}, copies, wants_tdmrep=True)


async def prepare(around: Surroundings) -> None:
    """As the crawl does: it comes back when the host has a turn."""
    address = around.host.addresses[0]
    while True:
        try:
            await around.gate.find_rules(around.host, HTTP, address)
        except NotYet as wait:
            around.clock.time = wait.when
        else:
            return


def find_usage(around: Surroundings, path: str) -> str | None:
    rules = around.robots.read_rules(HTTP)
    verdict = rules.judge(path) if rules is not None else None
    return verdict.usage if verdict is not None else None


async def test_w1_it_is_requested_after_robots_txt_at_the_next_turn_and_before_any_page() -> None:
    around = make_surroundings()
    with pytest.raises(NotYet) as wait:
        await around.gate.find_rules(around.host, HTTP, around.host.addresses[0])
    assert around.asked_for == [ROBOTS]
    assert around.host.find_need(around.robots.read_rules(HTTP), wait.value.when) is Need.ROBOTS
    await prepare(around)
    assert around.asked_for == [ROBOTS, TDMREP]
    assert around.asked_at == [NOW, NOW + 1.0]
    assert around.host.find_need(around.robots.read_rules(HTTP), around.clock.now() + 1.0) is Need.NOTHING
    signal = "robots content-signal search=yes"
    assert find_usage(around, "/a/b") == f"{signal}\ntdmrep tdm-reservation 1"
    assert find_usage(around, "/b") == signal
    first, second = (copy for copy, _ in around.recorded)
    assert (first.tdmrep_at, first.usage) == (None, "Content-Signal: search=yes")
    assert (second.at, second.body, second.expires_at) == (first.at, first.body, first.expires_at)
    assert (second.tdmrep, second.tdmrep_at, second.tdmrep_status) == (FILE.encode(), NOW + 1.0, 200)
    assert second.usage == "Content-Signal: search=yes\ntdmrep.json: /a/ tdm-reservation 1"


async def test_w1_b1_it_is_not_requested_if_robots_txt_forbids_it() -> None:
    around = make_surroundings(robots="User-agent: *\nDisallow: /.well-known/\n")
    await prepare(around)
    assert around.asked_for == [ROBOTS]
    copy, _ = around.recorded[-1]
    assert (copy.tdmrep_cause, copy.tdmrep_status, copy.tdmrep_at) == ("robots", None, NOW + 1.0)
    assert find_usage(around, "/a/b") is None


async def test_w1_without_an_answer_nothing_is_reserved_and_the_pages_are_requested() -> None:
    around = make_surroundings(tdmrep="")
    await prepare(around)
    copy, _ = around.recorded[-1]
    assert (copy.tdmrep, copy.tdmrep_cause) == (b"", "connection_reset")
    assert find_usage(around, "/a/b") == "robots content-signal search=yes"
    assert around.host.find_need(around.robots.read_rules(HTTP), around.host.free_at()) is Need.NOTHING


async def test_w1_a_file_that_is_too_long_is_not_kept() -> None:
    around = make_surroundings(tdmrep=FILE + " " * MOST_BYTES)
    await prepare(around)
    copy, _ = around.recorded[-1]
    assert (copy.tdmrep, copy.tdmrep_cause, copy.tdmrep_status) == (b"", "too_long", 200)


async def test_p1_w1_its_answer_is_no_robots_txt_and_leaves_the_crawl_delay_alone() -> None:
    around = make_surroundings(robots=SLOWLY)
    await prepare(around)
    assert around.asked_at == [NOW, NOW + 60.0]
    assert around.host.free_at() == NOW + 120.0


async def test_w1_f5_a_recorded_copy_is_not_requested_again_for_a_day() -> None:
    """A killed run has only what it recorded."""
    before = make_surroundings()
    await prepare(before)
    around = make_surroundings(FILE, OPEN, before.recorded[-1][0])
    around.clock.time = NOW + 3_000.0
    await prepare(around)
    assert around.asked_for == []
    assert find_usage(around, "/a/b") == find_usage(before, "/a/b")
    around.clock.time = NOW + DAY - 10.0
    await prepare(around)
    assert around.asked_for == [ROBOTS]
    around.clock.time = NOW + DAY + 10.0
    await prepare(around)
    assert around.asked_for == [ROBOTS, TDMREP]


async def test_w1_a_file_stays_in_force_while_it_cannot_be_fetched() -> None:
    before = make_surroundings()
    await prepare(before)
    around = make_surroundings("", OPEN, before.recorded[-1][0])
    around.clock.time = NOW + DAY + 10.0
    await prepare(around)
    assert around.asked_for == [ROBOTS, TDMREP]
    assert around.recorded[-1][0].tdmrep_cause == "connection_reset"
    assert find_usage(around, "/a/b") == find_usage(before, "/a/b")


def test_w1_off_by_default_nothing_is_wanted() -> None:
    copy = RobotsCopy(HTTP, NOW, "none", 404, NOW + DAY)
    rules = RobotsCache({HTTP: copy}.get, "Hondius").read_rules(HTTP)
    assert rules is not None
    assert rules.ready_until == NOW + DAY
