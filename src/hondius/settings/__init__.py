"""All settings of a crawl, with their ranges. `hondius.toml` in the crawl directory holds their values.

A setting is declared once, in its section: its type and range, its default, its description (the docstring below it)
and, for some, its command-line option. The options of `crawl` and `resume`, `--set`, `hondius.toml` with its comments
and `docs/settings.md` are generated from these declarations. `make_settings` validates all values, so the error message
for a bad value is the same wherever it came from.

    value_types.py  types and ranges of values
    media.py        extensions and content types
    option.py       the command-line option of a setting
    scope.py        sections: identity, scope, traps, limits
    network.py      sections: politeness, fetch
    storage.py      sections: frontier, stores, priority
    focus.py        section: focus
    near.py         section: near
    rank.py         section: rank
    hooks.py        section: hooks
    quality.py      section: quality
    retention.py    section: retention
    search.py       section: search
    usage.py        section: usage
    recrawl.py      section: recrawl
    webhooks.py     section: webhooks
    sections.py     all sections
    listing.py      lists all settings with their descriptions
    overrides.py    settings that a command or a program gives
    validation.py   validates values
    conversion.py   converts settings to plain values, and reads `hondius.toml`

`settings_text.py`, one level above, writes `hondius.toml` and `docs/settings.md` (`make settings-page`). A setting
takes effect where it is read: Python code gets its section from `crawler/assemble/`, native code through
`crawler/translation.py`.
"""

from hondius.settings.conversion import (
    FROZEN,
    drop_run_limits,
    list_identity_switches,
    merge_values,
    read_settings,
    to_values,
)
from hondius.settings.focus import FocusSettings
from hondius.settings.hooks import HookSettings
from hondius.settings.near import NearSettings
from hondius.settings.network import FetchSettings, PolitenessSettings
from hondius.settings.quality import QualitySettings
from hondius.settings.rank import RankSettings
from hondius.settings.recrawl import RecrawlSettings
from hondius.settings.retention import RetentionSettings
from hondius.settings.scope import KNOWN_HOSTS, IdentitySettings, LimitSettings, ScopeSettings, TrapSettings
from hondius.settings.search import SearchSettings
from hondius.settings.sections import OBSOLETE, PER_RUN, Settings
from hondius.settings.storage import FrontierSettings, PrioritySettings, StoreSettings
from hondius.settings.usage import UsageSettings
from hondius.settings.validation import describe_type, make_settings
from hondius.settings.value_types import Section
from hondius.settings.webhooks import WebhookSettings

__all__ = [
    "FROZEN",
    "KNOWN_HOSTS",
    "OBSOLETE",
    "PER_RUN",
    "FetchSettings",
    "FocusSettings",
    "FrontierSettings",
    "HookSettings",
    "IdentitySettings",
    "LimitSettings",
    "NearSettings",
    "PolitenessSettings",
    "PrioritySettings",
    "QualitySettings",
    "RankSettings",
    "RecrawlSettings",
    "RetentionSettings",
    "ScopeSettings",
    "SearchSettings",
    "Section",
    "Settings",
    "StoreSettings",
    "TrapSettings",
    "UsageSettings",
    "WebhookSettings",
    "describe_type",
    "drop_run_limits",
    "list_identity_switches",
    "make_settings",
    "merge_values",
    "read_settings",
    "to_values",
]
