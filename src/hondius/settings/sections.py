"""All sections, and the settings that are obsolete or hold for one run only."""

from hondius.settings.focus import FocusSettings
from hondius.settings.hooks import HookSettings
from hondius.settings.near import NearSettings
from hondius.settings.network import FetchSettings, PolitenessSettings
from hondius.settings.quality import QualitySettings
from hondius.settings.rank import RankSettings
from hondius.settings.recrawl import RecrawlSettings
from hondius.settings.retention import RetentionSettings
from hondius.settings.scope import IdentitySettings, LimitSettings, ScopeSettings, TrapSettings
from hondius.settings.search import SearchSettings
from hondius.settings.storage import FrontierSettings, PrioritySettings, StoreSettings
from hondius.settings.usage import UsageSettings
from hondius.settings.value_types import Section
from hondius.settings.webhooks import WebhookSettings

OBSOLETE = {
    ("politeness", "crawl_delay_cap"): "the Crawl-delay of a site is always obeyed, however long it is",
    ("fetch", "max_links"): "fetch.page_cap limits how many links of a page are read",
}
"""Settings that were removed, and why. A crawl created with one can still be opened: the setting is ignored."""

PER_RUN = frozenset({("limits", "max_time"), ("recrawl", "continuous")})
"""Settings that hold for one run only and are never written to the file."""


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
    rank: RankSettings = RankSettings()
    near: NearSettings = NearSettings()
    focus: FocusSettings = FocusSettings()
    hooks: HookSettings = HookSettings()
    search: SearchSettings = SearchSettings()
    quality: QualitySettings = QualitySettings()
    retention: RetentionSettings = RetentionSettings()
    usage: UsageSettings = UsageSettings()
    recrawl: RecrawlSettings = RecrawlSettings()
    webhooks: WebhookSettings = WebhookSettings()
