"""Proves whether the crawl was polite, from two sources alone: the attempt records and the log (P7).

An auditor must be independent: nothing here imports the crawler (import-linter checks this), and neither the catalog,
the archive nor `hondius.toml` is used. What was allowed is computed again from the rules that each run recorded at its
start.

A request enters with the attempt record of its start, and is checked at once against the clocks of its host and
address. When the log has its URL, usually within a second of the answer, it is checked against the robots.txt in force
at the time and the operator's orders. Both sources are read as streams in order of time. Only a clock for each host,
robots.txt copies (on disk) and the worst cases of each kind are kept.

    kinds.py       the kinds of violations
    records.py     reads the attempt records of all runs, in order of time
    facts.py       reads the log, in order of time
    gaps.py        times for which the log was lost
    shifts.py      runs that started after the clock was set back
    rules.py       the politeness rules of each run
    clocks.py      hosts and addresses: delays, back-off, circuits, orders
    orders.py      the operator's orders, and when they apply
    robots.py      the robots.txt copies over time
    pending_requests.py  requests whose URL is not known yet
    judge.py       checks requests against robots.txt and the blacklist
    audit.py       combines the two streams
    report.py      the report
    site.py        the report for the owner of one site
    page.py, plot.py    the same as an HTML page
"""

from hondius.use.audit.audit import audit_crawl
from hondius.use.audit.page import render_page
from hondius.use.audit.report import Report
from hondius.use.audit.site import SiteReport

__all__ = ["Report", "SiteReport", "audit_crawl", "render_page"]
