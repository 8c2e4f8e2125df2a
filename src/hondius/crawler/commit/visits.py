"""Derives from the end of a URL whether URLs of its shape still bring new content (F6)."""

from hondius.model import Finished, State
from hondius.settings.media import HTML_TYPES

RECEIVED = (State.COMPLETED, State.DUPLICATE)
"""States of pages whose content was received."""
GONE = frozenset({404, 410})


UNRESOLVED = frozenset({"dns_nxdomain", "dns_failure", "dns_impossible", "address_refused"})
"""Causes for a URL whose host has no address that may be contacted."""

Visit = tuple[bytes, str, str, bytes | None, bool]
"""As `UrlStore.apply` takes it: key, href, word, hash of the text, whether it brought links that nobody knew."""


def make_visit(event: Finished) -> Visit | None:
    """None if the end says nothing about the host."""
    if event.fetched_at is None:
        word = _choose_word(event)
        return (event.key, event.url, word, None, False) if word else None
    if event.kind != "page":
        is_page = event.kind == "requisite" and event.type in HTML_TYPES
        return (event.key, event.url, "unread", None, False) if is_page else None
    if event.via == "recrawl" or not (novelty := _judge_novelty(event)):
        return None
    text_hash = (event.text_hash or None) if event.state in RECEIVED else None
    return event.key, event.url, novelty, text_hash, event.new_links > 0


def _choose_word(event: Finished) -> str:
    """The word for a URL that was never requested: why it was refused, or that its host has no address."""
    if event.state is State.REFUSED:
        return event.cause
    return "unnamed" if event.state is State.FAILED and event.cause in UNRESOLVED else ""


def _judge_novelty(event: Finished) -> str:
    """An empty page, a missing page and a redirect to a known URL bring nothing new. A failing server and a type that
    is not read tell nothing. A text that the host has shown before is not new either; the URL store checks that, also
    for a copy, whose original may be on another host. A copy whose text is unknown brings nothing new."""
    state = event.state
    if state is State.COMPLETED:
        return "novel" if event.length and event.text_hash != b"" else "stale"
    if state is State.REDIRECTED:
        return "novel" if event.new_links else "stale"
    if state is State.DUPLICATE:
        return "novel" if event.text_hash else "stale"
    return "stale" if state is State.GONE or (state is State.FAILED and event.status in GONE) else ""
