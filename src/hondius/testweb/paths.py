"""Paths of ordinary pages, of the kinds that real sites use, unique within a host."""

from collections.abc import Callable
from random import Random
from typing import Final
from urllib.parse import quote

from hondius.testweb.words import BY_CODE, make_slug


class PagePaths:
    """The first is the root. None is a trap, is affected by robots.txt, or is a variant of another."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._count = 0
        self._sections = [make_slug(random, 1) for _ in range(4)]

    def next(self) -> str:
        number, self._count = self._count, self._count + 1
        if number == 0:
            return "/"
        return self._random.choice(_STYLES)(self._random, self._random.choice(self._sections), number)


def _article(random: Random, section: str, number: int) -> str:
    return f"/{section}/{make_slug(random, 3)}-{number}.html"


def _directory(random: Random, section: str, number: int) -> str:
    return f"/{section}/{make_slug(random, 1)}/{number}/"


def _dated(random: Random, section: str, number: int) -> str:
    return f"/{random.randint(2011, 2024)}/{random.randint(1, 12):02}/{section}-{number}"


def _home(random: Random, section: str, number: int) -> str:
    return f"/~{section}/{make_slug(random, 1)}-{number}.htm"


def _query(random: Random, section: str, number: int) -> str:
    return f"/{section}/list.php?page={number}&sid={random.randint(1, 9)}&sort={random.choice(('new', 'old'))}"


def _letters(random: Random, section: str, number: int) -> str:
    word = random.choice(BY_CODE[random.choice(("de", "fr", "es", "ru", "ja"))].words)
    return f"/{section}/{quote(word)}-{number}/{make_slug(random, 1)}"


def _spaced(random: Random, section: str, number: int) -> str:
    return f"/{section}/{make_slug(random, 1)}%20{make_slug(random, 1)}%20{number}"


_STYLES: Final[tuple[Callable[[Random, str, int], str], ...]] = (
    *(_article,) * 5,
    *(_directory,) * 2,
    *(_dated,) * 2,
    _home,
    *(_query,) * 2,
    _letters,
    _spaced,
)
