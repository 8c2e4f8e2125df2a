"""What the end of a URL says of its host: whether the shape of the URL still brings new content (F6)."""

from hondius.model import Finished, State

GONE = frozenset({404, 410})


def visit_of(event: Finished) -> tuple[str, str] | None:
    """(href, word) as `UrlStore.apply` takes it; None where it says nothing."""
    if event.fetched_at is None:
        return (event.url, event.cause) if event.state is State.REFUSED else None
    if event.kind != "page" or event.via == "recrawl":
        return None
    novelty = _novelty(event)
    return (event.url, novelty) if novelty else None


def _novelty(event: Finished) -> str:
    """A copy, an empty page, a page that is not there and a redirect to what is known bring nothing new. Of a server
    that fails, and of a type that is not read, nothing can be told."""
    match event.state:
        case State.COMPLETED:
            return "novel" if event.length else "stale"
        case State.REDIRECTED:
            return "novel" if event.new_links else "stale"
        case State.DUPLICATE | State.GONE:
            return "stale"
        case State.FAILED if event.status in GONE:
            return "stale"
    return ""
