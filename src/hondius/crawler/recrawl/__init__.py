"""Decides when to return to a page (R).

A visit ends with the time of the next one (`Returns`), which goes into the log with it. The partition's view keeps
pages in the order of these times. When they have come, `crawler/due_pages.py` queues the pages again, as any order to
fetch a URL again does. So there is no queue of its own that could be lost: until the new end of a page is durable, the
old one says that it is due.

    returns.py     what the end of a visit says of the next one
    past.py        what is remembered of a page between two visits, and what counts as a change
    history.py     the intervals in which it had changed or not, in constant space
    estimate.py    how often it changes, from these
    classes.py     how often it is expected to change before anything is known
    allocation.py  how a budget of visits is shared: three formulas
    plan.py        the same for all pages of a crawl, in constant space
    planning.py    the plan in force, and what is left of the budget
"""

from hondius.crawler.recrawl.plan import Plan
from hondius.crawler.recrawl.planning import Allowance, Planning
from hondius.crawler.recrawl.returns import Returns

__all__ = ["Allowance", "Plan", "Planning", "Returns"]
