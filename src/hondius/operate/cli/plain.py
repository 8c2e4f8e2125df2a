"""Text of others, fit to be shown: pages, servers and arguments may hold anything. And what Hondius says itself."""

import sys

from hondius.operate.cli.harmless import harmless


def whole_text(text: str) -> str:
    """Lone surrogates become U+FFFD, as in the web's own APIs."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def printable(text: str) -> str:
    """On one line, and without what a terminal would obey."""
    return "".join(c if c.isprintable() else "\ufffd" for c in whole_text(text))


def say(text: str) -> None:
    """To whoever sits at the terminal, beside what the command is asked for."""
    print(f"hondius: {harmless(text)}", file=sys.stderr, flush=True)
