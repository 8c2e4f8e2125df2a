"""All sections together, and what is special about some settings."""

from hondius.settings.kinds import Section
from hondius.settings.network import FetchSettings, PolitenessSettings
from hondius.settings.scope import IdentitySettings, LimitSettings, ScopeSettings, TrapSettings
from hondius.settings.storage import FrontierSettings, PrioritySettings, StoreSettings

OBSOLETE = {
    ("politeness", "crawl_delay_cap"): "a Crawl-delay is kept as the site asks for it, however long it is",
    ("fetch", "max_links"): "the length of a page bounds how many of its links are read",
}
"""Settings that were, and why they are no more. A crawl that was made with one can still be opened: it is left out."""

OF_ONE_RUN = frozenset({("limits", "max_time")})
"""Settings that hold for one run only, so that the file never has them."""


class Settings(Section, frozen=True):
    identity: IdentitySettings = IdentitySettings()
    scope: ScopeSettings = ScopeSettings()
    traps: TrapSettings = TrapSettings()
    limits: LimitSettings = LimitSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    frontier: FrontierSettings = FrontierSettings()
    fetch: FetchSettings = FetchSettings()
    stores: StoreSettings = StoreSettings()
    priority: PrioritySettings = PrioritySettings()
