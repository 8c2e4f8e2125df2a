"""Which names a consumer may have."""

import re

from hondius.errors import WrongUse

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def refuse_bad_name(name: str) -> None:
    if not isinstance(name, str) or not is_name(name):
        raise WrongUse(
            f"{name!r} is no name of a consumer: use up to 100 letters, digits, `-`, `_` and `.`, and begin with a "
            "letter, a digit or `_`"
        )
