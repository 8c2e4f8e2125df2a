"""Texts and pairs whose labels come from how they were made (X2).

A language is a list of invented words of its script, the frequent ones first, with the frequencies of a real language
(Zipf), and a text has a topic: words that it uses more often. So two texts share the words that all texts share, and
nothing else. The words of two languages correspond: a translation has the same words in the other one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from random import Random

WORDS = 8_000
TOPIC_WORDS = 120
SCRIPTS: dict[str, tuple[str, int]] = {
    "latin": ("abcdefghiklmnoprstuvwyz", 6),
    "cyrillic": ("абвгдежзиклмнопрстуфхцчшыэюя", 6),
    "arabic": ("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", 5),
    "han": ("".join(chr(0x4E00 + 7 * number) for number in range(1_500)), 2),
}
"""The letters of each, and the usual length of a word."""
MONTHS = ("January", "March", "May", "July", "September", "November")


@dataclass(frozen=True)
class Text:
    """Paragraphs of words; a word may be a date or a price."""

    script: str
    blocks: tuple[tuple[str, ...], ...]
    site: int = 0
    """Which boilerplate is around it."""

    @property
    def words(self) -> int:
        return sum(map(len, self.blocks))

    def to_html(self) -> str:
        space = "" if self.script == "han" else " "
        paragraphs = "\n".join(f"<p>{space.join(block)}{'。' if not space else '.'}</p>" for block in self.blocks)
        before, after = make_boilerplate(self.script, self.site)
        title = space.join(self.blocks[0][:5])
        return (
            f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body>'
            f"{before}<div class=content><h1>{title}</h1>\n{paragraphs}</div>{after}</body></html>"
        )


@dataclass(frozen=True)
class Pair:
    kind: str
    is_copy: bool
    first: Text
    second: Text


@dataclass(frozen=True)
class Writer:
    """Makes texts of one script."""

    script: str
    random: Random = field(compare=False)

    def write(self, words: int) -> Text:
        vocabulary, weights = make_vocabulary(self.script)
        topic = self.random.sample(range(300, WORDS), TOPIC_WORDS)
        blocks, left = [], words
        while left > 0:
            length = min(left, self.random.randint(25, 90))
            common = self.random.choices(vocabulary, cum_weights=weights, k=length)
            block = [vocabulary[self.random.choice(topic)] if self.random.random() < 0.3 else word for word in common]
            for place in range(length):
                if self.random.random() < 0.03:
                    block[place] = self.make_figure()
            blocks.append(tuple(block))
            left -= length
        return Text(self.script, tuple(blocks), self.random.randrange(1_000_000))

    def make_figure(self) -> str:
        random = self.random
        return random.choice(
            (
                f"{random.randint(1, 900)}.{random.randint(10, 99)}",
                f"{random.randint(2001, 2026)}-{random.randint(10, 12)}-{random.randint(10, 28)}",
                f"{random.randint(1, 28)}.{random.randint(1, 12)}.{random.randint(2001, 2026)}",
                str(random.randint(2, 5_000)),
            )
        )

    def change_words(self, text: Text, share: float) -> Text:
        """At most this share of the words is replaced by others of the language."""
        vocabulary, weights = make_vocabulary(self.script)
        places = [(number, place) for number, block in enumerate(text.blocks) for place in range(len(block))]
        blocks = [list(block) for block in text.blocks]
        for number, place in self.random.sample(places, max(1, int(share * len(places)))):
            blocks[number][place] = self.random.choices(vocabulary, cum_weights=weights)[0]
        return replace(text, blocks=tuple(map(tuple, blocks)))

    def change_passage(self, text: Text, share: float) -> Text:
        """A whole passage of this share of the words is another."""
        words = [word for block in text.blocks for word in block]
        length = int(share * len(words))
        begin = self.random.randint(0, len(words) - length)
        words[begin : begin + length] = [word for block in self.write(length).blocks for word in block][:length]
        return replace(text, blocks=self._split(words, text))

    def reorder(self, text: Text) -> Text:
        blocks = list(text.blocks)
        self.random.shuffle(blocks)
        return replace(text, blocks=tuple(blocks))

    def change_figures(self, text: Text) -> Text:
        """Each date and price is another one."""
        return replace(
            text,
            blocks=tuple(
                tuple(self.make_figure() if word[0].isdigit() else word for word in block) for block in text.blocks
            ),
        )

    def surround(self, text: Text) -> Text:
        """Other boilerplate."""
        return replace(text, site=self.random.randrange(1_000_000))

    def translate(self, text: Text) -> Text:
        """Into the next script; numbers and a few names stay."""
        other = list(SCRIPTS)[(list(SCRIPTS).index(text.script) + 1) % len(SCRIPTS)]
        ours, theirs = make_vocabulary(text.script)[0], make_vocabulary(other)[0]
        dictionary = dict(zip(ours, theirs, strict=True))
        blocks = []
        for block in text.blocks:
            words = [dictionary.get(word, word) if self.random.random() > 0.03 else word for word in block]
            for place in range(0, len(words) - 3, 3):  # another word order
                self.random.shuffle(part := words[place : place + 3])
                words[place : place + 3] = part
            blocks.append(tuple(words))
        return Text(other, tuple(blocks), text.site)

    def _split(self, words: list[str], like: Text) -> tuple[tuple[str, ...], ...]:
        ends = list(accumulate(map(len, like.blocks)))
        return tuple(tuple(words[end - len(block) : end]) for end, block in zip(ends, like.blocks, strict=True))


def make_pairs(count: int, seed: int = 1604) -> Iterator[Pair]:
    """`count` pairs of each kind, of 100 to 3,000 words, in four scripts in turn."""
    random = Random(seed)
    writers = [Writer(script, random) for script in SCRIPTS]
    for kind, is_copy, make in KINDS:
        for number in range(count):
            writer = writers[number % len(writers)]
            first = writer.write(int(100 * 30 ** random.random()))
            yield Pair(kind, is_copy, first, make(writer, first))


def _write_other(writer: Writer, text: Text) -> Text:
    return replace(writer.write(text.words), site=text.site)


KINDS: tuple[tuple[str, bool, Callable[[Writer, Text], Text]], ...] = (
    ("at most 2 % of words changed", True, lambda writer, text: writer.change_words(text, 0.02)),
    ("blocks reordered", True, lambda writer, text: writer.reorder(text)),
    ("dates and prices changed", True, lambda writer, text: writer.change_figures(text)),
    ("other boilerplate", True, lambda writer, text: writer.surround(text)),
    ("same boilerplate, other text", False, _write_other),
    ("translation", False, lambda writer, text: writer.translate(text)),
    ("30 % of words changed", False, lambda writer, text: writer.change_words(text, 0.30)),
    ("a passage of 30 % changed", False, lambda writer, text: writer.change_passage(text, 0.30)),
)


@cache
def make_vocabulary(script: str) -> tuple[list[str], list[float]]:
    """The words of a language, and their cumulated frequencies."""
    random = Random(f"words/{script}")
    letters, usual = SCRIPTS[script]
    words: dict[str, None] = {}
    while len(words) < WORDS:
        length = max(1, round(random.gauss(usual, usual / 3)) - (1 if len(words) < 200 else 0))
        words["".join(random.choices(letters, k=length))] = None
    return list(words), list(accumulate(1 / (rank + 3) for rank in range(WORDS)))


@cache
def make_boilerplate(script: str, site: int) -> tuple[str, str]:
    """The header, menu, sidebar and footer of a site: lists of links, and some lines of text. Half of the sites mark
    them as such."""
    random = Random(f"site/{script}/{site}")
    vocabulary = make_vocabulary(script)[0]
    space = "" if script == "han" else " "

    def phrase(words: int) -> str:
        return space.join(random.choices(vocabulary[100:], k=words))

    def links(count: int) -> str:
        return "".join(f'<li><a href="#{number}">{phrase(2)}</a></li>' for number in range(count))

    is_marked = random.random() < 0.5
    nav, aside, footer = ("nav", "aside", "footer") if is_marked else ("div", "div", "div")
    before = f"<{nav}><ul>{links(random.randint(6, 30))}</ul></{nav}><div><p>{phrase(4)}</p></div>"
    side = f"<{aside}><h3>{phrase(2)}</h3><ul>{links(random.randint(4, 15))}</ul></{aside}>"
    legal = f"<{footer}><p>© 2026 {phrase(6)}</p><ul>{links(8)}</ul></{footer}>"
    return before, side + legal
