"""Parses one seed: a URL, `url<TAB>priority`, or a row of a `rank,domain` list, quoted or not."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hondius.errors import BadSeed
from hondius.native import Identity, NativeError, Url

WORDS = {"immediate": 1.0, "high": 0.85, "normal": 0.5, "low": 0.2}
COLUMNS = frozenset(
    f"{name}{plural}" for name in ("domain", "host", "hostname", "site", "url", "origin") for plural in ("", "s")
)
"""Headings of the column that has the seeds."""
RANKED = re.compile(r'^"?\d{1,12}"?\s*,')
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
BAD_URLS = {
    "not_http": "only http and https are crawled",
    "no_host": "it names no host",
    "bad_host": "its host is not valid",
    "bad_port": "its port is not valid",
    "no_base": "it has no scheme and no host",
    "bad_base": "it has no scheme and no host",
    "too_long": "it is too long",
    "invalid": "it is not valid",
}
"""The reasons of the native parser, in words."""
LONGEST_LINE = 65_536
LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Seed:
    url: Url
    priority: float | None
    """None: the usual priority of a seed."""


class NoSeed(ValueError):
    """Why a line is not a seed, in words. Never leaves this package."""


class LineReader:
    """Parses the lines of one file. If the first line names columns, it decides which column has the seeds."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._column: int | None = None
        self._is_first = True

    def read(self, line: bytes) -> Seed | None:
        """None for an empty line, a comment or a heading."""
        try:
            text = line.decode().strip().removeprefix("\ufeff")
        except UnicodeDecodeError:
            raise NoSeed("it is not UTF-8 text") from None
        if not text or text.startswith("#"):
            return None
        is_first, self._is_first = self._is_first, False
        if is_first and (column := _find_column(text)) is not None:
            self._column = column
            return None
        return parse_seed(*self._split(text), self._identity)

    def _split(self, text: str) -> tuple[str, str]:
        """The address, and the word for its priority."""
        address, _, word = text.partition("\t")
        if self._column is not None:
            return _get_field(_split_fields(address), self._column), word
        if not RANKED.match(address) and not address.startswith('"'):
            return address, word
        fields = _split_fields(address)
        return _get_field(fields, 1 if _get_field(fields, 0).isdigit() else 0), word


def parse_arguments(texts: Sequence[str], identity: Identity) -> list[Seed]:
    seeds = []
    for text in texts:
        address, _, word = text.partition("\t")
        try:
            seeds.append(parse_seed(address, word, identity))
        except NoSeed as reason:
            shown = text[:LONGEST_SHOWN]
            raise BadSeed(f"seed {shown!r} cannot be crawled ({reason}): write it like https://example.com/") from None
    return seeds


def parse_seed(address: str, word: str, identity: Identity) -> Seed:
    if len(address) > LONGEST_LINE:
        raise NoSeed(f"it is longer than {LONGEST_LINE:,} characters")
    try:
        url = identity.parse(add_scheme(address.strip()))
    except NativeError as error:
        raise NoSeed(describe_bad_url(error)) from None
    return Seed(url, _parse_priority(word.strip()) if word.strip() else None)


def describe_bad_url(error: NativeError) -> str:
    """In words for users."""
    return BAD_URLS.get(str(error), str(error))


def add_scheme(text: str) -> str:
    """`example.com` and `example.com:8080/x` mean HTTPS, as in the address bar of a browser."""
    if "://" in text or (SCHEME.match(text) and not re.match(r"^[^:/]+:\d+(/|$)", text)):
        return text
    return f"https://{text}"


def _split_fields(text: str) -> list[str]:
    try:
        return next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error as error:
        raise NoSeed(str(error)) from None


def _get_field(fields: list[str], number: int) -> str:
    if number >= len(fields) or not fields[number].strip():
        raise NoSeed(f"there is nothing in column {number + 1}")
    return fields[number].strip()


def _find_column(text: str) -> int | None:
    """A heading has neither a dot nor a colon; a seed has one."""
    if "." in text or ":" in text or len(text) > LONGEST_SHOWN:
        return None
    names = [field.strip().lower() for field in _split_fields(text)]
    return next((number for number, name in enumerate(names) if name in COLUMNS), None)


def _parse_priority(word: str) -> float:
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        shown = word[:LONGEST_SHOWN]
        raise NoSeed(f"its priority {shown!r} must be a number from 0 to 1, or one of {', '.join(WORDS)}")
    return value
