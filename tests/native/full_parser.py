"""The links of a page by a full HTML5 parser, lexbor: the judge of our own reading (A3, D3)."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from hondius._native import Identity, Reader

IDENTITY = Identity()
READER = Reader(IDENTITY, agent_token="hondius")
HOLD_HTML = {"foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"}
FOLLOWED = {"canonical", "feed", "alternate", "next", "prev", "previous"}


def links_by_lexbor(page: str, url: str) -> set[str]:
    """Its tree, and our own resolution of URLs, which other suites judge."""
    tree = LexborHTMLParser(page)
    base = _base(tree, url)
    texts = [node.attributes.get("href") for node in tree.css("a, area")]
    texts += [node.attributes.get("xlink:href") for node in tree.css("svg a") if _is_foreign(node)]
    texts += [
        node.attributes["href"] for node in _html(tree, "link[rel][href]") if is_followed(node.attributes["rel"] or "")
    ]
    texts += [node.attributes["src"] for node in _html(tree, "iframe[src], frame[src]")]
    texts += [text for markup in _markup_within(tree) for text in _links_within(markup)]
    rows = IDENTITY.batch([(text, base) for text in texts if text is not None])
    return {row[0] for row in rows if row[0] is not None} | _refreshes(tree, base)


def _markup_within(tree: LexborHTMLParser) -> Iterator[str]:
    """What a browser shows in a frame, or instead of frames."""
    yield from (node.text() for node in _html(tree, "noframes"))
    yield from (node.attributes["srcdoc"] or "" for node in _html(tree, "iframe[srcdoc]"))


def _links_within(markup: str) -> Iterator[str | None]:
    tree = LexborHTMLParser(markup)
    yield from (node.attributes["href"] for node in tree.css("a[href], area[href]"))
    yield from (node.attributes["src"] for node in _html(tree, "iframe[src]"))


def _html(tree: LexborHTMLParser, selector: str) -> Iterator[LexborNode]:
    """Selectors do not tell a `base` of HTML from one of svg, which means nothing."""
    return (node for node in tree.css(selector) if not _is_foreign(node))


def _is_foreign(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and (parent.tag or "").lower() not in HOLD_HTML:
        if parent.tag in ("svg", "math"):
            return True
        parent = parent.parent
    return False


def _base(tree: LexborHTMLParser, url: str) -> str:
    element = next(_html(tree, "base[href]"), None)
    if element is None:
        return url
    return IDENTITY.batch([(element.attributes["href"] or "", url)])[0][0] or url


def is_followed(rel: str) -> bool:
    """Whether a `<link>` of this `rel` leads to a page."""
    words = set(rel.lower().split())
    return "stylesheet" not in words and bool(words & FOLLOWED)


def _refreshes(tree: LexborHTMLParser, base: str) -> set[str]:
    """What such an element says is judged by the web platform tests: here it is only found."""
    headers = [
        ("Refresh", node.attributes["content"] or "")
        for node in _html(tree, "meta[http-equiv][content]")
        if (node.attributes["http-equiv"] or "").lower() == "refresh"
    ]
    return {link.href for link in READER.read(b"", url=base, content_type="text/html", headers=headers).links}
