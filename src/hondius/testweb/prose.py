"""Makes paragraphs to fill pages. Each language has a pool, made once, from which pages take their text."""

from random import Random

from hondius.testweb.words import BY_CODE, Language, make_phrase, make_sentence

CHUNKS = 64
PHRASES = 256


class Prose:
    """Deterministic: each pool has a generator seeded by its language."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._pools: dict[str, Pool] = {}

    def pool(self, code: str) -> "Pool":
        if code not in self._pools:
            self._pools[code] = Pool(Random(f"prose/{self._seed}/{code}"), BY_CODE[code])
        return self._pools[code]


class Pool:
    def __init__(self, random: Random, language: Language) -> None:
        self.chunks = [_make_chunk(random, language) for _ in range(CHUNKS)]
        """Blocks of nested markup, without links."""
        self.phrases = [make_phrase(random, language, random.randint(1, 5)) for _ in range(PHRASES)]
        letters = "".join(self.chunks)
        self.octets_per_letter = len(letters.encode()) / len(letters)
        """In UTF-8."""


def _make_chunk(random: Random, language: Language) -> str:
    return random.choice(
        (_make_paragraphs, _make_paragraphs, _make_quotation, _make_table, _make_definitions, _make_figure)
    )(random, language)


def _make_text(random: Random, language: Language, sentences: int) -> str:
    marked = f"<em>{make_phrase(random, language, 2)}</em>"
    parts = [make_sentence(random, language) for _ in range(sentences)]
    parts.insert(random.randint(0, sentences), marked + " ")
    return "".join(parts)


def _make_paragraphs(random: Random, language: Language) -> str:
    return "".join(
        f"<p>{_make_text(random, language, random.randint(3, 7))}</p>\n" for _ in range(random.randint(1, 3))
    )


def _make_quotation(random: Random, language: Language) -> str:
    said, who = _make_text(random, language, 3), make_phrase(random, language, 2)
    return f'<blockquote class="said"><p>&ldquo;{said}&rdquo;</p><footer>&mdash; {who}</footer></blockquote>\n'


def _make_table(random: Random, language: Language) -> str:
    rows = "".join(_make_row(random, language) for _ in range(random.randint(4, 9)))
    return f"<table><caption>{make_phrase(random, language, 3)}</caption><tbody>{rows}</tbody></table>\n"


def _make_row(random: Random, language: Language) -> str:
    number, words = random.randint(1, 999), make_phrase(random, language, 3)
    return f"<tr><th scope=row>{make_phrase(random, language, 1)}<td>{number}<td>{words}</tr>\n"


def _make_definitions(random: Random, language: Language) -> str:
    rows = (
        f"<dt>{make_phrase(random, language, 1)}<dd>{make_sentence(random, language)}"
        for _ in range(random.randint(3, 7))
    )
    return f"<dl>{''.join(rows)}</dl>\n"


def _make_figure(random: Random, language: Language) -> str:
    text, caption = _make_text(random, language, 4), make_phrase(random, language, 4)
    return f"<figure><div><div><span>{text}</span></div></div><figcaption>{caption}</figcaption></figure>\n"
