"""Politeness: which hosts may be contacted, and when; and what a failure costs.

A `Host` is created when its first URL is due. If an earlier run knew the host, its state is read from the partition's
view. A host owns its clock, its back-off, its circuit, its counters and its addresses. Other parts tell it what
happened; only its own methods write its fields, and each change becomes an event of the log. `Hosts` forgets a host
when it is idle and its last event is durable. The port `Turns` says when an address may be contacted; `AddressTurns`
combines it with the clock of the host. `Gate` gets what a host needs before it is ready: first an address, then
robots.txt.

    host.py              one host: when it may be contacted, and what it learns from a request; rules for hosts
    known_hosts.py       the hosts in memory
    address_turns.py     turns at an address, for all hosts there; claims
    addresses.py         tries the other addresses of a host
    names.py             looks names up
    robots.py            the cache of robots.txt copies, and their verdicts
    robots_requests.py   sends a request for a robots.txt
    tdmrep.py            what an answer to a request for tdmrep.json means
    gate.py              gets the address and the robots.txt of a host, and its tdmrep.json if it is wanted
    failures.py          the failure table: what is retried, and what counts against the host
    retry_schedule.py    when a failed URL is retried
    recovery.py          requests that a killed run sent and never committed
    earlier_times.py     converts times that earlier runs wrote
    host_events.py       types that a host takes and returns
    asking.py            reads from disk off the event loop

A rule that makes a host wait raises `Host.not_before`, which is saved, so it holds across restarts. Any other state
that must survive needs a field of `model.HostState`, which `Host.make_state` writes and `Host.__init__` reads.
`use/audit/` checks every rule with code of its own. Limits on how much is fetched of a host, a domain or an address are
not here but in `crawler/budgets.py`.
"""

from hondius.crawler.politeness.address_turns import AddressTurns
from hondius.crawler.politeness.addresses import Addresses
from hondius.crawler.politeness.asking import Ask, ask_inline
from hondius.crawler.politeness.earlier_times import EarlierTimes
from hondius.crawler.politeness.failures import (
    ENGINE_PANIC,
    NOT_SENT,
    STALE_CONNECTION,
    TABLE,
    Treatment,
    find_treatment,
)
from hondius.crawler.politeness.gate import Gate, NotYet
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.host_events import NOTHING, ONLY_CHANGED, Events, HostEvent, Need
from hondius.crawler.politeness.known_hosts import Hosts
from hondius.crawler.politeness.names import Names, Unresolved, parse_host
from hondius.crawler.politeness.recovery import PUSHED_BACK, Sent, find_unfinished_requests
from hondius.crawler.politeness.retry_schedule import RetrySchedule
from hondius.crawler.politeness.robots import RobotsCache, Rules, Verdict, ignore_imported
from hondius.crawler.politeness.robots_requests import Exchange, NotSent, RobotsRequests

__all__ = [
    "ENGINE_PANIC",
    "NOTHING",
    "NOT_SENT",
    "ONLY_CHANGED",
    "PUSHED_BACK",
    "STALE_CONNECTION",
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
    "Unresolved",
    "Verdict",
    "ask_inline",
    "find_treatment",
    "find_unfinished_requests",
    "ignore_imported",
    "parse_host",
]
