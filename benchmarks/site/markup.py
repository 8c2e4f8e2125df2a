"""One page as HTML, in the shape that content management systems give it."""

from html import escape

from benchmarks.site.plan import PAGES_PER_HOST, Page, directory_of, origin, path_of
from benchmarks.site.prose import Prose

STYLE = "".join(
    f".block-{n}{{margin:{n}px auto;padding:0 {n * 2}px;border-top:1px solid #{n:06}}}\n" for n in range(1, 24)
)
SCRIPT = """(function (w, d) { var queue = w.measure = w.measure || []; queue.push(["page", d.title]);
 if (1 < 2 && "a" > "A") { d.documentElement.className += ' scripted'; }
 var banner = '<a href="/not-a-link">no link</a>'; w.banner = banner.length; })(window, document);"""
OPENING = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} &ndash; {host}</title>
<meta name="description" content="{description}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="canonical" href="{address}">
<meta property="og:title" content="{title}">
<meta property="og:type" content="article">
<style>
{style}</style>
<script type="application/ld+json">{{"@type": "Article", "headline": "{title}", "url": "{address}"}}</script>
<script>{script}</script>
</head>
<body class="page page-{number}">
<div id="wrapper"><div class="inner">
<header role="banner"><div class="bar"><nav aria-label="Main"><ul class="menu">
{menu}</ul></nav></div></header>
<main id="main"><div class="columns"><div class="column column-wide">
<article>
<h1>{title}</h1>
"""
CLOSING = """</article>
</div><aside class="column"><div class="box"><h3>{heading}</h3><p>{aside}</p></div></aside></div></main>
<footer><div class="bar"><p>&copy; {host} &middot; entry {number}</p>
<form action="/find" method="get"><input name="q" value=""><button>Find</button></form></div></footer>
</div></div>
<script>{script}</script>
</body>
</html>
"""
SENTENCES = 5
"""Of a paragraph; each may carry a link."""
LAST_BLOCK = 700
"""About as long as a paragraph: where so little is left, the article ends."""


def html_of(page: Page) -> bytes:
    """As long as the plan says, to within a paragraph."""
    prose = Prose(page.random)
    before, after = _opening(page, prose), _closing(page, prose)
    return (before + _article(page, prose, page.size - len(before) - len(after)) + after).encode()


def _opening(page: Page, prose: Prose) -> str:
    return OPENING.format(
        title=prose.title(),
        host=directory_of(page.host, page.port),
        description=escape(prose.sentence()),
        address=f"{origin(page.host, page.port)}{path_of(page.number)}",
        style=STYLE,
        script=SCRIPT,
        number=page.number,
        menu="".join(_menu_item(number, prose) for number in range(PAGES_PER_HOST)),
    )


def _menu_item(number: int, prose: Prose) -> str:
    return f'<li class="menu-item item-{number}"><a href="{path_of(number)}">{prose.phrase(2)}</a></li>\n'


def _article(page: Page, prose: Prose, budget: int) -> str:
    """Links are spread evenly over the paragraphs; what is left of them closes the article as a list."""
    blocks: list[str] = []
    length = taken = 0
    while length < budget - LAST_BLOCK:
        block = _interlude(prose, len(blocks))
        if block is None:
            due = page.links[taken : len(page.links) * length // budget][:SENTENCES]
            taken += len(due)
            block = _paragraph(prose, len(blocks), due)
        blocks.append(block)
        length += len(block)
    rest = "".join(f'<li><a href="{escape(link)}">{prose.phrase(3)}</a></li>\n' for link in page.links[taken:])
    return "".join(blocks) + f'<ul class="related">\n{rest}</ul>\n'


def _interlude(prose: Prose, at: int) -> str | None:
    """Headings, tables and lists among the paragraphs."""
    if at % 8 == 0:
        return f'<h2 id="section-{at // 8 + 1}">{prose.phrase(4)}</h2>\n'
    if at % 12 == 5:
        rows = "".join(_row(prose) for _ in range(5))
        return f'<table class="figures">\n<tbody>\n{rows}</tbody></table>\n'
    if at % 9 == 7:
        items = "".join(f"<li>{prose.sentence()}</li>\n" for _ in range(4))
        return f'<ul class="block-{at % 23 + 1}">\n{items}</ul>\n'
    return None


def _row(prose: Prose) -> str:
    return f"<tr><th>{prose.subject()}</th><td>{prose.phrase(3)}</td><td>{len(prose.subject())}&nbsp;%</td></tr>\n"


def _paragraph(prose: Prose, at: int, links: tuple[str, ...]) -> str:
    sentences = [prose.sentence() for _ in range(SENTENCES)]
    for place, link in enumerate(links):
        sentences[place] += (
            f' <a class="reference" href="{escape(link)}" title="{prose.subject()}">{prose.phrase(3)}</a>.'
        )
    text = " ".join([*sentences[:-1], f"<em>{sentences[-1]}</em>", f"<strong>{prose.phrase(4)}</strong>"])
    return f'<div class="block block-{at % 23 + 1}"><div class="text"><p>{text}<br></p></div></div>\n'


def _closing(page: Page, prose: Prose) -> str:
    return CLOSING.format(
        heading=prose.phrase(2),
        aside=prose.sentence(),
        host=directory_of(page.host, page.port),
        number=page.number,
        script=SCRIPT,
    )
