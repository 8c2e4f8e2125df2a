"""Writes HTML pages of 10 to 100 KB with 20 to 150 links, on request."""

from collections.abc import Callable
from html import escape
from random import Random
from typing import Final

from hondius.testweb.links import LinkWriter, write_attribute
from hondius.testweb.model import Kind, Link, Resource, Web
from hondius.testweb.prose import Pool, Prose
from hondius.testweb.style import Charset, Style, draw_style

_HEAD: Final[dict[Kind, Callable[[str], str]]] = {
    Kind.CANONICAL: lambda href: f"<link{href} rel=canonical>\n",
    Kind.ALTERNATE: lambda href: f'<link rel="alternate" hreflang="x-default"{href}>\n',
    Kind.NEXT: lambda href: f'<link rel="NEXT"{href}>\n',
    Kind.PREVIOUS: lambda href: f'<link{href} rel="prev">\n',
    Kind.FEED: lambda href: f'<link rel="alternate" type="application/rss+xml"{href}>\n',
    Kind.STYLESHEET: lambda href: f'<link rel="stylesheet"{href}>\n',
}

_BODY: Final[dict[Kind, Callable[[str], str]]] = {
    Kind.AREA: lambda href: f'<map name="places"><area shape="rect" coords="0,0,40,40"{href} alt=""></map>\n',
    Kind.IFRAME: lambda src: f"<iframe width=300{src} height=200></iframe>\n",
    Kind.IMAGE: lambda src: f'<img alt="" width=40{src}>\n',
    Kind.SCRIPT: lambda src: f"<script defer{src}></script>\n",
    Kind.FORM: lambda action: f'<form method="get"{action}><input name="q"></form>\n',
}

_PRETENCE: Final[dict[Kind, str]] = {
    Kind.COMMENT: '<!-- <a href="{}">no longer</a> -->\n',
    Kind.SCRIPT_TEXT: "<script>document.write(\"<a href='{}'>perhaps</a>\")</script>\n",
    Kind.TEXTAREA: '<textarea rows=3><a href="{}">as text</a></textarea>\n',
}

_ATTRIBUTE: Final = {Kind.IFRAME: "src", Kind.IMAGE: "src", Kind.SCRIPT: "src", Kind.FORM: "action"}
_NOFOLLOW: Final = ("nofollow", "noopener NoFollow", "ugc nofollow", "sponsored nofollow")
_ORDINARY: Final = (Kind.CANONICAL, Kind.ALTERNATE, Kind.NEXT, Kind.PREVIOUS, Kind.AREA, Kind.IFRAME)
_NOT_FOR_CRAWLS: Final = (
    '<a name="top"></a><a href="mailto:editor@example.test">@</a> <a href="javascript:void(0)">+</a> '
    '<a href="tel:+15550100">#</a> <a href="http://[no-address/">?</a> <a href="data:text/plain,no">!</a>\n'
)


