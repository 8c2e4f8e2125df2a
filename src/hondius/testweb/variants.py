"""The many ways to write one URL (U1, U2), and how a server recognises what is meant.

`write_variant` and `recognise` are inverse to each other by construction, and both are written from the specification's
words: they share nothing with the crawler's own making of key forms, which they are there to judge.
"""

import re
from random import Random
from typing import Final
from urllib.parse import unquote

TRACKING: Final = ("utm_source", "utm_medium", "utm_campaign", "gclid", "fbclid", "msclkid")
SESSIONS: Final = ("PHPSESSID", "jsessionid", "sessionid")
LONG_SESSION: Final = 16
"""From this length on, `sid` is a session id and not a meaningful number."""

_PATH_SESSION = re.compile(r";jsessionid=[0-9A-Fa-f]+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def write_variant(target: str, random: Random) -> str:
    """Another spelling of the same resource, usually unchanged. May end in a fragment."""
    choice = random.random()
    if choice < 0.62:
        return target
    if choice < 0.72:
        return f"{target}#{'abcdef'[int(choice * 1000) % 6]}-{int(choice * 100)}"
    if choice < 0.80:
        return add_tracking(target, random)
    if choice < 0.85:
        return add_session(target, random)
    if choice < 0.90:
        return add_escapes(target, random)
    if choice < 0.93:
        return add_tracking(target, random) + "#top"
    if choice < 0.97:
        return shuffle_parameters(target, random)
    return unescape_letters(target)


def add_tracking(target: str, random: Random) -> str:
    parameter = f"{random.choice(TRACKING)}={random.randrange(10_000)}"
    return _add_parameter(target, parameter, random)


def add_session(target: str, random: Random) -> str:
    token = f"{random.getrandbits(128):032X}"
    path, mark, query = target.partition("?")
    choice = random.randrange(3)
    if choice == 0 and not path.endswith("/"):
        return f"{path};jsessionid={token}{mark}{query}"
    if choice == 1:
        return _add_parameter(target, f"sid={token}", random)
    return _add_parameter(target, f"{random.choice(SESSIONS)}={token}", random)


def add_escapes(target: str, random: Random) -> str:
    """Percent-encodes one letter of the path unnecessarily."""
    path, mark, query = target.partition("?")
    letters = [at for at in range(1, len(path)) if path[at].isalpha() and "%" not in path[max(0, at - 2) : at]]
    if not letters:
        return target
    at = random.choice(letters)
    return f"{path[:at]}%{ord(path[at]):02x}{path[at + 1 :]}{mark}{query}"


def shuffle_parameters(target: str, random: Random) -> str:
    """Changes the order of parameters; adds an empty query if there are none."""
    path, mark, query = target.partition("?")
    parameters = query.split("&")
    random.shuffle(parameters)
    return f"{path}?{'&'.join(parameters)}" if mark else f"{path}?"


def unescape_letters(target: str) -> str:
    """Writes letters and spaces unencoded, as the crawler must encode them."""
    path, mark, query = target.partition("?")
    return unquote(path) + mark + query


def recognise(target: str) -> tuple[str, bool]:
    """The key form of a requested path and query, and whether it had a session id."""
    path, _, query = target.partition("?")
    bare = _PATH_SESSION.sub("", path)
    kept = [parameter for parameter in query.split("&") if parameter and not _is_ignored(parameter)]
    session = bare != path or any(_is_session(parameter) for parameter in query.split("&"))
    normal = "&".join(sorted(_normalise_escapes(parameter) for parameter in kept))
    return _normalise_escapes(bare) + (f"?{normal}" if normal else ""), session


def _add_parameter(target: str, parameter: str, random: Random) -> str:
    path, mark, query = target.partition("?")
    if not mark:
        return f"{path}?{parameter}"
    return f"{path}?{parameter}&{query}" if random.random() < 0.5 else f"{path}?{query}&{parameter}"


def _is_ignored(parameter: str) -> bool:
    return parameter.partition("=")[0] in TRACKING or _is_session(parameter)


def _is_session(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name in SESSIONS or (name == "sid" and len(value) >= LONG_SESSION)


def _normalise_escapes(text: str) -> str:
    return _ESCAPE.sub(_normalise_escape, text) if "%" in text else text


def _normalise_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()
