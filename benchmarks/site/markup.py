"""One page as HTML, in the shape that content management systems give it."""

from collections.abc import Iterator
from html import escape

from benchmarks.site.plan import PAGES_PER_HOST, Page, host_name, path_of
from benchmarks.site.prose import Prose

STYLE = "".join(
    f".block-{n}{{margin:{n}px auto;padding:0 {n * 2}px;border-top:1px solid #{n:02x}{n:02x}{n:02x}}}\n" for n in range(1, 24)
)
SCRIPT = """(function (w, d) { var queue = w.measure = w.measure || []; queue.push(["page", d.title]);
 if (1 < 2 && "a" > "A") { d.documentElement.className += ' scripted'; }
 var banner = '<a href="/not-a-link">no link</a>'; w.banner = banner.length; })(window, document);"""


def html_of(page: Page) -> bytes:
    """As long as the plan says, to within a paragraph."""
    prose = Prose(page.random)
    links = iter(page.links)
    before, after = _opening(page, prose), _closing(page, prose)
    budget = page.size - len(before) - len(after)
    return (before + _article(prose, links, len(page.links), budget) + after).encode()


def _opening(page: Page, prose: Prose) -> str:
    title, address = prose.title(), f"http://{host_name(page.host)}{path_of(page.number)}"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)} &ndash; {host_name(page.host)}</title>\n'
        f'<meta name="description" content="{escape(prose.sentence())}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="canonical" href="{address}">\n'
        f'<meta property="og:title" content="{escape(title)}">\n<meta property="og:type" content="article">\n'
        f"<style>\n{STYLE}</style>\n"
        f'<script type="application/ld+json">{{"@type": "Article", "headline": "{title}", "url": "{address}"}}</script>\n'
        f'<script>{SCRIPT}</script>\n</head>\n<body class="page page-{page.number}">\n<div id="wrapper"><div class="inner">\n'
        f"{_navigation(page, prose)}"
        f'<main id="main"><div class="columns"><div class="column column-wide">\n<article>\n<h1>{escape(title)}</h1>\n'
    )


def _navigation(page: Page, prose: Prose) -> str:
    items = "".join(
        f'<li class="menu-item{" current" if number == page.number else ""}"><a href="{path_of(number)}">{prose.phrase(2)}</a></li>\n'
        for number in range(PAGES_PER_HOST)
    )
    return f'<header role="banner"><div class="bar"><nav aria-label="Main"><ul class="menu">\n{items}</ul></nav></div></header>\n'


def _article(prose: Prose, links: Iterator[str], count: int, budget: int) -> str:
    """Links are spread evenly over the paragraphs; what is left of them closes the article as a list."""
    parts: list[str] = []
    length, written = 0, 0
    while length < budget - 700:
        paragraph, used = _block(prose, links, len(parts), int(count * length / budget) - written)
        parts.append(paragraph)
        length += len(paragraph)
        written += used
    rest = "".join(f'<li><a href="{escape(link)}">{prose.phrase(3)}</a></li>\n' for link in links)
    return "".join(parts) + f'<ul class="related">\n{rest}</ul>\n'


def _block(prose: Prose, links: Iterator[str], at: int, due: int) -> tuple[str, int]:
    if at % 8 == 0:
        return f'<h2 id="section-{at // 8 + 1}">{prose.phrase(4)}</h2>\n', 0
    if at % 12 == 5:
        return _table(prose), 0
    if at % 9 == 7:
        items = "".join(f"<li>{prose.sentence()}</li>\n" for _ in range(4))
        return f'<ul class="block-{at % 23 + 1}">\n{items}</ul>\n', 0
    sentences = [prose.sentence() for _ in range(5)]
    used = 0
    for place in range(min(due, len(sentences))):
        if (link := next(links, None)) is None:
            break
        sentences[place] += f' <a class="reference" href="{escape(link)}" title="{prose.subject()}">{prose.phrase(3)}</a>.'
        used += 1
    sentences[-1] = f"<em>{sentences[-1]}</em>"
    text = " ".join(sentences)
    return f'<div class="block block-{at % 23 + 1}"><div class="text"><p>{text}<br>\n<strong>{prose.phrase(4)}</strong></p></div></div>\n', used


def _table(prose: Prose) -> str:
    rows = "".join(f"<tr><th>{prose.subject()}</th><td>{prose.phrase(3)}</td><td>{len(prose.subject())}&nbsp;%</td></tr>\n" for _ in range(5))
    return f'<table class="figures">\n<tbody>\n{rows}</tbody></table>\n'


def _closing(page: Page, prose: Prose) -> str:
    return (
        f'</article>\n</div><aside class="column"><div class="box"><h3>{prose.phrase(2)}</h3><p>{prose.sentence()}</p></div></aside></div></main>\n'
        f'<footer><div class="bar"><p>&copy; {host_name(page.host)} &middot; entry {page.number} of {page.host}</p>'
        f'<form action="/find" method="get"><input name="q" value=""><button>Find</button></form></div></footer>\n'
        f"</div></div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
