"""Obeys orders that other processes give to a running crawl."""

from collections.abc import Callable
from functools import partial
from itertools import islice

from hondius.clock import Clock
from hondius.crawler.blacklist import Blacklist
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.frontier import Frontier
from hondius.crawler.order_times import convert_order_times
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links
from hondius.crawler.politeness import Hosts
from hondius.crawler.seed_loading import SeedLoading
from hondius.errors import is_internal
from hondius.model import HostOrder, NewSeeds, Order, RecrawlOrder
from hondius.ports import Orders

MOST_OBEYED = 10
"""Orders that are obeyed at a time: each may bring a thousand seeds. The others follow in the next round."""


class Mailbox:
    """Orders that wait to be obeyed, with their times by the crawl's own clock."""

    def __init__(self, orders: Orders, clock: Clock, boundary: Boundary) -> None:
        self._orders = orders
        self._clock = clock
        self._boundary = boundary

    def read(self, most: int) -> list[tuple[Order, Callable[[], None]]]:
        """The oldest orders, each with a function that removes it from the mailbox. Call that when the order is
        durable."""
        return [(convert_order_times(order, self._clock), done) for order, done in islice(self._orders.orders(), most)]

    def drop(self, order: Order, done: Callable[[], None], error: BaseException) -> None:
        """A bug, or a value that nobody expected, ends this order and not the run."""
        self._boundary.report(f"an order, {type(order).__name__}, could not be obeyed and is dropped", error)
        done()


class OrderHandler:
    def __init__(
        self,
        *,
        mailbox: Mailbox,
        commit: Commit,
        links: Links,
        outcomes: Outcomes,
        seeds: SeedLoading,
        hosts: Hosts,
        frontier: Frontier,
        blacklist: Blacklist,
    ) -> None:
        self._mailbox = mailbox
        self._commit = commit
        self._links = links
        self._outcomes = outcomes
        self._seeds = seeds
        self._hosts = hosts
        self._frontier = frontier
        self._blacklist = blacklist

    def obey_some(self, now: float) -> bool:
        """Returns whether more orders may wait."""
        orders = self._mailbox.read(MOST_OBEYED)
        for order, done in orders:
            self._obey_within_boundary(order, done, now)
        return len(orders) == MOST_OBEYED

    def _obey_within_boundary(self, order: Order, done: Callable[[], None], now: float) -> None:
        try:
            outcome = self._obey(order, done, now)
        except BaseException as error:
            if not is_internal(error):
                raise
            return self._mailbox.drop(order, done, error)
        outcome.on_unwritten = partial(self._drop_unwritten, outcome, order, done)
        return self._commit.submit(outcome)

    def _drop_unwritten(self, outcome: Outcome, order: Order, done: Callable[[], None], error: BaseException) -> None:
        self._links.withdraw(outcome.discoveries)
        self._mailbox.drop(order, done, error)

    def _obey(self, order: Order, done: Callable[[], None], now: float) -> Outcome:
        if isinstance(order, RecrawlOrder):
            return self._queue_recrawl(order, done, now)
        if isinstance(order, NewSeeds):
            return self._seeds.take_order(order, done)
        if isinstance(order, HostOrder):
            self._hosts.obey(order)
            self._frontier.reschedule_host(order.host, now)
        elif order.lifted:
            self._blacklist.lift(order.domain)
        else:
            self._blacklist.add(order.domain)
        return Outcome(events=[order], on_durable=done)

    def _queue_recrawl(self, order: RecrawlOrder, done: Callable[[], None], now: float) -> Outcome:
        """A URL that the operator names becomes the next one of its origin. Others come in their usual order (R4)."""
        found = self._links.admit_recrawl(order, now)

        def durable() -> None:
            done()
            for url in self._links.parse_urls(order) if order.at_once else ():
                self._frontier.want(url.origin, url.key)

        return Outcome(events=self._outcomes.list_refusals(found), discoveries=found, on_durable=durable)
