"""The section of focused crawls."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.option import Option
from hondius.settings.value_types import Section, Weight


class FocusSettings(Section, frozen=True):
    """Focused crawl (D6): pages about a topic first, or nothing else."""

    keywords: Annotated[tuple[str, ...], Meta(max_length=1_000), Option("--focus")] = ()
    """Words or phrases of the topic, with commas between them. `WORD=WEIGHT` for a weight other than 1; a negative one
    speaks against a page. Pages and links that have them come first."""
    threshold: Annotated[Weight, Option("--focus-threshold")] = 0.0
    """From 0 to 1: links are not followed if their page and their own words score less. Links of seeds are always
    followed."""
    weight: Weight = 0.5
    """The share of the score in the priority of links; what a classify hook says counts as much."""

    def parse_keywords(self) -> list[tuple[str, float]]:
        """Raises ValueError."""
        return [_parse_keyword(text.strip()) for line in self.keywords for text in line.split(",") if text.strip()]


def _parse_keyword(text: str) -> tuple[str, float]:
    word, equals, weight = text.rpartition("=")
    if not equals:
        return text, 1.0
    try:
        return word.strip(), float(weight)
    except ValueError:
        raise ValueError(f"{weight!r} is not a number") from None
