"""Makes the body of any resource, as its plan describes."""

import zlib
from collections import OrderedDict
from html import escape
from random import Random

import msgspec

from hondius.testweb.model import Content, Kind, Resource, Web
from hondius.testweb.pages import PageWriter
from hondius.testweb.prose import Prose
from hondius.testweb.sitemaps import write_index, write_urlset
from hondius.testweb.style import UTF8
from hondius.testweb.words import BY_CODE, make_sentence

CACHED_OCTETS = 64 * 1024 * 1024


class Document(msgspec.Struct, frozen=True):
    body: bytes
    content_type: str


class Library:
    """Makes documents, and caches the last ones, up to `cached_octets`."""

    def __init__(self, web: Web, cached_octets: int = CACHED_OCTETS) -> None:
        self._web = web
        self._pages = PageWriter(web, Prose(web.seed))
        self._kept: OrderedDict[tuple[str, bool], Document] = OrderedDict()
        self._room = cached_octets

    def document(self, resource: Resource, *, compressed: bool) -> Document:
        """`compressed`: with gzip as content coding."""
        original = self._web.resources[resource.answer.same_as or resource.id]
        wanted = (original.id, compressed)
        if wanted in self._kept:
            self._kept.move_to_end(wanted)
            return self._kept[wanted]
        document = self._make(original)
        if compressed:
            document = Document(_compress(document.body), document.content_type)
        self._cache(wanted, document)
        return document

    def _cache(self, name: tuple[str, bool], document: Document) -> None:
        self._kept[name] = document
        self._room -= len(document.body)
        while self._room < 0:
            self._room += len(self._kept.popitem(last=False)[1].body)

    def _make(self, resource: Resource) -> Document:
        answer = resource.answer
        if answer.content is Content.PAGE:
            body, charset = self._pages.write(resource)
            return Document(
                body, f"{answer.media_type}; charset={charset.name}" if charset.in_header else answer.media_type
            )
        if answer.content is Content.BINARY:
            return Document(Random(f"binary/{self._web.seed}/{resource.id}").randbytes(3_000), answer.media_type)
        body = UTF8.encode(self._make_text(resource))
        return Document(_compress(body) if answer.packed else body, answer.media_type)

    def _make_text(self, resource: Resource) -> str:
        answer, random = resource.answer, Random(f"text/{self._web.seed}/{resource.id}")
        match answer.content:
            case Content.ROBOTS | Content.READY:
                return answer.text
            case Content.SITEMAP_INDEX:
                return write_index(answer.listed)
            case Content.SITEMAP if answer.media_type == "text/plain":
                return "\n".join(answer.listed) + "\n"
            case Content.SITEMAP:
                return write_urlset(answer.listed, random)
            case Content.FEED:
                return _make_feed(resource)
            case Content.FRAMESET:
                return self._make_frameset(resource)
            case Content.TEXT:
                return resource.id + "\n" + "".join(make_sentence(random, BY_CODE["en"]) for _ in range(200))
            case _:
                return _make_notice(resource)

    def _make_frameset(self, resource: Resource) -> str:
        links = [link for link in self._web.links[resource.id] if link.kind is Kind.FRAME]
        frames = "".join(f'<frame src="{escape(self._web.resources[link.to].target)}">\n' for link in links)
        return (
            f"<html><head><title>{resource.id}</title></head>\n<frameset cols='50%,50%'>\n{frames}"
            "<noframes><body>Frames are needed.</body></noframes></frameset></html>\n"
        )


def _make_feed(resource: Resource) -> str:
    items = "".join(
        f"<item><title>{escape(href)}</title><link>{escape(href)}</link></item>\n" for href in resource.answer.listed
    )
    channel = f"<title>{resource.id}</title><link>{resource.host.origin}/</link><description>News</description>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>{channel}\n{items}</channel></rss>\n'


def _make_notice(resource: Resource) -> str:
    where = (
        f'<a href="{escape(resource.answer.location)}">There.</a>'
        if resource.answer.location
        else '<a href="/">Home.</a>'
    )
    title = f"<title>{resource.answer.status}</title>"
    return f"<html><head>{title}</head><body><h1>{resource.id}</h1><p>{where}</p></body></html>\n"


def _compress(body: bytes) -> bytes:
    """Fast rather than small. The header has no time, so the same body gives the same octets."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
    return compressor.compress(body) + compressor.flush()
