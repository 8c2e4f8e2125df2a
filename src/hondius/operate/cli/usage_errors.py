"""Rewrites the usage errors of typer: the option, the value given, the values it accepts."""

import re

_WRONG = re.compile(
    r"Invalid value for '(?P<option>--[\w-]+)'[^:]*: (?P<given>.*) is not "
    r"(?:a valid (?P<kind>int|float)\w*(?: range)?|in the range (?P<least>\d+)<=x<=(?P<most>\d+))"
)
_KINDS = {"int": "a whole number", "float": "a number"}


def describe_usage_error(error: BaseException) -> str:
    """Messages with an unknown pattern are left unchanged: they differ between versions of typer."""
    text = str(error.format_message() if hasattr(error, "format_message") else error).rstrip(".")
    if (wrong := _WRONG.fullmatch(text)) is None:
        return text
    expected = _KINDS.get(wrong["kind"]) or f"a number from {wrong['least']} to {wrong['most']}"
    return f"{wrong['option']} is {wrong['given']}: {expected} is expected"
