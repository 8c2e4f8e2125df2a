"""Politeness: who may be contacted, when, and what a failure costs.

A `Host` is born when its first URL is due, read from the partition's view if an earlier run knew it. It owns
its clock, its back-off, its circuit, its counters and its addresses: it is told what happened, nobody else
writes its fields, and each change is an event of the log. `Hosts` forgets it when it is idle and its last
event is durable. When its address may be contacted, `Turns` says, a port; `AddressTurns` joins the two. `Gate` gets
what a host needs before it is ready: an address first, then robots.txt.
"""

from hondius.crawler.politeness.address_turns import AddressTurns
from hondius.crawler.politeness.addresses import Addresses
from hondius.crawler.politeness.asking import Ask, ask_inline
from hondius.crawler.politeness.earlier import EarlierTimes
from hondius.crawler.politeness.failures import ENGINE_PANIC, NOT_SENT, SWALLOWED, TABLE, Treatment, find_treatment
from hondius.crawler.politeness.gate import Gate, NotYet
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.host_events import NOTHING, ONLY_CHANGED, Events, HostEvent, Need
from hondius.crawler.politeness.known_hosts import Hosts
from hondius.crawler.politeness.names import Names, Unnamed, parse_host
from hondius.crawler.politeness.recovery import PUSHED_BACK, Sent, find_unfinished_requests
from hondius.crawler.politeness.retry_schedule import RetrySchedule
from hondius.crawler.politeness.robots import RobotsCache, Rules, Verdict
from hondius.crawler.politeness.robots_requests import Exchange, NotSent, RobotsRequests

__all__ = [
    "ENGINE_PANIC",
    "NOTHING",
    "NOT_SENT",
    "ONLY_CHANGED",
    "PUSHED_BACK",
    "SWALLOWED",
    "TABLE",
    "AddressTurns",
    "Addresses",
    "Ask",
    "EarlierTimes",
    "Events",
    "Exchange",
    "Gate",
    "Host",
    "HostEvent",
    "Hosts",
    "Names",
    "Need",
    "NotSent",
    "NotYet",
    "RetrySchedule",
    "RobotsCache",
    "RobotsRequests",
    "Rules",
    "Sent",
    "Treatment",
    "Unnamed",
    "Verdict",
    "ask_inline",
    "find_treatment",
    "find_unfinished_requests",
    "parse_host",
]
