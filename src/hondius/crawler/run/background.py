"""What goes on beside the journeys: pages are reread from the archive, due pages are queued again, and page ranks are
computed."""

import asyncio
from collections.abc import Iterator

from hondius.crawler.recrawl import Plan
from hondius.crawler.run.ranking import BackgroundRanking
from hondius.crawler.run.rereading import BackgroundRereading
from hondius.crawler.run.returning import BackgroundReturning


class Background:
    def __init__(
        self, rereading: BackgroundRereading, returning: BackgroundReturning, ranking: BackgroundRanking
    ) -> None:
        self._rereading = rereading
        self._returning = returning
        self._ranking = ranking

    @property
    def may_bring_more(self) -> bool:
        """Whether URLs may still be queued. Ranks queue none: no run waits for them."""
        return self._rereading.may_bring_more or self._returning.may_bring_more

    @property
    def plan(self) -> Plan | None:
        """The plan for recrawls in force."""
        return self._returning.plan

    def start_due(self) -> None:
        self._rereading.start_due()
        self._returning.start_due()
        self._ranking.start_due()

    def list_tasks(self) -> Iterator[asyncio.Task[None]]:
        """What is under way."""
        for task in (self._rereading.task, self._returning.task, self._ranking.task):
            if task is not None:
                yield task
