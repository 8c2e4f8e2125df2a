"""The style of a page: size, links, charset, base URL. Chosen before the page is written."""

from random import Random

import msgspec

from hondius.testweb.model import Resource, Web
from hondius.testweb.words import BY_CODE

_CODECS = {
    "utf-8": "utf-8",
    "iso-8859-1": "cp1252",
    "windows-1251": "cp1251",
    "shift_jis": "cp932",
    "utf-16": "utf-16-le",
}
"""Python's names for these WHATWG encodings."""

SMALLEST = 14_000
LARGEST = 88_000


class Charset(msgspec.Struct, frozen=True):
    name: str
    in_header: bool
    in_meta: bool
    byte_order_mark: bool

    def octets_per_letter(self, in_utf8: float) -> float:
        return {"utf-8": in_utf8, "utf-16": 2.0, "shift_jis": 1.6}.get(self.name, 1.0)

    def encode(self, text: str) -> bytes:
        """Characters missing from the charset become character references."""
        marked = "\ufeff" + text if self.byte_order_mark else text
        return marked.encode(_CODECS[self.name], "xmlcharrefreplace")


UTF8 = Charset("utf-8", in_header=True, in_meta=False, byte_order_mark=False)


class Style(msgspec.Struct, frozen=True):
    charset: Charset
    octets: int
    """The approximate length of the body."""
    links: int
    base: Resource
    """The base of relative links: the page itself, or the page of the same host that `<base>` names."""


def draw_style(web: Web, page: Resource, random: Random) -> Style:
    octets = SMALLEST + int((LARGEST - SMALLEST) * random.random() ** 2)
    links = 20 + int(130 * random.random() ** 2)
    base = page
    if random.random() < 0.08 and not page.answer.absolute_links:
        base = random.choice(web.pages[page.host.number - 1])
    return Style(_choose_charset(page.host.language, random), octets, links, base)


def _choose_charset(language: str, random: Random) -> Charset:
    others = BY_CODE[language].charsets
    name = random.choice(others) if random.random() < 0.3 else "utf-8"
    if name == "utf-16":
        return Charset(name, in_header=random.random() < 0.5, in_meta=False, byte_order_mark=True)
    if name == "utf-8" and random.random() < 0.1:
        return Charset(name, in_header=False, in_meta=False, byte_order_mark=True)
    in_header = random.random() < 0.6
    return Charset(name, in_header, in_meta=not in_header or random.random() < 0.5, byte_order_mark=False)
