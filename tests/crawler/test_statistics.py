"""What is counted on the way takes only so much memory."""

from hondius.crawler.statistics import LONGEST_REASON, MOST_WAITING, Statistics

TOTALS = {
    "states": {},
    "causes": {},
    "sitemaps": {},
    "requisites": {},
    "wire_bytes": 0,
    "fetches": 0,
    "refused_more": 0,
    "unread_links": 0,
}


def test_f8_so_many_waiting_origins_are_named_each_with_its_newest_reason() -> None:
    statistics = Statistics(TOTALS, 0.0)
    for number in range(MOST_WAITING + 50):
        statistics.note_waiting(f"http://h{number}.test", "dns_failure: " + "x" * 1_000, "dns_failure")
    assert len(statistics.waiting) == len(statistics.waiting_causes) == MOST_WAITING
    assert max(map(len, statistics.waiting.values())) == LONGEST_REASON
    statistics.note_waiting("http://h1.test", "connect_refused", "connect_refused")
    assert statistics.waiting["http://h1.test"] == "connect_refused"
    assert statistics.waiting_causes["http://h1.test"] == "connect_refused"


def test_o1_the_rate_is_that_of_the_last_minute_however_often_it_is_asked() -> None:
    for step in (0.5, 1.0, 5.0):
        statistics = Statistics(TOTALS, 0.0)
        now = 0.0
        while now < 300.0:
            now += step
            statistics.states["completed"] = int(10 * min(now, 200.0))
            rate = statistics.compute_rate(now)
            if now == 100.0:
                assert abs(rate - 10.0) < 0.5
        assert rate == 0.0
        assert len(statistics._recent) < 70


def test_p4_open_circuits_are_listed_until_their_time_comes_or_they_close() -> None:
    statistics = Statistics(TOTALS, 0.0)
    statistics.note_circuit("a.test", 5, 400.0)
    statistics.note_circuit("b.test", 6, 300.0)
    statistics.note_circuit("c.test", 0, 0.0)
    assert statistics.list_open_circuits(10.0) == [("b.test", 6, 300.0), ("a.test", 5, 400.0)]
    statistics.note_circuit("a.test", 0, 0.0)
    assert statistics.list_open_circuits(10.0) == [("b.test", 6, 300.0)]
    assert statistics.list_open_circuits(300.0) == []
    for number in range(MOST_WAITING + 10):
        statistics.note_circuit(f"h{number}.test", 5, 400.0)
    assert len(statistics.circuits) == MOST_WAITING
