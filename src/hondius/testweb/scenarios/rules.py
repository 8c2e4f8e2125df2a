"""Rules of robots.txt (B1). They apply to hrefs, not to key forms: a forbidden resource is forbidden in all its
variants, an allowed one in none."""

from hondius.testweb.model import Answer, Expected
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site

BLOCKED = Expected("blocked", "robots", requests=0)


def _blocked(site: Site, kind: str, *targets: str) -> None:
    """One resource with several spellings; the first is its key form."""
    hrefs = tuple(site.href(target) for target in targets)
    site.link_from_some_page(site.add(f"{kind}_blocked", targets[0], Answer(), BLOCKED, hrefs))


def _allowed(site: Site, kind: str, target: str) -> None:
    site.link_from_some_page(site.add(f"{kind}_allowed", target, hrefs=(site.href(target),)))


def _directory(site: Site, kind: str) -> None:
    site.rules.append("Disallow: /private/")
    target = site.make_target("/private/")
    _blocked(site, kind, target, f"{target}?utm_source=rules", target.replace("private", "priv%61te"))
    _allowed(site, kind, site.make_target("/private-view/"))


def _open_part(site: Site, kind: str) -> None:
    site.rules += ["Disallow: /archive/", "Allow: /archive/open/"]
    _blocked(site, kind, site.make_target("/archive/closed/"))
    _allowed(site, kind, site.make_target("/archive/open/"))


def _wildcard(site: Site, kind: str) -> None:
    site.rules.append("Disallow: /*/draft/*.html")
    target = site.make_target("/texts/draft/", ".html")
    _blocked(site, kind, target, f"{target}?fbclid=17")
    _allowed(site, kind, site.make_target("/texts/draft/", ".txt"))


def _end(site: Site, kind: str) -> None:
    site.rules.append("Disallow: /*.cgi$")
    target = site.make_target("/bin/", ".cgi")
    _blocked(site, kind, target)
    _allowed(site, kind, f"{target}?run=1")


def _query(site: Site, kind: str) -> None:
    site.rules.append("Disallow: /*?print=")
    target = site.make_target("/leaflet/")
    _blocked(site, kind, f"{target}?print=1")
    _allowed(site, kind, target)


def _letters(site: Site, kind: str) -> None:
    """The rule is written in UTF-8, the URL is percent-encoded."""
    site.rules.append("Disallow: /größe/")
    _blocked(site, kind, site.make_target("/gr%C3%B6%C3%9Fe/"))


def _tie(site: Site, kind: str) -> None:
    site.rules += ["Disallow: /draw", "Allow: /draw"]
    _allowed(site, kind, site.make_target("/draw/"))


def _own_group(site: Site, kind: str) -> None:
    site.own_rules.append("Disallow: /not-for-hondius/")
    site.foreign_rules.append("Disallow: /only-for-hondius/")
    _blocked(site, kind, site.make_target("/not-for-hondius/"))
    _allowed(site, kind, site.make_target("/only-for-hondius/"))


RULES = (
    Scenario("rule_directory", _directory, needs_rules=True),
    Scenario("rule_open_part", _open_part, needs_rules=True),
    Scenario("rule_wildcard", _wildcard, needs_rules=True),
    Scenario("rule_end", _end, needs_rules=True),
    Scenario("rule_query", _query, needs_rules=True),
    Scenario("rule_letters", _letters, needs_rules=True),
    Scenario("rule_tie", _tie, needs_rules=True),
    Scenario("rule_own_group", _own_group, needs_rules=True),
)
