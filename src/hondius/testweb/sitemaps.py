"""Plans the sitemaps of a host (D2), and writes them as XML or text."""

from random import Random
from xml.sax.saxutils import escape

from hondius.testweb.model import Answer, Content, Expected, SitemapMode
from hondius.testweb.site import Site

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def plan_sitemaps(site: Site) -> list[str]:
    """Adds the sitemaps, and returns the hrefs for robots.txt."""
    if site.host.sitemap is SitemapMode.ABSENT:
        absent = Answer(status=404, content=Content.NOTICE)
        site.add("no_sitemap", "/sitemap.xml", absent, Expected("failed", "http_404"))
        return []
    listed = [page.key_form for page in site.pages if site.random.random() < 0.7] + site.sitemap_only
    if site.host.sitemap is SitemapMode.DEFAULT:
        site.add("sitemap", "/sitemap.xml", _make_answer([site.pages[0].key_form, *listed]))
        return []
    return [_plan_index(site, listed)]


def _plan_index(site: Site, listed: list[str]) -> str:
    """An index with a child of each format, and one missing child. Each also lists the root, so that no two are
    equal."""
    root, third = site.pages[0].key_form, len(listed) // 3
    packed = _make_answer([root, *listed[third : 2 * third]], packed=True)
    plain = Answer(content=Content.SITEMAP, media_type="text/plain", listed=(root, *listed[2 * third :]))
    missing = Answer(status=404, content=Content.NOTICE)
    children = [
        site.add("sitemap", site.make_target("/maps/", ".xml"), _make_answer([root, *listed[:third]])),
        site.add("sitemap_packed", site.make_target("/maps/", ".xml.gz"), packed),
        site.add("sitemap_text", site.make_target("/maps/", ".txt"), plain),
        site.add("sitemap_missing", site.make_target("/maps/", ".xml"), missing, Expected("failed", "http_404")),
    ]
    hrefs = tuple(child.key_form for child in children)
    index = Answer(content=Content.SITEMAP_INDEX, media_type="application/xml", listed=hrefs)
    return site.add("sitemap_index", "/maps/index.xml", index).key_form


def _make_answer(listed: list[str], *, packed: bool = False) -> Answer:
    media_type = "application/x-gzip" if packed else "application/xml"
    return Answer(content=Content.SITEMAP, media_type=media_type, listed=tuple(listed), packed=packed)


def write_urlset(listed: tuple[str, ...], random: Random) -> str:
    rows = "".join(f"<url><loc>{escape(href)}</loc>{_write_details(random)}</url>\n" for href in listed)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_NAMESPACE}">\n{rows}</urlset>\n'


def write_index(listed: tuple[str, ...]) -> str:
    rows = "".join(f"<sitemap><loc>\n  {escape(href)}\n</loc></sitemap>\n" for href in listed)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_NAMESPACE}">\n{rows}</sitemapindex>\n'


def _write_details(random: Random) -> str:
    if random.random() < 0.5:
        return ""
    day = f"{random.randint(2015, 2024)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    frequency = random.choice(("daily", "weekly", "monthly", "yearly"))
    return (
        f"<lastmod>{day}</lastmod><changefreq>{frequency}</changefreq><priority>{random.randint(1, 10) / 10}</priority>"
    )
