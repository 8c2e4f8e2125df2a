"""The judge of killed crawls accepts only repeated requests that a kill explains (F5)."""

import msgspec

from hondius.testweb.access_log import Access
from hondius.testweb.manifest import Manifest, ResourceRow, RobotsRow
from tests.acceptance.crash.after_kills import asked_again, too_early
from tests.acceptance.crash.kills import Kill

KILLS = [Kill(at=100.0, moment="any")]
MANIFEST = Manifest(
    format=1,
    seed=1,
    hosts=1,
    pages_per_host=1,
    seeds=["http://h1.test/"],
    resources=[ResourceRow("http://h1.test/", "page", "page", "completed", "", 1, 1, None, None)],
    robots=[RobotsRow("http://h1.test", "http://h1.test/robots.txt", "robots")],
    forbidden=[],
)


def asked(started: float, *, ended: float | None = None, resource: str = "page", host: str = "h1.test") -> Access:
    time = started + 0.002 if ended is None else ended
    agent = f"Hondius/0 run-{int(started > KILLS[0].at)}"
    return Access(time, started, "127.1.0.1", host, f"http://{host}/{resource}", agent, 200, resource)


def test_what_was_answered_just_before_a_kill_may_be_asked_for_again() -> None:
    again = asked_again(MANIFEST, [asked(99.2), asked(101.0)], KILLS)
    assert (again.count, again.unexplained) == (1, [])
    assert 0.79 < again.oldest < 0.81


def test_what_was_under_way_at_a_kill_may_be_asked_for_again() -> None:
    assert asked_again(MANIFEST, [asked(90.0, ended=100.4), asked(101.0)], KILLS).unexplained == []


def test_what_was_answered_long_before_a_kill_may_not_be_asked_for_again() -> None:
    again = asked_again(MANIFEST, [asked(98.9), asked(101.0)], KILLS)
    assert again.unexplained == ["page: 1 too many, answered 1.10 s before a kill"]


def test_one_kill_explains_one_request_and_not_two() -> None:
    assert len(asked_again(MANIFEST, [asked(99.9), asked(101.0), asked(102.0)], KILLS).unexplained) == 1


def test_all_tries_that_one_kill_lost_may_be_repeated() -> None:
    twice = [asked(at, resource="robots") for at in (99.5, 99.7, 101.0, 102.0)]
    assert asked_again(MANIFEST, twice, KILLS).unexplained == []


def test_a_request_is_not_explained_by_a_kill_that_came_after_the_next_one() -> None:
    assert len(asked_again(MANIFEST, [asked(90.0), asked(99.9)], KILLS).unexplained) == 1


def test_a_url_that_redirects_to_itself_is_lost_as_a_whole() -> None:
    redirect = msgspec.structs.replace(asked(90.0), status=302)
    assert asked_again(MANIFEST, [redirect, asked(101.0)], KILLS).unexplained == []
    assert len(asked_again(MANIFEST, [redirect, asked(91.0), asked(101.0)], KILLS).unexplained) == 1


def test_robots_are_held_to_the_same() -> None:
    thrice = [asked(at, resource="robots") for at in (1.0, 2.0, 3.0)]
    assert len(asked_again(MANIFEST, thrice, KILLS).unexplained) == 1


def test_a_host_contacted_before_its_delay_is_found_across_a_kill() -> None:
    shortest, early = too_early([asked(99.5, ended=99.6), asked(100.5)], KILLS)
    assert 0.89 < shortest < 0.91
    assert len(early) == 1


def test_the_delay_counts_from_the_end_of_the_answer() -> None:
    assert len(too_early([asked(50.0, ended=52.0), asked(52.5)], KILLS)[1]) == 1


def test_a_request_cut_off_by_a_kill_counts_from_its_start() -> None:
    assert too_early([asked(99.9, ended=100.5), asked(100.95)], KILLS)[1] == []


def test_hosts_do_not_wait_for_each_other() -> None:
    assert too_early([asked(50.0), asked(50.1, host="h2.test")], KILLS)[1] == []


def test_an_order_to_fetch_again_explains_one_request() -> None:
    twice = [asked(50.0), asked(60.0)]
    assert len(asked_again(MANIFEST, twice, KILLS).unexplained) == 1
    assert asked_again(MANIFEST, twice, KILLS, ordered={"page": 1}).unexplained == []


def test_a_run_that_ended_in_order_explains_nothing() -> None:
    assert len(asked_again(MANIFEST, [asked(99.9), asked(101.0)], [None]).unexplained) == 1


def test_a_run_that_ended_in_order_may_stop_between_the_two_requests_of_a_journey() -> None:
    redirect = msgspec.structs.replace(asked(90.0), status=302)
    assert asked_again(MANIFEST, [redirect, asked(101.0)], [None]).unexplained == []


def test_stores_opened_again_may_forget_the_second_request_of_a_journey_and_nothing_else() -> None:
    redirect = msgspec.structs.replace(asked(90.0), status=302)
    assert asked_again(MANIFEST, [redirect, asked(91.0)], [None], reopened={0}).unexplained == []
    assert len(asked_again(MANIFEST, [asked(90.0), asked(91.0)], [None], reopened={0}).unexplained) == 1


def test_what_was_answered_since_the_disk_was_full_may_be_lost_with_the_process() -> None:
    full = [Kill(at=100.0, moment="full disk", full_since=95.0)]
    assert asked_again(MANIFEST, [asked(94.5), asked(101.0)], full).unexplained == []
    assert len(asked_again(MANIFEST, [asked(93.5), asked(101.0)], full).unexplained) == 1


def test_a_robots_txt_that_has_moved_is_not_had_before_it_is_answered_there() -> None:
    moved = [msgspec.structs.replace(asked(at, resource="robots"), status=301) for at in (90.0, 98.0, 101.0)]
    there = [asked(at, resource="moved") for at in (92.0, 102.0)]
    files = [
        RobotsRow("http://h1.test", "http://h1.test/robots", "robots", max_requests=1),
        RobotsRow("http://h1.test", "http://h1.test/moved", "moved", max_requests=2),
    ]
    manifest = msgspec.structs.replace(MANIFEST, robots=files)
    assert asked_again(manifest, [*moved[1:], there[1]], KILLS).unexplained == []
    assert len(asked_again(manifest, [moved[0], moved[2], *there], KILLS).unexplained) == 1


def test_nobody_is_blamed_for_a_machine_that_stood_still() -> None:
    stalled = [Kill(at=100.0, moment="any", stall=0.5)]
    assert asked_again(MANIFEST, [asked(98.6), asked(101.0)], stalled).unexplained == []
    assert len(asked_again(MANIFEST, [asked(98.4), asked(101.0)], stalled).unexplained) == 1
