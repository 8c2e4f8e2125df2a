"""Elements of a page, by a CSS selector."""

from dataclasses import dataclass, field
from functools import cache

from hondius.crawler.translation import PRODUCT
from hondius.errors import BadSetting, HondiusError
from hondius.native import Identity, NativeError, Reader, find_elements


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page. `element["href"]` is an attribute; `element.get("href")` is None if it is missing."""

    name: str
    text: str
    """The text in it, white space folded."""
    html: str
    """The markup in it."""
    attributes: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def get(self, name: str, default: str | None = None) -> str | None:
        return self.attributes.get(name, default)


class Elements(list[Element]):
    """A list of elements. Its `text` is that of the first; empty if there is none."""

    @property
    def text(self) -> str:
        return self[0].text if self else ""

    @property
    def texts(self) -> list[str]:
        """The text of each."""
        return [element.text for element in self]


def select_elements(selector: str, body: bytes, url: str, media_type: str, charset: str) -> Elements:
    """Raises BadSetting if it is no selector, HondiusError if the page is too expensive for it."""
    if not isinstance(selector, str):
        raise BadSetting(f"{selector!r} is no CSS selector: give a text such as 'h1.title'")
    content_type = f"{media_type}; charset={charset}" if charset else media_type
    try:
        found = find_elements(selector, _make_reader(), body, url=url, content_type=content_type)
    except NativeError as error:
        raise BadSetting(f"{selector!r} is no CSS selector: {error}") from None
    if found is None:
        raise HondiusError(f"{selector!r} takes too much work on {url}: use a narrower selector")
    return Elements(Element(name, text, html, dict(attributes)) for name, text, html, attributes in found)


@cache
def _make_reader() -> Reader:
    return Reader(Identity(), agent_token=PRODUCT, want_text=False)
