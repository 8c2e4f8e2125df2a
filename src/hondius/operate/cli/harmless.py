"""What is shown of a text that a stranger may have written: nothing in it is obeyed by a terminal.

Names, URLs and reasons come from servers, certificates and crawl directories. Each of them is shown on a terminal or
kept in `crawl.log`, by code that need not think of it: standard output and standard error (`streams.py`), tables and
panels (`shown.py`) and the log (`logs.py`) all pass through here.
"""

import re

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters (C0 but tab and line feed, DEL, C1), and those that turn the direction of text around."""


def harmless(text: str) -> str:
    """As Python writes them: `\\x1b`. Lines stay lines."""
    return _OBEYED.sub(_escaped, text)


def harmless_json(text: str) -> str:
    """The same values, for a program: escaped as JSON does it."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
