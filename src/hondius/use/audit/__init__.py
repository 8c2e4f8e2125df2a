"""Was the crawl polite? Proven from two witnesses alone: the records of what was sent, and the log (P7).

An auditor does not ask the accused: nothing here imports the crawler (import-linter holds it), neither the catalog, the
archive nor `hondius.toml` is believed, and what was allowed is computed anew, from the numbers that each run wrote down
when it started.

A request is born with the record of its sending. At once it is held against the clocks of its host and its address;
when the log tells its name (which is within a second of its answer, as a rule) against the robots.txt then in force and
the operator's orders. Both witnesses are read as streams in the order of time and forgotten behind it: what stays is a
clock a host, robots copies (on disk) and the worst cases of each kind.

    kinds.py       what can be wrong
    records.py     the attempt records of all runs, in order of time
    facts.py       what the log tells, in order of time
    gaps.py        what the log has lost
    shifts.py      runs that started after the clock was set back
    rules.py       the numbers of each run
    clocks.py      hosts and addresses: pauses, back-off, circuits, orders
    orders.py      what the operator asked for, and from when on
    robots.py      the robots.txt copies, each in its time
    names.py       requests that wait for their URL
    judge.py       a request whose URL is known, held against robots.txt and the blacklist
    audit.py       puts the two streams together
    report.py      what is told
    site.py        the same for the owner of one site
    page.py, plot.py    as a page to look at
"""

from hondius.use.audit.audit import audit_crawl
from hondius.use.audit.page import written_page
from hondius.use.audit.report import Report
from hondius.use.audit.site import SiteReport

__all__ = ["Report", "SiteReport", "audit_crawl", "written_page"]
