"""Counts pages that were left out because their owners reserve them for a use (W3)."""

from collections import Counter
from dataclasses import dataclass, field

from hondius.model import State
from hondius.quantities import format_count
from hondius.usage import Use, judge_usage
from hondius.use.content import Row


@dataclass
class LeftOut:
    purpose: str = ""
    """The use; empty: nothing is left out."""
    pages: int = 0
    others: int = 0
    """URLs that are no pages with content, and have a reservation: sitemaps, redirects, failures."""
    by_signal: Counter[str] = field(default_factory=Counter)
    """Pages by the signal that reserves them, such as `robots content-signal`. A page counts for each of its own."""

    def add(self, row: Row) -> None:
        if row["kind"] != "page" or row["state"] not in (State.COMPLETED, State.DUPLICATE):
            self.others += 1
        else:
            self.add_page(row["usage"])

    def add_page(self, usage: str | None) -> None:
        self.pages += 1
        because = judge_usage(usage)[Use(self.purpose)].because
        self.by_signal.update({signal.source for signal in because})

    def __str__(self) -> str:
        others = f"; left out {format_count(self.others, 'other URL')}, too" if self.others else ""
        if not self.pages:
            return f"no page is reserved for {self.purpose}{others}"
        pages = "1 page that is" if self.pages == 1 else f"{self.pages:,} pages that are"
        signals = ", ".join(f"{signal} ({count:,})" for signal, count in sorted(self.by_signal.items()))
        return f"left out {pages} reserved for {self.purpose}, by {signals}{others}"
