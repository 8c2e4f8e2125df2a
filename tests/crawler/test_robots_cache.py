"""B2, F7: which copy of robots.txt is in force, and what is done where nobody knows."""

from hondius.crawler.politeness import RobotsCache
from hondius.crawler.politeness.robots import Rules, judge_robots
from hondius.model import RobotsCopy

NOW, DAY = 1_000_000.0, 86_400.0
A = "http://a.test"
GOOD = RobotsCopy(A, NOW, "parsed", 200, NOW + DAY, b"User-agent: *\nDisallow: /private\n", NOW)


def copy_of(origin: str, at: float = NOW, body: bytes = b"") -> RobotsCopy:
    return RobotsCopy(origin, at, "parsed", 200, at + DAY, body, at)


def failing(before: RobotsCopy | None, days: int) -> RobotsCopy:
    """After so many days on which it could not be had, asked for once a day."""
    copy = before
    for day in range(1, days + 1):
        copy = judge_robots(A, None, copy, NOW + day * DAY, "nobody answers")
    assert copy is not None
    return copy


def test_b2_a_good_copy_stays_in_force_however_old_it_is() -> None:
    copy = failing(GOOD, 400)
    assert (copy.outcome, copy.good_at, copy.body) == ("unreachable", NOW, GOOD.body)
    verdict = Rules(copy, "Hondius").judge("/private")
    assert verdict is not None
    assert not verdict.allowed


def test_b2_without_a_good_copy_all_waits_for_thirty_days_and_then_there_are_no_rules() -> None:
    assert Rules(failing(None, 30), "Hondius").judge("/") is None
    given_up = Rules(failing(None, 32), "Hondius").judge("/")
    assert given_up is not None
    assert given_up.allowed


def test_f7_those_that_were_asked_about_last_stay_in_memory() -> None:
    stored = {f"http://h{number}.test": copy_of(f"http://h{number}.test") for number in range(4)}
    loaded: list[str] = []

    def load(origin: str) -> RobotsCopy | None:
        loaded.append(origin)
        return stored.get(origin)

    desk = RobotsCache(load, "Hondius", most=3)
    for number in (0, 1, 2, 0, 3):
        desk.read_rules(f"http://h{number}.test")
    loaded.clear()
    desk.read_rules("http://h0.test")
    assert loaded == []
    desk.read_rules("http://h1.test")
    assert loaded == ["http://h1.test"]


def test_f7_a_copy_that_is_not_in_memory_any_more_is_the_one_the_url_was_let_in_by() -> None:
    desk = RobotsCache({A: GOOD}.get, "Hondius", most=1)
    admitted_by = desk.read_rules(A)
    assert admitted_by is not None
    desk.accept("http://b.test", None, NOW)
    allowed, forbidden = desk.judge(A, "/", admitted_by), desk.judge(A, "/private", admitted_by)
    assert allowed is not None
    assert forbidden is not None
    assert (allowed.allowed, forbidden.allowed, forbidden.line) == (True, False, 2)


def test_b4_the_copy_that_came_since_decides() -> None:
    copies = {A: copy_of(A)}
    desk = RobotsCache(copies.get, "Hondius")
    admitted_by = desk.read_rules(A)
    assert admitted_by is not None
    newer = RobotsCache({A: copy_of(A, NOW + 1, GOOD.body)}.get, "Hondius")
    newer.read_rules(A)
    verdict = newer.judge(A, "/private", admitted_by)
    assert verdict is not None
    assert not verdict.allowed


def test_f7_a_url_of_an_origin_whose_robots_was_lost_meanwhile_waits() -> None:
    desk = RobotsCache(lambda _: None, "Hondius")
    admitted_by = Rules(RobotsCopy(A, NOW, "none", 404, NOW + DAY), "Hondius")
    desk.accept(A, None, NOW + DAY, "nobody answers")
    assert desk.judge(A, "/", admitted_by) is None


def test_f3_large_copies_are_not_all_kept_in_memory() -> None:
    origins = [f"http://h{number}.test" for number in range(300)]
    stored = {origin: copy_of(origin, body=b"User-agent: *\n" + b"Disallow: /\n" * 40_000) for origin in origins}
    loaded: list[str] = []

    def load(origin: str) -> RobotsCopy | None:
        loaded.append(origin)
        return stored.get(origin)

    desk = RobotsCache(load, "Hondius")
    for origin in origins:
        desk.read_rules(origin)
        desk.forget(origins[0])
    loaded.clear()
    for origin in origins[-30:]:
        assert desk.read_rules(origin) is not None
    assert loaded == []
    desk.read_rules(origins[150])
    assert loaded == [origins[150]]


SIGNALS = b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: /a/ search=n\nDisallow: /private\n"


def test_w2_a_verdict_has_the_usage_preferences_of_the_copy_in_force() -> None:
    rules = Rules(copy_of(A, body=SIGNALS), "Hondius")
    verdicts = [rules.judge(path) for path in ("/", "/a/b", "/private")]
    assert [verdict and verdict.usage for verdict in verdicts] == [
        "robots content-signal ai-train=no",
        "robots content-signal ai-train=no\nrobots content-usage search=n",
        None,
    ]


def test_w2_a_copy_that_cannot_be_refetched_keeps_its_usage_lines() -> None:
    """The last good copy stays in force (B2), and so do its preferences."""
    desk = RobotsCache(lambda origin: copy_of(A, body=SIGNALS), "Hondius")
    before = desk.read_rules(A)
    rules = desk.accept(A, None, NOW + DAY, "no answer", "connect_failed", before)
    assert rules.copy.outcome == "unreachable"
    assert rules.copy.usage == "Content-Signal: ai-train=no\nContent-Usage: /a/ search=n"
