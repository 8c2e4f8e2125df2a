"""The section of usage preferences."""

from hondius.settings.value_types import Section


class UsageSettings(Section, frozen=True):
    """What owners allow (W1): where signals are read that do not come for free."""

    tdmrep: bool = False
    """Request `/.well-known/tdmrep.json` (TDMRep) once a day from each site, before its pages. Other signals come with
    robots.txt and with the pages themselves, and are always read."""
