"""Sends the changes of a crawl to one receiver."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress

import msgspec

from hondius.errors import HondiusError
from hondius.hints import quote_command
from hondius.opening import Crawl
from hondius.ports import Place
from hondius.use.changes.change import Change
from hondius.use.changes.reading import ConsumedChanges
from hondius.use.changes.webhooks.receiver import Receiver, ReceiverAway

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 300.0
_log = logging.getLogger("hondius.webhooks")


class _Interrupted(Exception):
    """The delivery was asked to stop."""


class Delivery:
    """One run, by one thread. A change that is not confirmed is sent again, and none after it before: they arrive in
    order."""

    def __init__(
        self,
        place: Place,
        receiver: Receiver,
        stopped: threading.Event | None = None,
        *,
        patience: float | None = None,
        wait: Callable[[float], object] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`patience`: seconds without a success after which it gives up; None: never, while nobody stops it. `wait`
        pauses for so many seconds, or less."""
        self._place = place
        self._receiver = receiver
        self._stopped = stopped or threading.Event()
        self.patience = patience
        self._wait = self._stopped.wait if wait is None else wait
        self._now = now
        self.sent = 0
        """Changes that the receiver has confirmed."""

    @property
    def receiver(self) -> str:
        return self._receiver.name

    def run(self, *, follow: bool = False) -> int:
        """Returns how many changes were confirmed. With `follow`, until no process crawls any more. Raises
        HondiusError if the receiver confirms nothing: the position stays, and the next run continues."""
        with closing(Crawl(self._place)) as crawl, closing(self._receiver), suppress(_Interrupted):
            changes = iter(ConsumedChanges(self._receiver.consumer, crawl, self._stopped, follow=follow))
            with closing(changes):
                for change in changes:
                    self._send(change)
        return self.sent

    def _send(self, change: Change) -> None:
        """Returns when it is confirmed."""
        body, pause, waiting_since = msgspec.json.encode(change), FIRST_PAUSE, self._now()
        while not self._stopped.is_set():
            try:
                self._receiver.send(change.id, int(self._now()), body)
            except ReceiverAway as error:
                reason = str(error)
            else:
                self.sent += 1
                return
            if self.patience is not None and self._now() > waiting_since + self.patience:
                raise HondiusError(
                    f"{self.receiver} does not confirm changes ({reason}): nothing is lost, and "
                    f"{quote_command('changes', self._place.name, '--send')} continues when it does"
                )
            _log.warning("%s does not confirm changes now (%s): trying again in %g s", self.receiver, reason, pause)
            self._wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        raise _Interrupted
