"""Every setting of a crawl, with its range. `hondius.toml` in the crawl directory is this, written out.

A setting is declared once, in its section: its type and range, its default, what it means (the docstring below it)
and, where it has one, its option on the command line. The options of `crawl` and `resume`, `--set`, the file with its
comments and `docs/settings.md` are made from that. All values go through one door (`settings_from`), so a value that is
out of range is named in the same words wherever it came from.

    kinds.py      what values may be
    media.py      extensions and content types
    option.py     the command-line option of a setting
    scope.py      sections: identity, scope, traps, limits
    network.py    sections: politeness, fetch
    storage.py    sections: frontier, stores, priority
    sections.py   all sections together
    listing.py    all settings, one by one, and what they mean
    checks.py     the door
    reading.py    plain values, and back from the file
"""

from hondius.settings.checks import describe_type, settings_from
from hondius.settings.kinds import Section
from hondius.settings.network import FetchSettings, PolitenessSettings
from hondius.settings.reading import FROZEN, as_values, merged, read_back, switched_on, without_run_limits
from hondius.settings.scope import KNOWN_HOSTS, IdentitySettings, LimitSettings, ScopeSettings, TrapSettings
from hondius.settings.sections import OBSOLETE, OF_ONE_RUN, Settings
from hondius.settings.storage import FrontierSettings, PrioritySettings, StoreSettings

__all__ = [
    "FROZEN",
    "KNOWN_HOSTS",
    "OBSOLETE",
    "OF_ONE_RUN",
    "FetchSettings",
    "FrontierSettings",
    "IdentitySettings",
    "LimitSettings",
    "PolitenessSettings",
    "PrioritySettings",
    "ScopeSettings",
    "Section",
    "Settings",
    "StoreSettings",
    "TrapSettings",
    "as_values",
    "describe_type",
    "merged",
    "read_back",
    "settings_from",
    "switched_on",
    "without_run_limits",
]
