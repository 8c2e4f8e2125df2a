"""Scenarios: each is one thing that may happen on a host.

A host has a scenario at most once. The scenario adds resources, links them (or does not), and states how each must end.
Two rules apply to all: a host has at most four 5xx answers, so that no circuit opens (P4); and if the end of a resource
depends on the first link to it, there is only one link.
"""

from hondius.testweb.scenarios.copies import COPIES
from hondius.testweb.scenarios.directives import DIRECTIVES
from hondius.testweb.scenarios.discovery import DISCOVERY
from hondius.testweb.scenarios.failures import FAILURES
from hondius.testweb.scenarios.redirects import REDIRECTS
from hondius.testweb.scenarios.refusals import REFUSALS
from hondius.testweb.scenarios.rules import RULES
from hondius.testweb.scenarios.scenario import Scenario

ALL_SCENARIOS: tuple[Scenario, ...] = (*COPIES, *DIRECTIVES, *DISCOVERY, *FAILURES, *REDIRECTS, *REFUSALS, *RULES)

__all__ = ["ALL_SCENARIOS", "Scenario"]
