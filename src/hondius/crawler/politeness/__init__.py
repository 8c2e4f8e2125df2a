"""Politeness: who may be contacted, when, and what a failure costs.

A `Host` is born when its first URL is due, loaded from the catalog if an earlier run knew it; every
answer moves its clock (`not_before`, absolute), each change is an event of the log. It may be forgotten
once its clock has passed and its last event is durable. An `Address` exists only while it is in use or
its gap lasts. `Gate` takes a host from unknown to ready: an address first, then robots.txt.
"""

from hondius.crawler.politeness.addresses import Addresses
from hondius.crawler.politeness.circuit import Circuit
from hondius.crawler.politeness.earlier import EarlierTimes
from hondius.crawler.politeness.failures import ENGINE_PANIC, NOT_SENT, SWALLOWED, TABLE, Treatment, treatment_of
from hondius.crawler.politeness.gate import Gate, NotSent, Unnamed, host_of
from hondius.crawler.politeness.hosts import Host, Hosts
from hondius.crawler.politeness.recovery import PUSHED_BACK, Sent, unfinished_requests
from hondius.crawler.politeness.robots import RobotsDesk, Rules, Verdict
from hondius.crawler.politeness.turns import Turns

__all__ = [
    "ENGINE_PANIC",
    "NOT_SENT",
    "PUSHED_BACK",
    "SWALLOWED",
    "TABLE",
    "Addresses",
    "Circuit",
    "EarlierTimes",
    "Gate",
    "Host",
    "Hosts",
    "NotSent",
    "RobotsDesk",
    "Rules",
    "Sent",
    "Treatment",
    "Turns",
    "Unnamed",
    "Verdict",
    "host_of",
    "treatment_of",
    "unfinished_requests",
]
