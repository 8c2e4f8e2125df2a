"""The class of a page: how often it is expected to change before anybody has seen it change (R1).

A rule of the operator decides before all else, then what the page says of itself, then its URL. A page that nothing is
known of has no class, and is expected to change as often as a page of a wiki.
"""

import re
from collections.abc import Sequence

from hondius.errors import BadSetting
from hondius.native import Page
from hondius.settings import RecrawlSettings
from hondius.url_pattern import UrlPattern

NEWS, BLOG, WIKI, STATIC = CLASSES = ("news", "blog", "wiki", "static")
UNKNOWN = ""
"""No known class."""

_OF_PROPERTY = {
    "og:type": {"article": BLOG, "blog": BLOG, "news": NEWS, "newsarticle": NEWS},
    "article:section": {"news": NEWS},
}
_BY_HOST = [
    (NEWS, re.compile(r"(?:^|\.)news\.")),
    (BLOG, re.compile(r"(?:^|\.)blogs?\.")),
    (WIKI, re.compile(r"(?:^|\.)\w*wiki(?:pedia)?\.")),
]
_BY_PATH = [
    (NEWS, re.compile(r"/(?:news|breaking|live|headlines)(?:/|$)", re.IGNORECASE)),
    (BLOG, re.compile(r"/blogs?(?:/|$)", re.IGNORECASE)),
    (WIKI, re.compile(r"/wiki(?:/|$)", re.IGNORECASE)),
    (STATIC, re.compile(r"/(?:archives?|v?\d+\.\d+(?:\.\d+)?|licen[cs]e|imprint|privacy)(?:/|\.|$)", re.IGNORECASE)),
]
LONGEST_GUESSED = 500
"""Characters of a URL that are read for a guess."""


class PageClasses:
    def __init__(self, settings: RecrawlSettings) -> None:
        """Raises BadSetting for a rule that is none."""
        self._rules = [_parse_rule(rule) for rule in settings.classes]
        self._seconds = {
            NEWS: settings.news,
            BLOG: settings.blog,
            WIKI: settings.wiki,
            STATIC: settings.static,
            UNKNOWN: settings.wiki,
        }

    def find(self, href: str, kind: str, page: Page | None, known: str | None, *, is_listed_news: bool = False) -> str:
        """`known`: its class at the last visit. `is_listed_news`: whether a news sitemap lists it."""
        for name, pattern in self._rules:
            if pattern.matches(href):
                return name
        if kind == "sitemap":
            return BLOG
        if is_listed_news:
            return NEWS
        return _find_declared(page.open_graph if page is not None else ()) or known or _guess(href)

    def find_interval(self, name: str | None) -> float:
        """Seconds that a page of this class is expected to stay the same."""
        return self._seconds.get(name or UNKNOWN, self._seconds[UNKNOWN])


def _parse_rule(rule: str) -> tuple[str, UrlPattern]:
    name, _, pattern = rule.partition(" ")
    if name not in CLASSES or not pattern.strip():
        raise BadSetting(
            f"recrawl.classes has {rule[:60]!r}: one of {', '.join(CLASSES)}, a space and a regular expression are "
            "expected"
        )
    return name, UrlPattern(pattern.strip())


def _find_declared(properties: Sequence[tuple[str, str]]) -> str:
    for name, value in properties:
        if (found := _OF_PROPERTY.get(name, {}).get(value.strip().lower())) is not None:
            return found
    return UNKNOWN


def _guess(href: str) -> str:
    """By the name of the host, then by the path: an address such as 127.0.0.1 is not the number of a version."""
    host, _, path = href[:LONGEST_GUESSED].partition("?")[0].partition("//")[2].partition("/")
    for guesses, text in ((_BY_HOST, host), (_BY_PATH, f"/{path}")):
        for name, pattern in guesses:
            if pattern.search(text):
                return name
    return UNKNOWN
