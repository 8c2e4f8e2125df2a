"""Counts and limits of the host and domain of a URL."""

from hondius.native import Url
from hondius.ports import Catalog, UrlStore
from hondius.settings import KNOWN_HOSTS, Settings
from hondius.use.explain.explanation import BudgetFacts


def read_budget(url: Url, settings: Settings, store: UrlStore, catalog: Catalog) -> BudgetFacts:
    scope, traps = settings.scope, settings.traps
    facts = store.facts(url.href)
    return BudgetFacts(
        shape=str(facts["shape"]),
        urls_of_shape=(int(facts["urls_of_shape"]), traps.max_urls_per_shape),
        stale_fetches=(int(facts["stale_fetches"]), traps.stale_fetches),
        stale_fetches_of_parts=(int(facts["stale_fetches_of_parts"]), traps.stale_fetches),
        pages_of_host=(int(facts["pages_of_host"]), scope.max_pages_per_host),
        sitemaps_of_host=(int(facts["sitemaps_of_host"]), traps.max_sitemaps_per_host),
        hosts_of_domain=(int(facts["hosts_of_domain"]), KNOWN_HOSTS * scope.max_hosts_per_domain),
        max_hosts_of_domain=scope.max_hosts_per_domain,
        fetched_of_domain=(catalog.fetched_of_domain(str(facts["domain"])), scope.max_pages_per_domain),
        refused_more=catalog.refused_more(url.host),
    )


def find_refusal(budget: BudgetFacts) -> str | None:
    """Why a link to the URL would be refused because of the counts of its host; None if it would not."""
    if max(budget.stale_fetches[0], budget.stale_fetches_of_parts[0]) >= budget.stale_fetches[1]:
        return "no_novelty"
    if budget.urls_of_shape[0] >= budget.urls_of_shape[1]:
        return "shape"
    is_new_host = not budget.pages_of_host[0] and not budget.sitemaps_of_host[0]
    if is_new_host and budget.hosts_of_domain[0] >= budget.hosts_of_domain[1]:
        return "hosts_per_domain"
    return None
