"""One run of a crawl: from the event that says that it started to the one that says why it ended.

`Run` goes round a loop until the run is over: it obeys orders, hands out what there is room for, and sleeps until
something happens. Each step has a file of its own:

    state.py         whether the run goes on: who asked it to stop, what went wrong, what wakes it
    record.py        what a run begins with, and what the log says of its start and its end
    orders.py        obeys orders from other processes
    dispatch.py      fills the free places: takes origins whose time has come out of the frontier
    scheduler.py     decides for one of them: hand a URL out, prepare its host, or let it wait
    origin_reads.py  reads what the view knows of an origin, on a worker thread, before it is served
    preparations.py  hosts that need an address or a robots.txt
    hand_out.py      hands one URL out and keeps its journey within the boundary
    worth.py         ends URLs that are not to be requested any more
    rereading.py     keeps one batch of pages being read again from the archive
    limits.py        the limits of the run, and whether the commit keeps up
    completion.py    decides that the crawl is over (F9)
    drain.py         waits for what is under way when the run ends

They share a `RunState`; nothing else is written by two of them.
"""

from hondius.crawler.run.completion import NOTHING_DUE_WITHIN, Completion
from hondius.crawler.run.dispatch import Dispatch
from hondius.crawler.run.drain import DRAIN_INTERRUPTED, Drain
from hondius.crawler.run.hand_out import HandOut
from hondius.crawler.run.limits import RunLimits
from hondius.crawler.run.orders import Mailbox, OrderHandler
from hondius.crawler.run.origin_reads import OriginReads
from hondius.crawler.run.preparations import Preparations
from hondius.crawler.run.record import RunRecord
from hondius.crawler.run.rereading import BackgroundRereading
from hondius.crawler.run.run import Run
from hondius.crawler.run.scheduler import Scheduler
from hondius.crawler.run.state import RunState
from hondius.crawler.run.tasks import Tasks
from hondius.crawler.run.worth import Worth

__all__ = [
    "DRAIN_INTERRUPTED",
    "NOTHING_DUE_WITHIN",
    "BackgroundRereading",
    "Completion",
    "Dispatch",
    "Drain",
    "HandOut",
    "Mailbox",
    "OrderHandler",
    "OriginReads",
    "Preparations",
    "Run",
    "RunLimits",
    "RunRecord",
    "RunState",
    "Scheduler",
    "Tasks",
    "Worth",
]
