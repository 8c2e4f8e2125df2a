"""The failure boundary: a bug ends the URL or the host's turn that meets it, never the run.

An unexpected exception ends its URL as `failed`, `internal`. One during the preparation of a host makes the host wait,
and after a few tries ends the URLs that are queued there. Errors of stores and of the disk are not bugs of ours; they
and cancellations are handled elsewhere (`errors.is_internal`). What the failed step had admitted or remembered is
undone where it was done (`Journey`, `Outcomes`, `HostPreparation`).

A bug that affects everything stops the run: MOST_IN_A_ROW failures on LEAST_HOSTS hosts without a success in between.
"""

import logging
import traceback
from collections.abc import Callable, Sequence
from typing import Final

from hondius import __version__
from hondius.clock import Clock
from hondius.crawler.commit import Change
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.secrets import hide_secrets
from hondius.crawler.statistics import Statistics
from hondius.errors import is_internal
from hondius.model import ALL_FAILED, INTERNAL, Frame, HostState, format_internal_detail
from hondius.native import QueuedUrl

MOST_IN_A_ROW: Final = 20
LEAST_HOSTS: Final = 5
PREPARATION_TRIES: Final = 3
PREPARATION_WAIT: Final = 5.0
"""Seconds before a host is prepared again; twice as many after the next failure."""
MOST_REMEMBERED: Final = 10_000
AT_ONCE: Final = 1_000

_log = logging.getLogger("hondius.crawler.boundary")


class Boundary:
    def __init__(
        self,
        *,
        outcomes: Outcomes,
        frontier: Frontier,
        statistics: Statistics,
        clock: Clock,
        stop: Callable[[str], None],
        secrets: Sequence[str] = (),
    ) -> None:
        """`secrets`: texts that must not get into the log with the message of an exception."""
        self._outcomes = outcomes
        self._frontier = frontier
        self._statistics = statistics
        self._clock = clock
        self._stop = stop
        self._secrets = secrets
        self._failed_hosts: list[str] = []
        """The hosts of the failures since the last success."""
        self._unprepared: dict[str, int] = {}
        """How often the preparation of an origin has failed since its last success."""

    def around(self, queue: BackQueue, url: QueuedUrl) -> "UrlBoundary":
        """A context manager for work on a URL that was popped from its queue: an unexpected exception ends the URL."""
        return UrlBoundary(self, queue, url)

    def note_success(self, queue: BackQueue) -> None:
        """A journey has ended without a bug."""
        if self._failed_hosts:
            self._failed_hosts.clear()
        self.note_prepared(queue)

    def note_prepared(self, queue: BackQueue) -> None:
        if self._unprepared:
            self._unprepared.pop(queue.origin, None)

    def end_url(self, queue: BackQueue, url: QueuedUrl, error: BaseException) -> None:
        """The caller puts the queue back."""
        self._report_for_host(f"{url.href} ended", queue.host, error)
        self._end_by_bug(queue, url, error)

    def end_preparation(self, queue: BackQueue, error: BaseException) -> None:
        """Puts the queue back to be tried again, or ends its URLs. If that fails, too, they stay in the store for the
        next run."""
        self._report_for_host(f"{queue.origin} could not be prepared", queue.host, error)
        failures = self._unprepared.get(queue.origin, 0) + 1
        if len(self._unprepared) >= MOST_REMEMBERED:
            self._unprepared.clear()
        self._unprepared[queue.origin] = failures
        if failures < PREPARATION_TRIES:
            reason = f"an internal failure, {type(error).__name__}: it will be tried again"
            self._statistics.note_waiting(queue.origin, reason, INTERNAL)
            when = self._clock.now() + PREPARATION_WAIT * 2 ** (failures - 1)
            return self._frontier.put_back(queue, when)
        try:
            return self._end_all(queue, error)
        except BaseException as again:
            if not is_internal(again):
                raise
            _log.error("%s is left for the next run", queue.origin, exc_info=again)
            return self._frontier.shelve(queue, INTERNAL)

    def _end_all(self, queue: BackQueue, error: BaseException) -> None:
        """In batches, to keep the event loop responsive. Before the next batch the host is unprepared again."""
        for _ in range(AT_ONCE):
            url = self._frontier.pop_any_url(queue)
            if url is None:
                self._unprepared.pop(queue.origin, None)
                self._statistics.note_ready(queue.origin)
                return self._frontier.drop(queue)
            self._end_by_bug(queue, url, error)
        self._unprepared[queue.origin] = PREPARATION_TRIES - 1
        return self._frontier.put_back(queue, self._clock.now())

    def end_unresolved(self, queue: BackQueue, cause: str, detail: str) -> bool:
        """The name of its host does not resolve: fails its URLs, in batches to keep the event loop responsive. Puts the
        queue back. Returns True if no URL is left."""
        for _ in range(AT_ONCE):
            url = self._frontier.pop_any_url(queue)
            if url is None:
                self._frontier.drop(queue)
                return True
            with self.around(queue, url):
                self._outcomes.finish_unresolved(url, cause, detail)
        self._frontier.put_back(queue, self._clock.now())
        return False

    def _end_by_bug(self, queue: BackQueue, url: QueuedUrl, error: BaseException) -> None:
        self._frontier.cancel_retry(queue, url)
        self._outcomes.finish_internal(url, self.describe_error(error))

    def end_outcome(self, lost: Change, error: BaseException) -> None:
        """The commit could not write a change: fails the URL of that change, and no other."""
        if isinstance(lost, HostState):
            return self.report(f"what is known of {lost.host!r} could not be written", error)
        if lost.on_unwritten is not None:
            return lost.on_unwritten(error)
        end = lost.finished
        if end is None:
            self.report(f"{[type(event).__name__ for event in lost.events]} could not be written", error)
        else:
            self._report_for_host(f"{end.url!r} could not be written", str(end.host), error)
        return self._outcomes.handle_unwritten(lost, self.describe_error(error))

    def count_unshown_events(self, frame: Frame, bugs: int) -> None:
        """Counts events that the catalog could not show. The catalog has logged each of them."""
        self._statistics.internal_failures += bugs
        _log.error("internal failure: %d events of frame %d cannot be shown", bugs, frame.number)

    def describe_error(self, error: BaseException) -> str:
        return describe_error(error, self._secrets)

    def report(self, what: str, error: BaseException) -> None:
        """A bug that ended no URL and no host's turn."""
        self._statistics.internal_failures += 1
        _log.error("internal failure: %s", what, exc_info=error)

    def _report_for_host(self, what: str, host: str, error: BaseException) -> None:
        self.report(what, error)
        self._failed_hosts.append(host)
        if len(self._failed_hosts) >= MOST_IN_A_ROW and len(set(self._failed_hosts)) >= LEAST_HOSTS:
            _log.error("%d internal failures in a row: the run stops", len(self._failed_hosts))
            self._stop(ALL_FAILED)


class UrlBoundary:
    __slots__ = ("_boundary", "_queue", "_url")

    def __init__(self, boundary: Boundary, queue: BackQueue, url: QueuedUrl) -> None:
        self._boundary = boundary
        self._queue = queue
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if error is None or not is_internal(error):
            return False
        self._boundary.end_url(self._queue, self._url, error)
        return True


def describe_error(error: BaseException, secrets: Sequence[str] = ()) -> str:
    """The traceback, as `explain` shows it, and the version of Hondius."""
    return format_internal_detail(__version__, hide_secrets("".join(traceback.format_exception(error)), secrets))
