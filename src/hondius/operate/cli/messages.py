"""Messages of Hondius to the user."""

import sys

from hondius.sanitise import escape_controls


def say(text: str) -> None:
    """Prints a message on standard error, apart from the command's output."""
    print(f"hondius: {escape_controls(text)}", file=sys.stderr, flush=True)
