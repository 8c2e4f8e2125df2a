"""Makes a `PageFilter` of what a user writes: the same words on the command line and in Python."""

import re
from collections.abc import Sequence

from hondius.errors import BadSetting
from hondius.model import PageFilter, State
from hondius.native import Identity, NativeError
from hondius.url_pattern import UrlPattern
from hondius.usage import Use

KINDS = ("page", "sitemap", "requisite")
_STATUS = re.compile(r"[1-5][0-9]{2}|[1-5]xx")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*")


def select_pages(
    *,
    hosts: Sequence[str] = (),
    match: str = "",
    since: float | None = None,
    until: float | None = None,
    statuses: Sequence[str | int] = (),
    languages: Sequence[str] = (),
    states: Sequence[str] = (),
    kinds: Sequence[str] = (),
    copies: bool = True,
    noindex: bool = True,
    purpose: str = "",
    least_quality: float = 0.0,
) -> PageFilter:
    """Raises BadSetting for a value that no page can have. `statuses`: `200` or `4xx`; times are seconds since the
    epoch. See `PageFilter` for the meaning of the rest."""
    if match:
        UrlPattern(match)
    if since is not None and until is not None and since >= until:
        raise BadSetting("the end of the time span is not after its beginning: no page can match")
    return PageFilter(
        hosts=tuple(map(_parse_host, hosts)),
        pattern=match,
        since=since,
        until=until,
        statuses=tuple(_parse_status(str(status)) for status in statuses),
        languages=tuple(map(_parse_language, languages)),
        states=tuple(_refuse_unknown("state", state, [known.value for known in State]) for state in states),
        kinds=tuple(_refuse_unknown("kind", kind, KINDS) for kind in kinds),
        copies=copies,
        noindex=noindex,
        purpose=_refuse_unknown("use", purpose, [use.value for use in Use]) if purpose else "",
        least_quality=least_quality,
    )


def _parse_host(text: str) -> str:
    star, name = ("*.", text[2:]) if text.startswith("*.") else ("", text)
    try:
        url = Identity().parse(f"http://{name}/")
    except NativeError:
        url = None
    if url is None or url.href != f"http://{url.host}/" or "*" in name:
        raise BadSetting(f"{text!r} is no host: write a name such as example.com, or *.example.com for those below it")
    return f"{star}{url.host}"


def _parse_status(text: str) -> tuple[int, int]:
    if not _STATUS.fullmatch(text.lower()):
        raise BadSetting(f"{text!r} is no HTTP status: write one such as 200, or 4xx for all from 400 to 499")
    return (int(text), int(text)) if text.isdecimal() else (int(text[0]) * 100, int(text[0]) * 100 + 99)


def _parse_language(text: str) -> str:
    if not _LANGUAGE.fullmatch(text):
        raise BadSetting(f"{text!r} is no language: write a tag such as en or pt-BR")
    return text


def _refuse_unknown(name: str, value: str, known: Sequence[str]) -> str:
    if str(value) not in known:
        raise BadSetting(f"unknown {name} {value}; choose from {', '.join(known)}")
    return str(value)
