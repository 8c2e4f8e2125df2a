"""Precision, recall and F1 by pieces: a wanted piece that is found is right, an unwanted one that is found is wrong."""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.main_text.pages import AnnotatedPage


@dataclass(frozen=True)
class Score:
    found: int
    missed: int
    wrong: int

    @property
    def precision(self) -> float:
        return self.found / max(1, self.found + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.found + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.found / max(1, 2 * self.found + self.missed + self.wrong)


def score(pages: Iterable[tuple[AnnotatedPage, str]]) -> Score:
    """Of pages and the texts that were extracted from them. White space counts as a single blank."""
    found = missed = wrong = 0
    for page, text in pages:
        folded = fold(text)
        hits = sum(fold(piece) in folded for piece in page.wanted)
        found += hits
        missed += len(page.wanted) - hits
        wrong += sum(fold(piece) in folded for piece in page.unwanted)
    return Score(found, missed, wrong)


def fold(text: str) -> str:
    return " ".join(text.split())
