"""Sends batches to an OpenSearch server: the named consumer `opensearch`."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

from hondius import consumer_names
from hondius.errors import HondiusError
from hondius.hints import quote_command
from hondius.ports import Place
from hondius.position import Cursor
from hondius.use.content import Contents
from hondius.use.search.indexed_text import is_indexed, make_indexed_page
from hondius.use.search.log_batches import Batch, Interrupted, LogBatches
from hondius.use.search.opensearch.actions import BUSY, Action, Verdict, judge_answer, make_deletion, make_put
from hondius.use.search.opensearch.server import PASSWORD, USER, Server, ServerAway
from hondius.use.unread_bodies import UnreadBodies

CONSUMER = consumer_names.OPENSEARCH
MOST_BYTES = 5 * 1024 * 1024
"""Bytes of one request, and a page more."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
REFUSED = frozenset({400, 401, 403, 404, 405, 413})
"""Answers to a whole request that asking again does not change."""
_log = logging.getLogger("hondius.search")


class OpenSearchSink:
    """One run of the sink, by one thread."""

    def __init__(
        self,
        place: Place,
        server: Server,
        stopped: threading.Event | None = None,
        *,
        show: Callable[[int], None] = lambda pages: None,
        patience: float | None = None,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """`patience`: seconds without a success after which it gives up; None: never, while nobody stops it. `wait`
        pauses for so many seconds, or less."""
        self._place = place
        self._server = server
        self._stopped = stopped or threading.Event()
        self._show = show
        self.patience = patience
        self._wait = self._stopped.wait if wait is None else wait
        self._cursor: Cursor | None = None
        self.sent = 0
        """Pages that the server confirmed."""
        self.refused = 0
        """Pages that the server will never take."""
        self.unread = UnreadBodies()
        """Pages that were sent without their text, because their body could not be read."""

    def run(self, *, follow: bool = False) -> int:
        """Returns how many pages the server confirmed. With `follow`, until no process crawls any more. Raises
        HondiusError if the server takes nothing: the position stays, and the next run continues."""
        start = self._load()
        with suppress(Interrupted):
            LogBatches(self._place, start, self._take, self._stopped).read(follow=follow)
        return self.sent

    def _load(self) -> Cursor:
        saved = self._place.open_consumers().position(CONSUMER)
        with closing(self._place.open_log(read_only=True)) as log:
            if saved is None:
                return Cursor(log.identity)
            if saved.log == log.identity and log.end.covers(saved.position):
                return saved
        again = quote_command("consumers", self._place.name, "--remove", CONSUMER)
        raise HondiusError(
            f"the consumer {CONSUMER} has read frames that this log does not have: begin again after {again}"
        )

    def _take(self, batch: Batch) -> None:
        for actions in _group(self._list_actions(batch)):
            self._send(actions)
        if batch.cursor != self._cursor:
            self._place.open_consumers().save(CONSUMER, batch.cursor)
            self._cursor = batch.cursor
        self._show(self.sent)

    def _list_actions(self, batch: Batch) -> Iterator[Action]:
        contents = Contents(batch.crawl)
        for key, row in batch.rows:
            if row is not None and is_indexed(row):
                yield make_put(make_indexed_page(row, contents, self.unread))
            else:
                yield make_deletion(key)

    def _send(self, actions: list[Action]) -> None:
        """Returns when the server has confirmed or refused each."""
        pause, waiting_since, reason = FIRST_PAUSE, time.monotonic(), ""
        while actions:
            before = len(actions)
            actions, reason = self._try(actions)
            if len(actions) < before:
                pause, waiting_since = FIRST_PAUSE, time.monotonic()
            if not actions:
                return
            if self._stopped.is_set():
                raise Interrupted
            if self.patience is not None and time.monotonic() > waiting_since + self.patience:
                raise HondiusError(
                    f"{self._server.name} takes no pages ({reason}): nothing is lost, and "
                    f"{quote_command('search', self._place.name, '--send')} continues when it does"
                )
            _log.warning("%s takes no pages now (%s): trying again in %g s", self._server.name, reason, pause)
            self._wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _try(self, actions: list[Action]) -> tuple[list[Action], str]:
        """The actions that are not done yet, and why."""
        try:
            status, body = self._server.post_bulk(b"".join(action.lines for action in actions))
        except ServerAway as error:
            return actions, str(error)
        if status in REFUSED:
            raise HondiusError(_describe_refusal(self._server.name, status))
        verdict = judge_answer(actions, body) if status == 200 else None
        if verdict is None:
            return actions, f"status {status}" if status != 200 or status in BUSY else "an answer that is not of _bulk"
        self._count(actions, verdict)
        return verdict.again, "it is busy"

    def _count(self, actions: list[Action], verdict: Verdict) -> None:
        again = {id(action) for action in verdict.again}
        refused = {id(action) for action, _ in verdict.refused}
        self.sent += sum(bool(action.url) and id(action) not in again | refused for action in actions)
        self.refused += len(verdict.refused)
        for action, why in verdict.refused:
            _log.warning("%s refuses %s for ever: %s", self._server.name, action.url or action.key, why)


def _group(actions: Iterator[Action]) -> Iterator[list[Action]]:
    group: list[Action] = []
    size = 0
    for action in actions:
        group.append(action)
        size += len(action.lines)
        if size >= MOST_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _describe_refusal(server: str, status: int) -> str:
    if status in (401, 403):
        return f"{server} refuses the credentials (status {status}): set {USER} and {PASSWORD} in the environment"
    return f"{server} refuses what it is sent (status {status}): check search.opensearch and search.opensearch_index"
