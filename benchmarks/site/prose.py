"""Text that reads like text to a program: frequent words are frequent, and every page has a subject of its own."""

from itertools import accumulate
from random import Random

ORDINARY = tuple(
    """the of and to in a is that it was for on are with as his they at be this from have or by one had not but what all
    were when we there can an your which their said if do will each about how up out them then she many some so these
    would other into has more her two like him see time could no make than first been its who now people my made over
    did down only way find use may water long little very after words called just where most know get through back
    much before go good new write our used me man too any day same right look think also around another came come work
    three word must because does part even place well such here take why things help put years different away again
    off went old number great tell men say small every found still between name should home big give air line set own
    under read last never us left end along while might next sound below saw something thought both few those always
    looked show large often together asked house world going want school important until form food keep children feet
    land side without boy once animals life enough took sometimes four head above kind began almost live page got earth
    need far hand high year mother light parts country father let night following picture being study second eyes soon
    times story boys since white days ever paper hard near sentence better best across during today others however sure
    means knew try told young miles sun ways thing whole hear example heard several change answer room sea against top
    turned learn point city play toward five using himself usually""".split()
)
"""Most frequent first."""
_RANKS = tuple(accumulate(1 / (rank + 3) for rank in range(len(ORDINARY))))
_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
)
_RIMES = ("a", "e", "i", "o", "u", "al", "an", "ar", "el", "en", "er", "il", "in", "ol", "on", "or", "um", "us")
_ENTITIES = (" &mdash; ", "&nbsp;&amp; ", "&rsquo;s ", " &hellip; ", " &eacute;t&eacute; ", " &#8217;", " &lt;3 ")


class Prose:
    """The writer of one page. A third of its words belong to its subject and to no other page's."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._subject = [coin_word(random) for _ in range(60)]

    def subject(self) -> str:
        return self._random.choice(self._subject)

    def title(self) -> str:
        return f"{self.subject().title()} {self.subject()} {self._random.choice(ORDINARY)} {self.subject()}"

    def phrase(self, words: int) -> str:
        ordinary = self._random.choices(ORDINARY, cum_weights=_RANKS, k=words)
        for at in range(0, words, 3):
            ordinary[at] = self._random.choice(self._subject)
        return " ".join(ordinary)

    def sentence(self) -> str:
        text = self.phrase(self._random.randint(7, 22))
        if self._random.random() < 0.1:
            text = text.replace(" ", self._random.choice(_ENTITIES), 1)
        return text[0].upper() + text[1:] + "."


def coin_word(random: Random) -> str:
    return "".join(random.choice(_ONSETS) + random.choice(_RIMES) for _ in range(random.randint(2, 4)))
