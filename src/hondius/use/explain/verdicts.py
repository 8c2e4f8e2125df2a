"""Whether a URL would be admitted and may be requested, according to the code of the crawler."""

from msgspec.structs import replace

from hondius.crawler.politeness import RobotsCache
from hondius.crawler.translation import make_policy, product_token
from hondius.model import Blacklisted
from hondius.native import LinkPolicy, Url
from hondius.ports import Catalog, HostRecords
from hondius.settings import Settings
from hondius.use.explain.explanation import RobotsFacts, ScopeFacts


def judge_scope(url: Url, settings: Settings, catalog: Catalog) -> ScopeFacts:
    """Checks the blacklist separately: a URL may be refused for two reasons."""
    refused = _find_refusal(url, settings, catalog)
    entry = next((entry for entry in catalog.blacklist() if _covers(entry, url)), None)
    return ScopeFacts(
        scope=settings.scope.scope,
        refused=refused,
        blacklisted=entry.domain if entry else None,
        blacklisted_because=entry.reason if entry else None,
        excluded_by=_find_excluding_option(url, settings, catalog) if refused == "excluded" else None,
    )


def _find_refusal(url: Url, settings: Settings, catalog: Catalog) -> str | None:
    policy = make_policy(settings)
    for hrefs in catalog.scope():
        policy.extend_lines(hrefs)
    return policy.judge(url.href)


def _find_excluding_option(url: Url, settings: Settings, catalog: Catalog) -> str:
    without_include = replace(settings, scope=replace(settings.scope, include=()))
    return "--exclude" if _find_refusal(url, without_include, catalog) == "excluded" else "--include"


def _covers(entry: Blacklisted, url: Url) -> bool:
    policy = LinkPolicy(scope="any")
    policy.blacklist(entry.domain)
    return policy.judge(f"{url.origin}/") == "blacklisted"


def judge_robots(url: Url, settings: Settings, hosts: HostRecords) -> RobotsFacts:
    agent = product_token(settings)
    cache = RobotsCache(hosts.robots, agent)
    rules = cache.read_rules(url.origin)
    if rules is None:
        return RobotsFacts(url.origin, agent, None, None, None, None)
    verdict = rules.judge(url.path_and_query)
    copy = rules.copy
    return RobotsFacts(
        origin=url.origin,
        agent=agent,
        allowed=verdict.allowed if verdict else None,
        line=(verdict.line or None) if verdict else None,
        rule=(verdict.rule or None) if verdict else None,
        outcome=copy.outcome,
        status=copy.status,
        fetched_at=copy.at,
        good_at=copy.good_at,
        expires_at=copy.expires_at,
        crawl_delay=rules.crawl_delay or None,
        detail=copy.detail,
        usage=rules.usage_lines,
        imported=copy.imported,
    )
