"""Sends changes while a crawl runs: a thread for each receiver."""

import threading
from collections.abc import Callable

from hondius.ports import Place
from hondius.settings import Settings
from hondius.use.changes.webhooks.delivery import Delivery
from hondius.use.changes.webhooks.receiver import open_receivers
from hondius.use.followers import Followers

PATIENCE_AFTER = 30.0
"""Seconds that a receiver may confirm nothing when the crawl is over. The next run continues."""


class WebhookFollowers:
    def __init__(self, place: Place, settings: Settings, say: Callable[[str], None]) -> None:
        """Raises BadSetting, before anything is crawled, if a setting is wrong or the secret is missing."""
        stopped = threading.Event()
        self._receivers = open_receivers(settings)
        self._deliveries = [Delivery(place, receiver, stopped) for receiver in self._receivers]
        works = [lambda delivery=delivery: _follow(delivery) for delivery in self._deliveries]
        self._followers = Followers("the delivery of changes", "changes --send", works, stopped, say)

    def begin(self) -> None:
        """The stores of the crawl must be open."""
        self._followers.begin()

    async def finish(self, *, is_interrupted: bool) -> None:
        """The crawl is over. Returns when everything is sent; at once if it was interrupted."""
        for delivery in self._deliveries:
            delivery.patience = PATIENCE_AFTER
        if is_interrupted:
            self.stop()
        await self._followers.finish()

    def stop(self) -> None:
        """From any thread."""
        self._followers.stop()
        for receiver in self._receivers:
            receiver.abort()


def _follow(delivery: Delivery) -> None:
    delivery.run(follow=True)
