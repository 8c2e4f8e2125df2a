"""Which names a consumer may have, and which of them are Hondius's own."""

import re

from hondius.errors import WrongUse

SEARCH, OPENSEARCH = "search", "opensearch"
"""The consumers of the search index, and of the sink that sends pages to OpenSearch."""
SINK = "sink."
"""Begins the names of the consumers of hooks: `sink.` and the name of the function."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def refuse_bad_name(name: str) -> None:
    if not isinstance(name, str) or not is_name(name):
        raise WrongUse(
            f"{name!r} is no name of a consumer: use up to 100 letters, digits, `-`, `_` and `.`, and begin with a "
            "letter, a digit or `_`"
        )


def check_own_name(name: str) -> str:
    """A name that a program chooses. Raises WrongUse for one of Hondius itself: both would share one position."""
    if not isinstance(name, str):
        raise WrongUse(f"consumer={name!r} is no name: give a text such as 'indexer'")
    refuse_bad_name(name)
    if name in (SEARCH, OPENSEARCH) or name.startswith(SINK):
        raise WrongUse(
            f"consumer={name!r}: Hondius uses {SEARCH}, {OPENSEARCH} and names that begin with {SINK} itself: choose "
            "another name"
        )
    return name