class PageWriter:
    def __init__(self, web: Web, prose: Prose) -> None:
        self._web = web
        self._prose = prose
        self._links = LinkWriter(web)

    def write(self, page: Resource) -> tuple[bytes, Charset]:
        """Always returns the same octets: all random choices come from a generator seeded by the name of the page."""
        random = Random(f"page/{self._web.seed}/{page.id}")
        style = draw_style(self._web, page, random)
        pool = self._prose.pool(page.host.language)
        head, body = self._write_links(page, style, pool, random)
        text = "".join(
            (
                _write_opening(page, style, pool, random),
                *head,
                "</head>\n<body>\n",
                *_write_flow(body, style, pool, random),
                _CLOSING,
            )
        )
        return style.charset.encode(text), style.charset

    def _write_links(self, page: Resource, style: Style, pool: Pool, random: Random) -> tuple[list[str], list[str]]:
        """Links of the head, and links of the body, in no particular order."""
        head: list[str] = []
        body = [_NOT_FOR_CRAWLS]
        planned = self._web.links.get(page.id, ())
        for link in planned:
            href = self._links.write_planned(link, style.base, random, absolute=page.answer.absolute_links)
            (head if link.kind in _HEAD or link.kind is Kind.REFRESH else body).append(
                _write_markup(link, href, pool, random)
            )
        taken = {link.kind for link in planned}
        for kind in _ORDINARY:
            if kind not in taken and random.random() < 0.2:
                href = self._choose_href(page, style, random)
                (head if kind in _HEAD else body).append(_write_markup(Link("", kind), href, pool, random))
        anchors = (self._choose_href(page, style, random) for _ in range(style.links - len(planned)))
        body += [_write_anchor(href, "", pool, random) for href in anchors]
        if random.random() < 0.2:
            body.append(self._write_nofollow_to_root(style, pool, random))
        random.shuffle(body)
        return head, body

    def _choose_href(self, page: Resource, style: Style, random: Random) -> str:
        to = self._links.choose_page(random, page.host.number)
        return self._links.write(to, style.base, random, absolute=page.answer.absolute_links)

    def _write_nofollow_to_root(self, style: Style, pool: Pool, random: Random) -> str:
        """Has no effect on a crawl: roots are seeds and known anyway."""
        root = random.choice(self._web.pages)[0]
        return _write_anchor(
            self._links.write(root, style.base, random, absolute=True), ' rel="nofollow"', pool, random
        )


def _write_opening(page: Resource, style: Style, pool: Pool, random: Random) -> str:
    charset = f'<meta charset="{style.charset.name}">\n' if style.charset.in_meta else ""
    base = ""
    if style.base is not page:
        base = f"<base{write_attribute('href', random.choice((style.base.target, style.base.key_form)), random)}>\n"
    title = escape(f"{random.choice(pool.phrases)}: {page.id}")
    metas = "".join(f'<meta name="{name}" content="{content}">\n' for name, content in page.answer.metas)
    description = escape(" ".join(random.choices(pool.phrases, k=6)))
    return (
        f'<!DOCTYPE html>\n<html lang="{page.host.language}">\n<head>\n{charset}{base}<title>{title}</title>\n'
        f'<meta name="description" content="{description}">\n{metas}'
    )


def _write_flow(links: list[str], style: Style, pool: Pool, random: Random) -> list[str]:
    """Alternates headings, prose and links until the page is long enough."""
    chunks: list[str] = []
    octets_per_letter = style.charset.octets_per_letter(pool.octets_per_letter)
    missing = style.octets - sum(map(len, links)) * (2 if style.charset.name == "utf-16" else 1)
    while missing > 0 or not chunks:
        chunks.append(random.choice(pool.chunks))
        missing -= int(len(chunks[-1]) * octets_per_letter)
    groups = max(1, len(links) // random.randint(5, 12))
    parts: list[str] = []
    for group in range(groups):
        parts.append(f'<section id="part-{group}"><div class="column"><h2>{random.choice(pool.phrases)}</h2>\n')
        parts += chunks[group::groups]
        parts.append("<nav>\n")
        parts += links[group::groups]
        parts.append("</nav></div></section>\n")
    return parts


def _write_markup(link: Link, href: str, pool: Pool, random: Random) -> str:
    if link.kind in _PRETENCE:
        return _PRETENCE[link.kind].format(href)
    if link.kind is Kind.REFRESH:
        return f'<meta http-equiv="Refresh" content="30; url={escape(href)}">\n'
    written = write_attribute(_ATTRIBUTE.get(link.kind, "href"), href, random)
    form = _HEAD.get(link.kind) or _BODY.get(link.kind)
    if form:
        return form(written)
    return _write_anchor(href, f' rel="{random.choice(_NOFOLLOW)}"' if link.nofollow else "", pool, random)


def _write_anchor(href: str, rel: str, pool: Pool, random: Random) -> str:
    return f"<a{rel}{write_attribute('href', href, random)}>{random.choice(pool.phrases)}</a>\n"


_CLOSING: Final = "<footer><p>&copy; nobody at all</p></footer>\n</body>\n</html>\n"
