"""The report on a crawl: what was crawled, and what is wrong with the sites, for people and programs (O1).

`make_report` reads the catalog once for all counts, then the link segments once for broken links, and returns a
`CrawlReport`: plain facts, with every list cut to a length. `--json` prints these facts; `page.py` renders them as one
HTML file. Nothing in memory grows with the number of pages; what grows with the number of failed pages and redirects
has a cap, and the report says if it was reached.

    facts.py      the report, as structs
    make.py       puts it together
    counts.py     one pass over the catalog
    timeline.py   pages and bytes over time, in buckets that grow
    targets.py    URLs that failed or redirect: what a link may lead to
    links.py      one pass over the link segments: which pages link to these targets
    describe.py   broken links and chains of redirects, for people
    wishes.py     what owners reserve
    waiting.py    what is queued, and why
    page.py       the HTML page; sections.py and content_sections.py its sections, charts.py its charts
"""

from hondius.use.report.facts import CrawlReport
from hondius.use.report.make import DEFAULT_MOST, make_report
from hondius.use.report.page import render_report

__all__ = ["DEFAULT_MOST", "CrawlReport", "make_report", "render_report"]
