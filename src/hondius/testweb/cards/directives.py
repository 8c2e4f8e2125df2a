"""What pages ask of crawlers (D4): links and pages with `nofollow`, pages with other directives."""

from functools import partial

from hondius.testweb.cards.card import Card
from hondius.testweb.model import Answer
from hondius.testweb.site import Site


def _nofollow_link(site: Site, kind: str) -> None:
    site.offer(site.hidden(kind, site.fresh("/unendorsed/")), nofollow=True)


def _links_not_followed(answer: Answer, site: Site, kind: str) -> None:
    page = site.add(kind, site.fresh("/notices/"), answer)
    site.offer(page)
    site.link(page, site.hidden(f"{kind}_hidden", site.fresh("/unendorsed/")))


def _links_followed(answer: Answer, site: Site, kind: str) -> None:
    page = site.add(kind, site.fresh("/notices/"), answer)
    site.offer(page)
    site.link(page, site.add(f"{kind}_leaf", site.fresh("/endorsed/")))


def _meta(name: str, content: str) -> Answer:
    return Answer(metas=((name, content),))


def _header(value: str) -> Answer:
    return Answer(headers=(("X-Robots-Tag", value),))


DIRECTIVES = (
    Card("nofollow_link", _nofollow_link),
    Card("nofollow_meta", partial(_links_not_followed, _meta("robots", "nofollow"))),
    Card("none_meta", partial(_links_not_followed, _meta("ROBOTS", "None"))),
    Card("nofollow_meta_for_us", partial(_links_not_followed, _meta("hondius", "noindex, nofollow"))),
    Card("nofollow_header", partial(_links_not_followed, _header("nofollow"))),
    Card("nofollow_header_for_us", partial(_links_not_followed, _header("hondius: nofollow"))),
    Card("nofollow_meta_for_others", partial(_links_followed, _meta("otherbot", "nofollow"))),
    Card("nofollow_header_for_others", partial(_links_followed, _header("otherbot: nofollow"))),
    Card("noindex_meta", partial(_links_followed, _meta("robots", "noindex"))),
    Card("noindex_header", partial(_links_followed, _header("noindex"))),
    Card("noarchive_meta", partial(_links_followed, _meta("robots", "noarchive"))),
)
