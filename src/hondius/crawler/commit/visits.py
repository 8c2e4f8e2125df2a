"""What the end of a URL says of its host: whether the shape of the URL still brings new content (F6)."""

from hondius.model import Finished, State

GONE = frozenset({404, 410})


Visit = tuple[str, str, bytes | None, bool]
"""As `UrlStore.apply` takes it: href, word, hash of the text, whether it brought links that nobody knew."""


def visit_of(event: Finished) -> Visit | None:
    """None where it says nothing."""
    if event.fetched_at is None:
        return (event.url, event.cause, None, False) if event.state is State.REFUSED else None
    if event.kind != "page" or event.via == "recrawl":
        return None
    novelty = _novelty(event)
    if not novelty:
        return None
    is_page = event.state in (State.COMPLETED, State.DUPLICATE)
    return event.url, novelty, (event.text_hash or None) if is_page else None, event.new_links > 0


def _novelty(event: Finished) -> str:
    """A copy, an empty page, a page that is not there and a redirect to what is known bring nothing new. Of a server
    that fails, and of a type that is not read, nothing can be told. A text that the host has shown before is nothing
    new either: that is for the URL store to find out."""
    match event.state:
        case State.COMPLETED:
            return "novel" if event.length and event.text_hash != b"" else "stale"
        case State.REDIRECTED:
            return "novel" if event.new_links else "stale"
        case State.DUPLICATE | State.GONE:
            return "stale"
        case State.FAILED if event.status in GONE:
            return "stale"
    return ""
