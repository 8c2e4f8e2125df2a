"""Escapes text that a stranger may have written, so that a terminal does not interpret it.

Names, URLs and reasons come from servers, certificates and crawl directories. Standard output and standard error
(`streams.py`), tables and panels (`display/console.py`) and `crawl.log` (`logs.py`) escape all text, so that other code
need not.
"""

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters (C0 except tab and line feed, DEL, C1), and those that change the direction of text."""


def escape_controls(text: str) -> str:
    """Writes control characters as Python does: `\\x1b`. Keeps line feeds."""
    return _CONTROLS.sub(_escape, text)


def escape_controls_in_json(text: str) -> str:
    """Writes control characters as JSON does, which keeps the values the same."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def replace_surrogates(text: str) -> str:
    """Lone surrogates become U+FFFD, as in web APIs."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def make_printable(text: str) -> str:
    """One line without control characters: each character that is not printable becomes U+FFFD."""
    return "".join(c if c.isprintable() else "\ufffd" for c in replace_surrogates(text))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
