"""JSON that was stored as text, perhaps by a stranger."""

import msgspec

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Checks the whole text, and builds none of the values."""


def is_json_object(text: str) -> bool:
    """Whether it is one JSON object in one line, so that it can be part of a line."""
    if "\n" in text or "\r" in text:
        return False
    try:
        _MEMBERS.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True
