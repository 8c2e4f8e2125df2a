"""Reads seeds: a URL a line, `#` comments, `url<TAB>priority`, or a `rank,domain` list."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hondius.errors import BadSeed
from hondius.native import Identity, NativeError, Url

WORDS = {"immediate": 1.0, "high": 0.85, "normal": 0.5, "low": 0.2}
HEADING = re.compile(r"^[a-z_ ]+,\s*(domain|host|site)s?$", re.IGNORECASE)
RANKED = re.compile(r"^\d{1,12},([^\s/,]+)$")
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
LONGEST_LINE = 65_536


@dataclass(frozen=True)
class Seed:
    url: Url
    priority: float | None
    """None: as any URL of its depth."""


def seeds_from_arguments(texts: Sequence[str], identity: Identity) -> list[Seed]:
    return [_seed(text, f"seed {text!r}", identity) for text in texts]


def seeds_from_lines(lines: Iterable[str], name: str, identity: Identity) -> Iterator[Seed]:
    for number, line in enumerate(lines, start=1):
        text = line.strip().removeprefix("\ufeff")
        if text and not text.startswith("#") and not (number == 1 and HEADING.match(text)):
            yield _seed(text, f"{name}, line {number}: {text[:200]!r}", identity)


def _seed(text: str, where: str, identity: Identity) -> Seed:
    if len(text) > LONGEST_LINE:
        raise BadSeed(f"{where} is longer than {LONGEST_LINE} characters: shorten or remove it")
    address, _, word = text.partition("\t")
    ranked = RANKED.match(address)
    try:
        url = identity.parse(with_scheme(ranked.group(1) if ranked else address.strip()))
    except NativeError as error:
        raise BadSeed(f"{where} is no URL that can be crawled ({error}): write it like https://example.com/") from None
    return Seed(url, _priority(word.strip(), where) if word.strip() else None)


def with_scheme(text: str) -> str:
    """`example.com` and `example.com:8080/x` mean HTTPS, as in a browser's address bar."""
    if "://" in text or (SCHEME.match(text) and not re.match(r"^[^:/]+:\d+(/|$)", text)):
        return text
    return f"https://{text}"


def _priority(word: str, where: str) -> float:
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise BadSeed(f"{where}: priority {word!r} must be a number from 0 to 1, or one of {', '.join(WORDS)}")
    return value
