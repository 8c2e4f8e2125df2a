"""Resources that pages embed and crawls skip by default (D3): pictures, scripts, style sheets."""

from hondius.testweb.model import Answer, Content, Kind, Resource
from hondius.testweb.site import Site

_EMBEDDED = (
    ("logo.svg", "image/svg+xml", Kind.IMAGE),
    ("wide.webp", "image/webp", Kind.IMAGE),
    ("portrait", "image/jpeg", Kind.IMAGE),
    ("menu.js", "text/javascript", Kind.SCRIPT),
    ("site.css", "text/css", Kind.STYLESHEET),
)


def plan_media(site: Site) -> None:
    """All ordinary pages embed the same few resources, as real sites do."""
    embedded = [(_add_embedded(site, name, media_type), kind) for name, media_type, kind in _EMBEDDED]
    for page in site.pages:
        for resource, kind in embedded:
            site.link(page, resource, kind)


def _add_embedded(site: Site, name: str, media_type: str) -> Resource:
    target = f"/media/{name}"
    answer = Answer(content=Content.BINARY, media_type=media_type)
    return site.add("embedded", target, answer, None, (site.href(target),))
