"""One run of a crawl, from the event of its start to the event of its end, which says why it ended.

`Run` repeats a round until the run is over: it obeys orders, hands out URLs while there is room, and sleeps until
something happens. Each step has its own file:

    state.py         whether the run goes on: requests to stop, failures, wake-ups
    record.py        the start and the end of a run in the log
    orders.py        obeys orders from other processes
    dispatch.py      fills the free slots: takes due origins from the frontier
    scheduler.py     decides for one of them: hand out a URL, prepare its host, or wait
    origin_reads.py  reads what the view has of an origin, on a worker thread, before it is served
    preparations.py  hosts that need an address or a robots.txt
    hand_out.py      hands out one URL, and keeps its journey within the boundary
    refusal_check.py ends URLs that are not to be requested any more
    background.py    what goes on beside the journeys:
    rereading.py     rereads pages from the archive, one batch at a time
    returning.py     queues pages again that are due, one batch at a time
    ranking.py       computes page ranks, one computation at a time
    limits.py        the limits of the run, and whether the commit keeps up
    completion.py    decides that the crawl is over (F9)
    drain.py         waits for what is under way when the run ends

They share a `RunState`; nothing else is written by two of them.
"""

from hondius.crawler.run.background import Background
from hondius.crawler.run.completion import NOTHING_DUE_WITHIN, Completion
from hondius.crawler.run.dispatch import Dispatch
from hondius.crawler.run.drain import DRAIN_INTERRUPTED, Drain
from hondius.crawler.run.hand_out import HandOut
from hondius.crawler.run.limits import RunLimits
from hondius.crawler.run.orders import Mailbox, OrderHandler
from hondius.crawler.run.origin_reads import OriginReads
from hondius.crawler.run.preparations import Preparations
from hondius.crawler.run.ranking import BackgroundRanking
from hondius.crawler.run.record import RunRecord
from hondius.crawler.run.refusal_check import RefusalCheck
from hondius.crawler.run.rereading import BackgroundRereading
from hondius.crawler.run.returning import BackgroundReturning
from hondius.crawler.run.run import Run
from hondius.crawler.run.scheduler import Scheduler
from hondius.crawler.run.state import RunState
from hondius.crawler.run.tasks import Tasks

__all__ = [
    "DRAIN_INTERRUPTED",
    "NOTHING_DUE_WITHIN",
    "Background",
    "BackgroundRanking",
    "BackgroundRereading",
    "BackgroundReturning",
    "Completion",
    "Dispatch",
    "Drain",
    "HandOut",
    "Mailbox",
    "OrderHandler",
    "OriginReads",
    "Preparations",
    "RefusalCheck",
    "Run",
    "RunLimits",
    "RunRecord",
    "RunState",
    "Scheduler",
    "Tasks",
]
