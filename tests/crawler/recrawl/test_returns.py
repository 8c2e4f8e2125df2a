"""What the end of a visit says of the next one (R1, R3)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.crawler.politeness import find_treatment
from hondius.crawler.recrawl import Planning, Returns
from hondius.crawler.recrawl.past import decode_past
from hondius.errors import BadSetting
from hondius.model import INTERNAL, Finished, State
from hondius.native import mark_computed
from hondius.settings import RecrawlSettings

KEY, HOUR, DAY = b"k" * 16, 3_600.0, 86_400.0
URL = "http://a.test/page"
SETTINGS = RecrawlSettings()


def make_returns(settings: RecrawlSettings = SETTINGS) -> Returns:
    return Returns(settings, Planning(settings), lambda cause: find_treatment(cause).retried)


def ended(at: float, state: State = State.COMPLETED, cause: str = "", **facts: Any) -> Finished:
    return Finished(KEY, URL, URL, "a.test", state, cause, fetched_at=at, **{"status": 200, **facts})


def page(at: float, text: str) -> Finished:
    """Its bytes and its title differ at each visit."""
    text_hash, content_hash = f"{at}".encode()[:16].ljust(16), f"{text}{at}".encode().ljust(32)
    change_hash = text.encode().ljust(16)
    return ended(at, text_hash=text_hash, change_hash=change_hash, text_version=1, content_hash=content_hash)


def row_of(end: Finished, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """The row that the view has after it."""
    row = msgspec.structs.asdict(end)
    row["last_fetched_at"] = row.pop("fetched_at")
    for name in ("change_interval", "page_class", "visits"):
        row[name] = row[name] if row[name] is not None or before is None else before[name]
    return row


class Visits:
    """Visits of one page, one after the other, each when it is due."""

    def __init__(self, settings: RecrawlSettings = SETTINGS) -> None:
        self.returns = make_returns(settings)
        self.row: dict[str, Any] | None = None
        self.at = 1e9

    def end(self, end: Finished, predicted: float | None = None) -> Finished:
        self.returns.begin(KEY, self.row)
        settled = self.returns.settle(end, self.at, None, predicted)
        self.returns.end(KEY)
        self.row = row_of(settled, self.row)
        self.at = settled.next_fetch_at or self.at
        return settled

    def see(self, text: str) -> float:
        """Returns the seconds until the next visit."""
        began = self.at
        settled = self.end(page(began, text))
        assert settled.next_fetch_at is not None
        return settled.next_fetch_at - began


def test_r1_without_a_budget_the_interval_is_halved_by_a_change_and_doubled_without() -> None:
    visits = Visits()
    week = SETTINGS.wiki
    assert visits.see("one") == week
    assert visits.see("one") == 2 * week
    assert visits.see("two") == week
    assert visits.see("three") == week / 2
    assert [visits.see("three") for _ in range(8)][-1] == SETTINGS.longest
    assert [visits.see(str(number)) for number in range(20)][-1] == SETTINGS.shortest


def test_r3_bytes_that_differ_are_no_change_if_the_text_is_the_same() -> None:
    visits = Visits()
    visits.see("one")
    assert visits.end(page(visits.at, "one")).changed is False
    assert visits.end(page(visits.at, "two")).changed is True


def test_r3_a_page_that_loses_all_its_text_has_changed_and_then_its_title_counts() -> None:
    visits = Visits()
    visits.see("one")
    for title, changed in [(b"t" * 16, True), (b"t" * 16, False), (b"u" * 16, True)]:
        assert visits.end(ended(visits.at, text_hash=title, text_version=1)).changed is changed


def test_r3_another_version_of_the_extraction_is_no_change() -> None:
    visits = Visits()
    visits.see("one")
    other = msgspec.structs.replace(page(visits.at, "two"), text_version=2)
    assert visits.end(other).changed is None
    assert visits.end(msgspec.structs.replace(page(visits.at, "three"), text_version=2)).changed is True


def test_r3_an_answer_without_text_has_changed_if_its_bytes_have() -> None:
    visits = Visits()
    for content, changed in [(b"a" * 32, None), (b"a" * 32, False), (b"b" * 32, True)]:
        assert visits.end(ended(visits.at, text_hash=b"", content_hash=content)).changed is changed


def test_h4_a_304_is_a_visit_without_a_change() -> None:
    visits = Visits()
    visits.see("one")
    unchanged = visits.end(ended(visits.at, cause="unchanged", status=304))
    assert unchanged.changed is False
    assert decode_past(unchanged.visits).history.quiet == 1
    assert visits.end(page(visits.at, "two")).changed is True


def test_r3_a_redirect_that_leads_elsewhere_has_changed() -> None:
    visits = Visits()
    for target, changed in [("http://a.test/1", None), ("http://a.test/1", False), ("http://a.test/2", True)]:
        moved = ended(visits.at, State.REDIRECTED, "http_301", redirect_to=target)
        assert visits.end(moved).changed is changed


def test_r3_a_page_that_becomes_a_redirect_has_changed_and_so_has_one_that_is_a_page_again() -> None:
    visits = Visits()
    visits.see("one")
    assert visits.end(ended(visits.at, State.REDIRECTED, redirect_to="http://a.test/1")).changed is True
    assert visits.end(page(visits.at, "one")).changed is True


def test_r3_a_page_that_comes_back_after_it_was_gone_has_changed() -> None:
    visits = Visits()
    visits.see("one")
    for _ in range(2):
        visits.end(ended(visits.at, State.FAILED, "http_404", status=404))
    assert visits.end(page(visits.at, "one")).changed is True


@pytest.mark.parametrize("cause", ["http_404", "http_410"])
def test_r3_missing_twice_is_gone_and_once_is_not(cause: str) -> None:
    visits = Visits()
    visits.see("one")
    first = visits.end(ended(visits.at, State.FAILED, cause, status=int(cause[5:])))
    assert (first.state, visits.at) == (State.FAILED, (first.fetched_at or 0) + DAY)
    second = visits.end(ended(visits.at, State.FAILED, cause, status=int(cause[5:])))
    assert (second.state, second.cause, second.next_fetch_at) == (State.GONE, cause, None)


def test_r3_a_page_that_came_back_between_two_misses_is_not_gone() -> None:
    visits = Visits()
    for _ in range(3):
        missing = visits.end(ended(visits.at, State.FAILED, "http_404", status=404))
        assert missing.state is State.FAILED
        visits.see("one")


def test_r3_a_temporary_failure_is_due_after_a_day_that_doubles_to_sixty() -> None:
    visits = Visits()
    visits.see("one")
    waits = []
    for _ in range(9):
        began = visits.at
        visits.end(ended(began, State.FAILED, "connect_timeout", status=None))
        waits.append((visits.at - began) / DAY)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert visits.end(page(visits.at, "two")).changed is True, "it is compared with the last good visit"
    began = visits.at
    visits.end(ended(began, State.FAILED, "connect_timeout", status=None))
    assert visits.at - began == DAY, "a good visit ends the row of failures"


def test_r3_what_never_was_good_and_fails_for_good_is_not_due_again() -> None:
    visits = Visits()
    assert visits.end(ended(visits.at, State.FAILED, "http_403", status=403)).next_fetch_at is None
    assert visits.end(ended(visits.at, State.BLOCKED, "robots", status=None)).next_fetch_at is None
    visits.see("one")
    began = visits.at
    assert visits.end(ended(began, State.FAILED, "http_403", status=403)).next_fetch_at == began + SETTINGS.longest
    assert visits.end(ended(visits.at, State.FAILED, INTERNAL)).next_fetch_at is None


def test_r3_a_page_that_ends_without_a_request_keeps_its_past() -> None:
    returns = make_returns()
    good = returns.settle(page(1e9, "one"), 1e9)
    returns.note_due([row_of(good)])
    lost = returns.settle(ended(2e9, State.FAILED, "dns_failure", status=None), 2e9)
    returns.note_due([row_of(lost)])
    again = returns.settle(ended(3e9, State.FAILED, "dns_failure", status=None), 3e9)
    assert again.next_fetch_at == 3e9 + 2 * DAY


def test_r_a_page_that_ended_since_the_view_was_read_is_not_queued_again() -> None:
    returns = make_returns()
    before = row_of(returns.settle(page(1e9, "one"), 1e9))
    assert returns.drop_ended([before]) == [before]
    after = row_of(returns.settle(page(2e9, "one"), 2e9))
    assert returns.drop_ended([before]) == []
    assert returns.drop_ended([after]) == [after]


def test_d7_s11_requisites_and_imported_pages_are_not_due() -> None:
    returns = make_returns()
    assert returns.settle(ended(1e9, kind="requisite"), 1e9).next_fetch_at is None
    assert returns.settle(ended(1e9, imported="old.warc.gz"), 1e9).next_fetch_at is None


def test_r5_a_prediction_decides_and_is_kept_within_the_bounds() -> None:
    visits = Visits()
    for predicted, wanted in [(5 * HOUR, 5 * HOUR), (1.0, SETTINGS.shortest), (1e12, SETTINGS.longest)]:
        began = visits.at
        settled = visits.end(page(began, "one"), predicted)
        assert (settled.next_fetch_at or 0) - began == wanted
        assert settled.change_interval == pytest.approx(predicted)


@pytest.mark.parametrize(
    ("url", "name", "seconds"),
    [
        ("https://news.example/2026/x", "news", 6 * HOUR),
        ("https://a.example/blog/x", "blog", DAY),
        ("https://wiki.example/Main", "wiki", 7 * DAY),
        ("https://docs.example/v1.2/api.html", "static", 28 * DAY),
        ("https://a.example/other", "", 7 * DAY),
        ("http://127.0.0.1:8080/other", "", 7 * DAY),
        ("https://en.wikipedia.org/x", "wiki", 7 * DAY),
        ("https://a.example/prices/1", "news", 6 * HOUR),
    ],
)
def test_r1_a_page_of_a_class_is_first_visited_after_its_interval(url: str, name: str, seconds: float) -> None:
    returns = make_returns(RecrawlSettings(classes=("news /prices/",)))
    settled = returns.settle(msgspec.structs.replace(page(1e9, "one"), url=url), 1e9)
    assert (settled.page_class, settled.next_fetch_at) == (name, 1e9 + seconds)


@pytest.mark.parametrize("rule", ["daily /x", "news", "news (", ""])
def test_r1_a_rule_that_is_none_is_refused(rule: str) -> None:
    with pytest.raises(BadSetting):
        make_returns(RecrawlSettings(classes=(rule,)))


@given(st.binary(max_size=200))
def test_r_any_bytes_of_a_stranger_are_a_past(data: bytes) -> None:
    returns = make_returns()
    returns.begin(KEY, {**row_of(page(1e9, "one")), "visits": data})
    settled = returns.settle(page(2e9, "two"), 2e9)
    assert settled.next_fetch_at is not None
    assert decode_past(settled.visits).seen_at == 2e9


def test_r1_a_page_that_a_news_sitemap_lists_is_news() -> None:
    for is_news, page_class in [(True, "news"), (False, "")]:
        listed = msgspec.structs.replace(page(1e9, "one"), priority=mark_computed(0.9, is_news=is_news))
        assert Visits().end(listed).page_class == page_class
