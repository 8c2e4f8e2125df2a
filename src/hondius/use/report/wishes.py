"""What owners reserve: how many pages an export for each use would leave out (W3)."""

from collections import Counter

from hondius.usage import Stance, Use, judge_usage
from hondius.use.left_out import LeftOut
from hondius.use.report.facts import Wish


class WishCounter:
    """Counts pages with content. Most pages of a host have the same signals, and judging them is cached."""

    def __init__(self) -> None:
        self._stances: Counter[tuple[Use, Stance]] = Counter()
        self._unstated = 0
        self._left_out = {use: LeftOut(use.value) for use in Use}

    def add(self, usage: str | None) -> None:
        if usage is None:
            self._unstated += 1
            return
        for use, judgement in judge_usage(usage).items():
            self._stances[use, judgement.stance] += 1
            if judgement.stance is Stance.RESERVED:
                self._left_out[use].add_page(usage)

    def list_wishes(self) -> list[Wish]:
        return [
            Wish(
                use.value,
                self._stances[use, Stance.ALLOWED],
                self._stances[use, Stance.RESERVED],
                self._stances[use, Stance.UNSTATED] + self._unstated,
                dict(sorted(self._left_out[use].by_signal.items())),
            )
            for use in Use
        ]
