"""Exact and near copies together: what a journey asks when it has read a page."""

from dataclasses import dataclass

from hondius.crawler.dedup.exact import ExactCopies
from hondius.crawler.dedup.near import NearCopies
from hondius.model import Finished
from hondius.native import Fetched, QueuedUrl


@dataclass(frozen=True, slots=True)
class Duplicates:
    exact: ExactCopies
    near: NearCopies

    def forget(self, url: QueuedUrl, fetched: Fetched) -> None:
        """Its answer is lost: nothing may be a copy of it."""
        self.exact.forget(url, fetched)
        self.near.forget(url)

    def pass_on(self, lost: Finished, first: Finished | None, first_near: Finished | None) -> None:
        """A page could not be written. `first`: the first page with its body now; `first_near`: the canonical member of
        its cluster now."""
        self.exact.pass_on(lost, first)
        self.near.pass_on(lost, first_near)
