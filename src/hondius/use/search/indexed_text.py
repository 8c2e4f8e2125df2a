"""What the index has of a page.

The text is that of the fast pass without navigation, sidebars and forms, or the whole text if nothing else is left.
docs/decisions/0029 says why it is not the main text, and why not that of the deep pass.
"""

import logging

from hondius.errors import HondiusError
from hondius.model import State
from hondius.native import NativeError, Page
from hondius.search_model import IndexedPage
from hondius.usage import Use, is_reserved
from hondius.use.content import Contents, Row
from hondius.use.unread_bodies import UnreadBodies

MOST_TEXT = 300_000
"""Characters of a page that are indexed."""
MOST_HEADINGS = 10_000
MOST_TITLE = 1_000
WITHOUT_TEXT = "only their titles, descriptions and URLs can be searched"
"""What an unreadable body means for a search."""
_log = logging.getLogger("hondius.search")


def is_indexed(row: Row | None) -> bool:
    """Whether a page can be found: it has content, and does not ask not to be indexed (D4)."""
    return (
        row is not None
        and row["kind"] == "page"
        and row["state"] in (State.COMPLETED, State.DUPLICATE)
        and not row["noindex"]
    )


def make_indexed_page(row: Row, contents: Contents, unread: UnreadBodies) -> IndexedPage:
    """A page whose body cannot be read is found by its title, description and URL, and added to `unread`."""
    page = _analyse(row, contents, unread)
    headings = "" if page is None else "\n".join(text for _, text in page.headings)
    return IndexedPage(
        key=row["key"],
        url=row["url"],
        host=row["host"],
        title=row["title"][:MOST_TITLE],
        description=row["description"][:MOST_TITLE],
        headings=headings[:MOST_HEADINGS],
        text="" if page is None else (page.content_text or page.text)[:MOST_TEXT],
        language=row["language"],
        fetched_at=row["last_fetched_at"] or 0.0,
        is_copy=row["state"] == State.DUPLICATE,
        reserved=tuple(use.value for use in Use if is_reserved(row["usage"], use)),
    )


def _analyse(row: Row, contents: Contents, unread: UnreadBodies) -> Page | None:
    try:
        return contents.analyse(row)
    except (HondiusError, NativeError) as error:
        _log.warning("%s is indexed without its text: %s", row["url"], error)
        unread.add(row["url"])
        return None
