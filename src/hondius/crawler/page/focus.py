"""The focus of a crawl: how the score of a page affects its links (D6, F2)."""

from typing import NamedTuple

from hondius.crawler.page.judgement import Judgement
from hondius.native import Page
from hondius.settings import FocusSettings


class Following(NamedTuple):
    """How the links of one page are chosen; the native code takes it as a tuple."""

    score: float
    """Of the page, from 0 to 1."""
    weight: float
    """The share of scores in the priority of links."""
    threshold: float
    """A link is not followed if page and link both score less."""

    def follows(self, own: float | None) -> bool:
        """`own`: the score of the link's own words; None if there are no keywords."""
        return max(self.score, own or 0.0) >= self.threshold

    def compute_priority(self, usual: float, own: float | None) -> float:
        score = self.score if own is None else (self.score + own) / 2
        return usual * (1 - self.weight) + score * self.weight


class Focus:
    def __init__(self, settings: FocusSettings) -> None:
        self._weight = settings.weight
        self._threshold = settings.threshold

    def find_following(self, page: Page, judged: Judgement | None, *, is_seed: bool) -> Following | None:
        """None if nothing scores the page. What a hook says counts more than the keywords."""
        score = judged.score if judged is not None and judged.score is not None else page.focus
        return None if score is None else self.follow(score, is_seed=is_seed)

    def follow(self, score: float, *, is_seed: bool) -> Following:
        """A seed may be the way to the topic without being about it, so its links are always followed."""
        return Following(score, self._weight, 0.0 if is_seed else self._threshold)
