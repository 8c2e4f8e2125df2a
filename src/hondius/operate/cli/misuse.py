"""What typer says of wrong use, as Hondius says it: the option, what it was given, what it takes.

Which words typer has for that depends on its version; those that are not known here are shown as they are.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_EXPECTED = (
    (r"valid integer", "a whole number"),
    (r"valid number", "a number"),
    (r"greater than or equal to (\d+)", r"\1 or more"),
    (r"less than or equal to (\d+)", r"\1 or less"),
)


def in_words(error: BaseException, arguments: Sequence[str]) -> str:
    text = str(error.format_message() if hasattr(error, "format_message") else error).rstrip(".")
    if (match := re.match(r"Invalid value for '(--[\w-]+)'[^:]*: Input should be (?:a )?(.*)", text)) is None:
        return text
    option, wish = match.groups()
    for pattern, words in _EXPECTED:
        if found := re.match(pattern, wish):
            return f"{option} is {_given(option, arguments)!r}: {found.expand(words)} is expected"
    return text


def _given(option: str, arguments: Sequence[str]) -> str:
    """The last one: it is the one that counts."""
    values = [value for name, value in pairwise(arguments) if name == option]
    values += [text.partition("=")[2] for text in arguments if text.startswith(f"{option}=")]
    return values[-1] if values else ""
