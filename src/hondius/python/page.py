"""A page: the values of its row, and everything else on demand."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from hondius.errors import Broken, WrongUse
from hondius.model import DeepText, State
from hondius.python.elements import Elements, select_elements
from hondius.python.parts import Fetch, Headers, Link, to_datetime, to_hex
from hondius.use.export.rows import make_row

COSTLY = ("text", "main_text", "markdown", "structured", "headers", "links")
"""Values of a page that `to_dict` computes only if they are named."""


class PageSource(Protocol):
    """Where the parts of one page come from that its row does not have. The page calls each method at most once."""

    def read_headers(self) -> list[tuple[str, str]]: ...
    def read_body(self) -> bytes | None:
        """The decoded body; None if it was not stored."""

    def read_text(self) -> str: ...
    def read_deep_text(self) -> DeepText: ...
    def read_links(self) -> list[Link]: ...
    def read_history(self) -> list[Fetch]: ...


class Page:
    """A URL of a crawl that has ended, with what is known about it.

    Values that stand in the catalog cost nothing. `text`, `main_text`, `markdown`, `structured`, `headers`, `body`,
    `css()`, `links` and `history` are read when they are first used, and then stay with the page. The archive is read
    for them, which takes milliseconds; the main text is extracted once for each page, and then stored in the crawl.
    """

    def __init__(self, row: Mapping[str, Any], source: PageSource) -> None:
        """`row`: as in `Catalog.page`, or `make_row_of_end` of the event that ended it."""
        self._row = row
        self._source = source

    @property
    def url(self) -> str:
        """The URL that was requested."""
        return str(self._row["url"])

    @property
    def key(self) -> bytes:
        """The identity of the URL: the same for all spellings that the crawl takes for one URL."""
        return bytes(self._row["key"])

    @property
    def host(self) -> str:
        return str(self._row["host"])

    @property
    def state(self) -> State:
        """How the URL ended: completed, duplicate, redirected, failed, gone, blocked or refused."""
        return State(self._row["state"])

    @property
    def cause(self) -> str:
        """Why it ended so, such as `http_404` or `robots`; empty for a plain completion."""
        return str(self._row["cause"])

    @property
    def kind(self) -> str:
        """`page`, or `sitemap`."""
        return str(self._row["kind"])

    @property
    def status(self) -> int | None:
        """The HTTP status; None if no answer came."""
        status: int | None = self._row["status"]
        return status

    @property
    def type(self) -> str:
        """The media type, such as `text/html`."""
        return str(self._row["type"])

    @property
    def charset(self) -> str:
        return str(self._row["charset"])

    @property
    def length(self) -> int:
        """Bytes of the decoded body."""
        return int(self._row["length"])

    @property
    def truncated(self) -> bool:
        """Whether the body was longer than the crawl reads (`fetch.page_cap`)."""
        return bool(self._row["truncated"])

    @property
    def title(self) -> str:
        return str(self._row["title"])

    @property
    def description(self) -> str:
        return str(self._row["description"])

    @property
    def canonical(self) -> str | None:
        """The URL that the page names as its canonical one."""
        return self._read_optional("canonical")

    @property
    def language(self) -> str:
        """The language that the page declares, otherwise the detected one; empty if neither is known."""
        return str(self._row["language"])

    @property
    def noindex(self) -> bool:
        """Whether the page asks not to be indexed."""
        return bool(self._row["noindex"])

    @property
    def usage(self) -> list[str]:
        """What its owner says about its use, as it stood when it was fetched: signals such as
        `robots content-signal ai-train=no`."""
        stated = self._read_optional("usage")
        return stated.split("\n") if stated else []

    @property
    def depth(self) -> int:
        """The length of the shortest known path from a seed."""
        return int(self._row["depth"])

    @property
    def fetched_at(self) -> datetime | None:
        """When the last byte arrived, in UTC; None if nothing was sent."""
        return to_datetime(self._row["last_fetched_at"])

    @property
    def content_hash(self) -> str | None:
        """SHA-256 of the decoded body, in hex."""
        return to_hex(self._row["content_hash"])

    @property
    def redirect_to(self) -> str | None:
        """The target of a redirect."""
        return self._read_optional("redirect_to")

    @property
    def copy_of(self) -> str | None:
        """The URL of the original, if this page is a copy."""
        return self._read_optional("copy_of")

    @cached_property
    def extracted(self) -> dict[str, Any]:
        """What the extract hooks of the crawl returned for this page."""
        text = self._row.get("extracted")
        return _read_object(text, f"what was extracted from {self.url}") if text else {}

    @cached_property
    def headers(self) -> Headers:
        """The headers of the answer: `headers["content-type"]`, or pairs in order, with names in lower case."""
        return Headers(self._source.read_headers())

    @cached_property
    def body(self) -> bytes | None:
        """The decoded body; None if none was stored."""
        return self._source.read_body()

    @cached_property
    def text(self) -> str:
        """All text of the page, in one line; empty if it has none."""
        return self._source.read_text()

    @property
    def main_text(self) -> str:
        """The main text alone, without navigation and other boilerplate: one line a block."""
        return self._deep_text.main_text

    @property
    def markdown(self) -> str:
        """The main text as Markdown, with headings, lists, tables, code and links."""
        return self._deep_text.markdown

    @cached_property
    def structured(self) -> dict[str, Any]:
        """Structured data: `json_ld`, `microdata` and `rdfa` are lists, `open_graph` is a dictionary. `left_out` counts
        values that were dropped because the page has too many."""
        return _read_object(self._deep_text.structured, f"the stored structured data of {self.url}")

    def json_ld(self, type: str | None = None) -> Any:  # noqa: A002
        """All JSON-LD objects of the page; or, with a `type` such as `Product`, the first object of that type: an empty
        dictionary if there is none."""
        objects = list(_find_objects(self.structured.get("json_ld", [])))
        if type is None:
            return objects
        return next((found for found in objects if type in _list_types(found)), {})

    def css(self, selector: str) -> Elements:
        """The elements that a CSS selector finds, in order: `page.css("h1").text`, `page.css("a.next")[0]["href"]`.
        Empty if there are none. Raises BadSetting if it is no selector."""
        return select_elements(selector, self.body or b"", self.url, self.type, self.charset)

    @cached_property
    def links(self) -> list[Link]:
        """Its links, as far as the crawl read them; also those out of scope. One for each different URL, by its key."""
        return self._source.read_links()

    @cached_property
    def history(self) -> list[Fetch]:
        """All requests for it, oldest first."""
        return self._source.read_history()

    def to_dict(self, *costly: str) -> dict[str, Any]:
        """Its values for JSON, named as in an export. `costly` names more: text, main_text, markdown, structured,
        headers, links."""
        if unknown := [name for name in costly if name not in COSTLY]:
            raise WrongUse(f"to_dict() knows no {unknown[0]!r}: choose from {', '.join(COSTLY)}")
        values = make_row(dict(self._row)) | {"description": self.description, "extracted": self.extracted}
        for name in costly:
            values[name] = [link.url for link in self.links] if name == "links" else getattr(self, name)
        return values

    def __repr__(self) -> str:
        return f"<Page {self.url} {self.state}{f' {self.status}' if self.status is not None else ''}>"

    def __eq__(self, other: object) -> bool:
        """Pages are equal if they are the same visit of the same URL."""
        if not isinstance(other, Page):
            return NotImplemented
        return (self.url, self.state, self.fetched_at) == (other.url, other.state, other.fetched_at)

    def __hash__(self) -> int:
        return hash((self.url, self.fetched_at))

    def _read_optional(self, name: str) -> str | None:
        value: str | None = self._row[name]
        return value

    @cached_property
    def _deep_text(self) -> DeepText:
        return self._source.read_deep_text()


def _read_object(text: str, what: str) -> dict[str, Any]:
    """A crawl from a stranger may hold any text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Broken(f"{what} is no JSON object: delete deep-texts.db, or run `hondius rebuild` on the crawl")
    return found


def _find_objects(values: list[Any]) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD blocks, also those in a list or an `@graph`."""
    for value in values:
        if isinstance(value, list):
            yield from _find_objects(value)
        elif isinstance(value, dict):
            graph = value.get("@graph")
            yield from _find_objects(graph) if isinstance(graph, list) else (value,)


def _list_types(found: dict[str, Any]) -> list[Any]:
    types = found.get("@type")
    return types if isinstance(types, list) else [types]
