"""What is counted on the way takes only so much memory."""

from hondius.crawler.statistics import LONGEST_REASON, MOST_WAITING, Statistics

TOTALS = {
    "states": {},
    "causes": {},
    "sitemaps": {},
    "wire_bytes": 0,
    "fetches": 0,
    "refused_more": 0,
    "unread_links": 0,
}


def test_f8_so_many_waiting_origins_are_named_each_with_its_newest_reason() -> None:
    statistics = Statistics(TOTALS, 0.0)
    for number in range(MOST_WAITING + 50):
        statistics.waits(f"http://h{number}.test", "dns_failure: " + "x" * 1_000, "dns_failure")
    assert len(statistics.waiting) == len(statistics.waiting_causes) == MOST_WAITING
    assert max(map(len, statistics.waiting.values())) == LONGEST_REASON
    statistics.waits("http://h1.test", "connect_refused", "connect_refused")
    assert statistics.waiting["http://h1.test"] == "connect_refused"
    assert statistics.waiting_causes["http://h1.test"] == "connect_refused"
