"""The many ways to write one URL (U1, U2), and how a server recognises what is meant.

`dress` and `recognised` are inverse to each other by construction, and both are written from the specification's
words: they share nothing with the crawler's own making of key forms, which they are there to judge.
"""

import re
from random import Random
from typing import Final
from urllib.parse import unquote

TRACKING: Final = ("utm_source", "utm_medium", "utm_campaign", "gclid", "fbclid", "msclkid")
SESSIONS: Final = ("PHPSESSID", "jsessionid", "sessionid")
LONG_SESSION: Final = 16
"""From this length on, `sid` is a session id and not a number that means something."""

_PATH_SESSION = re.compile(r";jsessionid=[0-9A-Fa-f]+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def dress(target: str, random: Random) -> str:
    """The same resource in other words, most often the plain ones. May end in a fragment."""
    choice = random.random()
    if choice < 0.62:
        return target
    if choice < 0.72:
        return f"{target}#{'abcdef'[int(choice * 1000) % 6]}-{int(choice * 100)}"
    if choice < 0.80:
        return with_tracking(target, random)
    if choice < 0.85:
        return with_session(target, random)
    if choice < 0.90:
        return with_escapes(target, random)
    if choice < 0.93:
        return with_tracking(target, random) + "#top"
    if choice < 0.97:
        return shuffled(target, random)
    return in_raw_letters(target)


def with_tracking(target: str, random: Random) -> str:
    parameter = f"{random.choice(TRACKING)}={random.randrange(10_000)}"
    return _with_parameter(target, parameter, random)


def with_session(target: str, random: Random) -> str:
    token = f"{random.getrandbits(128):032X}"
    path, mark, query = target.partition("?")
    choice = random.randrange(3)
    if choice == 0 and not path.endswith("/"):
        return f"{path};jsessionid={token}{mark}{query}"
    if choice == 1:
        return _with_parameter(target, f"sid={token}", random)
    return _with_parameter(target, f"{random.choice(SESSIONS)}={token}", random)


def with_escapes(target: str, random: Random) -> str:
    """One letter of the path percent-encoded that need not be."""
    path, mark, query = target.partition("?")
    letters = [at for at in range(1, len(path)) if path[at].isalpha() and "%" not in path[max(0, at - 2) : at]]
    if not letters:
        return target
    at = random.choice(letters)
    return f"{path[:at]}%{ord(path[at]):02x}{path[at + 1 :]}{mark}{query}"


def shuffled(target: str, random: Random) -> str:
    """Parameters in another order; where there are none, an empty query."""
    path, mark, query = target.partition("?")
    parameters = query.split("&")
    random.shuffle(parameters)
    return f"{path}?{'&'.join(parameters)}" if mark else f"{path}?"


def in_raw_letters(target: str) -> str:
    """Letters and spaces as they are, for the reader to encode."""
    path, mark, query = target.partition("?")
    return unquote(path) + mark + query


def recognised(target: str) -> tuple[str, bool]:
    """The key form of a requested path and query, and whether it carried a session id."""
    path, _, query = target.partition("?")
    bare = _PATH_SESSION.sub("", path)
    kept = [parameter for parameter in query.split("&") if parameter and not _is_lost(parameter)]
    session = bare != path or any(_is_session(parameter) for parameter in query.split("&"))
    normal = "&".join(sorted(_normal_escapes(parameter) for parameter in kept))
    return _normal_escapes(bare) + (f"?{normal}" if normal else ""), session


def _with_parameter(target: str, parameter: str, random: Random) -> str:
    path, mark, query = target.partition("?")
    if not mark:
        return f"{path}?{parameter}"
    return f"{path}?{parameter}&{query}" if random.random() < 0.5 else f"{path}?{query}&{parameter}"


def _is_lost(parameter: str) -> bool:
    return parameter.partition("=")[0] in TRACKING or _is_session(parameter)


def _is_session(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name in SESSIONS or (name == "sid" and len(value) >= LONG_SESSION)


def _normal_escapes(text: str) -> str:
    return _ESCAPE.sub(_normal_escape, text) if "%" in text else text


def _normal_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()
