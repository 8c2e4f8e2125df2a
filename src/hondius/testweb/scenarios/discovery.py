"""Every kind of link (D3), each the only link to some page; things that look like links but are not; documents other
than HTML pages."""

from functools import partial

from hondius.testweb.model import Answer, Content, Kind
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site


def _found_only_by(link: Kind, site: Site, kind: str) -> None:
    pointer = site.add(kind, site.make_target("/guides/"))
    site.link_from_some_page(pointer)
    site.link(pointer, site.add(f"{kind}_leaf", site.make_target("/finds/")), link)


def _found_only_in_header(site: Site, kind: str) -> None:
    leaf = site.add(f"{kind}_leaf", site.make_target("/finds/"))
    answer = Answer(headers=(("Link", f'<{leaf.target}>; rel="next"; title="more, and more"'),))
    site.link_from_some_page(site.add(kind, site.make_target("/guides/"), answer))


def _found_only_in_frameset(site: Site, kind: str) -> None:
    frames = site.add(kind, site.make_target("/guides/", ".html"), Answer(content=Content.FRAMESET))
    site.link_from_some_page(frames)
    site.link(frames, site.add(f"{kind}_leaf", site.make_target("/finds/")), Kind.FRAME)
    site.link(frames, site.add(f"{kind}_leaf", site.make_target("/finds/")), Kind.FRAME)


def _found_only_in_sitemap(site: Site, kind: str) -> None:
    site.sitemap_only.append(site.add(kind, site.make_target("/orphans/")).key_form)


def _no_link(link: Kind, site: Site, kind: str) -> None:
    site.link_from_some_page(site.add_hidden(kind, site.make_target("/pretence/")), link)


def _feed(site: Site, kind: str) -> None:
    listed = tuple(page.key_form for page in site.pages[:20])
    answer = Answer(content=Content.FEED, media_type="application/rss+xml", listed=listed)
    site.link_from_some_page(site.add(kind, site.make_target("/feeds/", ".xml"), answer), Kind.FEED)


def _text(site: Site, kind: str) -> None:
    answer = Answer(content=Content.TEXT, media_type="text/plain")
    site.link_from_some_page(site.add(kind, site.make_target("/notes/", ".txt"), answer))


def _xhtml(site: Site, kind: str) -> None:
    page = site.add(kind, site.make_target("/notes/", ".xhtml"), Answer(media_type="application/xhtml+xml"))
    site.link_from_some_page(page)
    site.link(page, site.add(f"{kind}_leaf", site.make_target("/finds/")))


DISCOVERY = (
    Scenario("only_area", partial(_found_only_by, Kind.AREA)),
    Scenario("only_iframe", partial(_found_only_by, Kind.IFRAME)),
    Scenario("only_canonical", partial(_found_only_by, Kind.CANONICAL)),
    Scenario("only_alternate", partial(_found_only_by, Kind.ALTERNATE)),
    Scenario("only_next", partial(_found_only_by, Kind.NEXT)),
    Scenario("only_previous", partial(_found_only_by, Kind.PREVIOUS)),
    Scenario("only_refresh", partial(_found_only_by, Kind.REFRESH)),
    Scenario("only_link_header", _found_only_in_header),
    Scenario("only_frameset", _found_only_in_frameset),
    Scenario("only_sitemap", _found_only_in_sitemap, needs_sitemap=True),
    Scenario("in_comment", partial(_no_link, Kind.COMMENT)),
    Scenario("in_script_text", partial(_no_link, Kind.SCRIPT_TEXT)),
    Scenario("in_textarea", partial(_no_link, Kind.TEXTAREA)),
    Scenario("form_action", partial(_no_link, Kind.FORM)),
    Scenario("feed", _feed),
    Scenario("plain_text", _text),
    Scenario("xhtml", _xhtml),
)
