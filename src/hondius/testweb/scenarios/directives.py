"""Directives for crawlers (D4): links and pages with `nofollow`, pages with other directives."""

from functools import partial

from hondius.testweb.model import Answer
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site


def _nofollow_link(site: Site, kind: str) -> None:
    site.link_from_some_page(site.add_hidden(kind, site.make_target("/unendorsed/")), nofollow=True)


def _links_not_followed(answer: Answer, site: Site, kind: str) -> None:
    page = site.add(kind, site.make_target("/notices/"), answer)
    site.link_from_some_page(page)
    site.link(page, site.add_hidden(f"{kind}_hidden", site.make_target("/unendorsed/")))


def _links_followed(answer: Answer, site: Site, kind: str) -> None:
    page = site.add(kind, site.make_target("/notices/"), answer)
    site.link_from_some_page(page)
    site.link(page, site.add(f"{kind}_leaf", site.make_target("/endorsed/")))


def _meta(name: str, content: str) -> Answer:
    return Answer(metas=((name, content),))


def _header(value: str) -> Answer:
    return Answer(headers=(("X-Robots-Tag", value),))


DIRECTIVES = (
    Scenario("nofollow_link", _nofollow_link),
    Scenario("nofollow_meta", partial(_links_not_followed, _meta("robots", "nofollow"))),
    Scenario("none_meta", partial(_links_not_followed, _meta("ROBOTS", "None"))),
    Scenario("nofollow_meta_for_us", partial(_links_not_followed, _meta("hondius", "noindex, nofollow"))),
    Scenario("nofollow_header", partial(_links_not_followed, _header("nofollow"))),
    Scenario("nofollow_header_for_us", partial(_links_not_followed, _header("hondius: nofollow"))),
    Scenario("nofollow_meta_for_others", partial(_links_followed, _meta("otherbot", "nofollow"))),
    Scenario("nofollow_header_for_others", partial(_links_followed, _header("otherbot: nofollow"))),
    Scenario("noindex_meta", partial(_links_followed, _meta("robots", "noindex"))),
    Scenario("noindex_header", partial(_links_followed, _header("noindex"))),
    Scenario("noarchive_meta", partial(_links_followed, _meta("robots", "noarchive"))),
)
