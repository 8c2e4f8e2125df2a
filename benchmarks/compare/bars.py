"""What the figures must be, and whether they are (Q1)."""

from collections.abc import Iterator

from benchmarks.compare.rows import Row
from benchmarks.verdict import Verdict

HONDIUS = "Hondius"
PAGES_PER_SECOND, CPU_MILLISECONDS, MEGABYTES = 1_000, 1.0, 300
TIMES_FASTER = {"Scrapy": 20, "Crawlee-Python": 12}
COMPILED = ("Colly", "spider")
"""Crawlers that are compiled and keep little: Hondius, which keeps everything, may cost half as much again."""
TIMES_THE_CPU = 1.5


def verdicts(rows: list[Row]) -> Iterator[Verdict]:
    """Of one scheme. Crawlers that did not fetch all pages are compared by what they fetched."""
    ours = next((row for row in rows if row.crawler == HONDIUS), None)
    if ours is None:
        return
    yield Verdict("Hondius fetched the pages", ours.coverage * 100, 99.9, "%", at_least=True)
    yield Verdict("Hondius", ours.pages_per_second, PAGES_PER_SECOND, "pages/s", True, ours.disturbed)
    yield Verdict("Hondius", ours.cpu_ms_per_page, CPU_MILLISECONDS, "ms CPU a page")
    yield Verdict("Hondius", ours.peak_rss_mb, MEGABYTES, "MB")
    for row in rows:
        if row is not ours and row.kind == "crawler" and row.pages:
            yield from against(ours, row)


def against(ours: Row, theirs: Row) -> Iterator[Verdict]:
    if theirs.crawler in TIMES_FASTER:
        ratio = ours.pages_per_second / theirs.pages_per_second
        disturbed = ours.disturbed or theirs.disturbed
        yield Verdict(f"faster than {theirs.crawler}", ratio, TIMES_FASTER[theirs.crawler], "×", True, disturbed)
    bar = TIMES_THE_CPU if theirs.crawler in COMPILED else 1.0
    yield Verdict(f"CPU a page / {theirs.crawler}'s", ours.cpu_ms_per_page / theirs.cpu_ms_per_page, bar, "")
