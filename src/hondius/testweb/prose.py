"""Paragraphs to fill pages with. Each language has a pool of them, made once; pages are cut from the pool."""

from random import Random

from hondius.testweb.words import BY_CODE, Language, phrase, sentence

CHUNKS = 64
PHRASES = 256


class Prose:
    """Deterministic in the seed: a pool is made by a generator named after its language."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._pools: dict[str, Pool] = {}

    def pool(self, code: str) -> "Pool":
        if code not in self._pools:
            self._pools[code] = Pool(Random(f"prose/{self._seed}/{code}"), BY_CODE[code])
        return self._pools[code]


class Pool:
    def __init__(self, random: Random, language: Language) -> None:
        self.chunks = [_chunk(random, language) for _ in range(CHUNKS)]
        """Blocks of nested markup, without links."""
        self.phrases = [phrase(random, language, random.randint(1, 5)) for _ in range(PHRASES)]
        letters = "".join(self.chunks)
        self.octets_per_letter = len(letters.encode()) / len(letters)
        """In UTF-8."""


def _chunk(random: Random, language: Language) -> str:
    return random.choice((_paragraphs, _paragraphs, _quotation, _table, _definitions, _figure))(random, language)


def _text(random: Random, language: Language, sentences: int) -> str:
    marked = f"<em>{phrase(random, language, 2)}</em>"
    parts = [sentence(random, language) for _ in range(sentences)]
    parts.insert(random.randint(0, sentences), marked + " ")
    return "".join(parts)


def _paragraphs(random: Random, language: Language) -> str:
    return "".join(f"<p>{_text(random, language, random.randint(3, 7))}</p>\n" for _ in range(random.randint(1, 3)))


def _quotation(random: Random, language: Language) -> str:
    said, who = _text(random, language, 3), phrase(random, language, 2)
    return f'<blockquote class="said"><p>&ldquo;{said}&rdquo;</p><footer>&mdash; {who}</footer></blockquote>\n'


def _table(random: Random, language: Language) -> str:
    rows = "".join(_row(random, language) for _ in range(random.randint(4, 9)))
    return f"<table><caption>{phrase(random, language, 3)}</caption><tbody>{rows}</tbody></table>\n"


def _row(random: Random, language: Language) -> str:
    number, words = random.randint(1, 999), phrase(random, language, 3)
    return f"<tr><th scope=row>{phrase(random, language, 1)}<td>{number}<td>{words}</tr>\n"


def _definitions(random: Random, language: Language) -> str:
    rows = (f"<dt>{phrase(random, language, 1)}<dd>{sentence(random, language)}" for _ in range(random.randint(3, 7)))
    return f"<dl>{''.join(rows)}</dl>\n"


def _figure(random: Random, language: Language) -> str:
    text, caption = _text(random, language, 4), phrase(random, language, 4)
    return f"<figure><div><div><span>{text}</span></div></div><figcaption>{caption}</figcaption></figure>\n"
