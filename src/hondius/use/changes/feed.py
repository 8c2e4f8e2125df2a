"""Changes as an Atom feed (RFC 4287), the newest first."""

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from hondius.use.changes.change import Change

MOST_ENTRIES = 1_000
NEVER = "1970-01-01T00:00:00Z"
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have. Titles come from strangers."""


def render_feed(crawl: str, changes: Sequence[Change]) -> str:
    """`changes`: in their order; `crawl`: its name."""
    newest_first = list(reversed(changes[-MOST_ENTRIES:]))
    identity = newest_first[0].id.partition("-")[0] if newest_first else "0"
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>urn:hondius:{identity}</id>",
        f"<title>{_escape(f'Changes of {crawl}')}</title>",
        f"<updated>{newest_first[0].at if newest_first else NEVER}</updated>",
        "<author><name>Hondius</name></author>",
        *map(_render_entry, newest_first),
        "</feed>\n",
    ]
    return "\n".join(parts)


def _render_entry(change: Change) -> str:
    title = _escape(f"{change.kind}: {change.title or change.url}")
    return (
        f"<entry><id>urn:hondius:{change.id}</id><title>{title}</title>"
        f"<link href={quoteattr(_NO_XML.sub('', change.url))}/><category term={quoteattr(change.kind)}/>"
        f"<updated>{change.at}</updated></entry>"
    )


def _escape(text: str) -> str:
    return escape(_NO_XML.sub("", text))
