"""Every kind of link (D3), each the only way to some page; things that look like links and are none; documents that
are no HTML pages."""

from functools import partial

from hondius.testweb.cards.card import Card
from hondius.testweb.model import Answer, Content, Kind
from hondius.testweb.site import Site


def _found_only_by(link: Kind, site: Site, kind: str) -> None:
    pointer = site.add(kind, site.fresh("/guides/"))
    site.offer(pointer)
    site.link(pointer, site.add(f"{kind}_leaf", site.fresh("/finds/")), link)


def _found_only_in_header(site: Site, kind: str) -> None:
    leaf = site.add(f"{kind}_leaf", site.fresh("/finds/"))
    answer = Answer(headers=(("Link", f'<{leaf.target}>; rel="next"; title="more, and more"'),))
    site.offer(site.add(kind, site.fresh("/guides/"), answer))


def _found_only_in_frameset(site: Site, kind: str) -> None:
    frames = site.add(kind, site.fresh("/guides/", ".html"), Answer(content=Content.FRAMESET))
    site.offer(frames)
    site.link(frames, site.add(f"{kind}_leaf", site.fresh("/finds/")), Kind.FRAME)
    site.link(frames, site.add(f"{kind}_leaf", site.fresh("/finds/")), Kind.FRAME)


def _found_only_in_sitemap(site: Site, kind: str) -> None:
    site.sitemap_only.append(site.add(kind, site.fresh("/orphans/")).key_form)


def _no_link(link: Kind, site: Site, kind: str) -> None:
    site.offer(site.hidden(kind, site.fresh("/pretence/")), link)


def _feed(site: Site, kind: str) -> None:
    listed = tuple(page.key_form for page in site.pages[:20])
    answer = Answer(content=Content.FEED, media_type="application/rss+xml", listed=listed)
    site.offer(site.add(kind, site.fresh("/feeds/", ".xml"), answer), Kind.FEED)


def _text(site: Site, kind: str) -> None:
    answer = Answer(content=Content.TEXT, media_type="text/plain")
    site.offer(site.add(kind, site.fresh("/notes/", ".txt"), answer))


def _xhtml(site: Site, kind: str) -> None:
    page = site.add(kind, site.fresh("/notes/", ".xhtml"), Answer(media_type="application/xhtml+xml"))
    site.offer(page)
    site.link(page, site.add(f"{kind}_leaf", site.fresh("/finds/")))


DISCOVERY = (
    Card("only_area", partial(_found_only_by, Kind.AREA)),
    Card("only_iframe", partial(_found_only_by, Kind.IFRAME)),
    Card("only_canonical", partial(_found_only_by, Kind.CANONICAL)),
    Card("only_alternate", partial(_found_only_by, Kind.ALTERNATE)),
    Card("only_next", partial(_found_only_by, Kind.NEXT)),
    Card("only_previous", partial(_found_only_by, Kind.PREVIOUS)),
    Card("only_refresh", partial(_found_only_by, Kind.REFRESH)),
    Card("only_link_header", _found_only_in_header),
    Card("only_frameset", _found_only_in_frameset),
    Card("only_sitemap", _found_only_in_sitemap, needs_sitemap=True),
    Card("in_comment", partial(_no_link, Kind.COMMENT)),
    Card("in_script_text", partial(_no_link, Kind.SCRIPT_TEXT)),
    Card("in_textarea", partial(_no_link, Kind.TEXTAREA)),
    Card("form_action", partial(_no_link, Kind.FORM)),
    Card("feed", _feed),
    Card("plain_text", _text),
    Card("xhtml", _xhtml),
)
