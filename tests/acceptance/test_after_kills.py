"""The judge of killed crawls lets pass what a kill explains, and nothing else (F5)."""

from hondius.testweb.access_log import Access
from hondius.testweb.manifest import Manifest, ResourceRow, RobotsRow
from tests.acceptance.after_kills import asked_again, too_early
from tests.acceptance.kills import Kill

KILLS = [Kill(before=100.0, after=100.01, moment="any")]
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
    return Access(time, started, "127.1.0.1", host, f"http://{host}/{resource}", "test", 200, resource)


def test_what_was_answered_just_before_a_kill_may_be_asked_for_again() -> None:
    assert asked_again(MANIFEST, [asked(99.2), asked(101.0)], KILLS) == (1, [])


def test_what_was_under_way_at_a_kill_may_be_asked_for_again() -> None:
    assert asked_again(MANIFEST, [asked(90.0, ended=100.4), asked(101.0)], KILLS) == (1, [])


def test_what_was_answered_long_before_a_kill_may_not_be_asked_for_again() -> None:
    again, unexplained = asked_again(MANIFEST, [asked(98.9), asked(101.0)], KILLS)
    assert again == 1
    assert unexplained == ["page: 2 requests, not 1 and 0 lost to kills"]


def test_one_kill_explains_one_request_and_not_two() -> None:
    _, unexplained = asked_again(MANIFEST, [asked(99.9), asked(101.0), asked(102.0)], KILLS)
    assert unexplained == ["page: 3 requests, not 1 and 1 lost to kills"]


def test_robots_are_held_to_the_same() -> None:
    _, unexplained = asked_again(MANIFEST, [asked(at, resource="robots") for at in (1.0, 2.0, 3.0)], KILLS)
    assert len(unexplained) == 1


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
