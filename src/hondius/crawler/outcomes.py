"""The ends of a journey: what is recorded, what the host learns, whether the URL is retried.

Each method is the last step of one path of `journey.py`, and each submits exactly one outcome.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hondius.clock import Clock
from hondius.crawler.commit import Commit, FetchRecord, LinkRecord, Outcome
from hondius.crawler.dedup import ORIGINAL_UNKNOWN, Copy, format_warc_date
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.page import Judgement, Links, PreviousVisit, Reading, Recorder
from hondius.crawler.politeness import (
    ENGINE_PANIC,
    NOT_SENT,
    ONLY_CHANGED,
    STALE_CONNECTION,
    Events,
    Host,
    HostEvent,
    RetrySchedule,
    Verdict,
)
from hondius.crawler.recrawl import Returns
from hondius.crawler.statistics import Statistics
from hondius.errors import EnginePanic
from hondius.model import (
    INTERNAL,
    SAME_IDENTITY,
    AnyEvent,
    Failed,
    Finished,
    ScopeExtended,
    State,
    end_by_bug,
)
from hondius.native import Discoveries, Fetched, QueuedUrl, Url
from hondius.usage import join_signals

COMPLETED, REDIRECTED = State.COMPLETED, State.REDIRECTED
"""Constants because every page needs them: before Python 3.12, looking up an enum member takes as long as several
calls."""
MOST_HOPS = 5
MOST_REDUCED = 2
"""How often the end of a URL is reduced to what can be written."""


@dataclass(frozen=True, slots=True)
class Schedules:
    """When a URL is requested again: after a failure, and after its end."""

    retries: RetrySchedule
    returns: Returns


class Outcomes:
    def __init__(
        self,
        *,
        commit: Commit,
        frontier: Frontier,
        links: Links,
        recorder: Recorder,
        left_outs: LeftOuts,
        schedules: Schedules,
        statistics: Statistics,
        clock: Clock,
    ) -> None:
        self._commit = commit
        self._frontier = frontier
        self._links = links
        self._recorder = recorder
        self._left_outs = left_outs
        self._schedule = schedules.retries
        self.returns = schedules.returns
        self._statistics = statistics
        self._clock = clock
        self._lost_answer: Fetched | None = None
        """The answer of the URL that a bug is about to end. `finish_internal` takes it before anything else is
        awaited."""

    def finish_page(
        self,
        url: QueuedUrl,
        fetched: Fetched,
        reading: Reading,
        copy: Copy | None,
        found: Sequence[Discoveries],
        listed: int = 0,
        usage: str | None = None,
        judged: Judgement | None = None,
        near_of: bytes | None = None,
    ) -> None:
        """`listed`: how many new links its pieces had that were submitted before. `usage`: the usage preferences of its
        robots.txt. `judged`: by hooks, if there are any. `near_of`: the key of the page of which it is a near copy."""
        page, new_links = reading.page, listed
        if fetched.entries:
            self.returns.note_listing(url.key, fetched)
        for some in found:
            new_links += some.count
        following = None if page is None else self._links.find_following(url, page, judged)
        unfollowed = 0 if page is None or following is None else self._links.count_unfollowed(page, following)
        event = self._recorder.record_fetched(
            url,
            fetched,
            State.DUPLICATE if copy else COMPLETED,
            "copy" if copy else "",
            reading,
            copy_of=copy.original_url if copy else None,  # for ORIGINAL_UNKNOWN, the commit fills it in
            new_links=new_links,
            usage=join_signals(usage, fetched.usage),
            near_of=near_of,
            focus=None if following is None else following.score,
            unfollowed=unfollowed,
        )
        self._submit_end(
            url,
            event,
            fetched,
            found,
            events=() if judged is None else judged.make_events(url.key),
            copy=copy,
            keep_body=page is None or not (page.noarchive or self._links.is_poor(page)),
            keep_links=page is not None,
            is_unread=reading.kind == "sitemap" and page is None and fetched.page is not None,
            predicted=None if judged is None else judged.change_interval,
        )

    async def admit_in_pieces(
        self,
        url: QueuedUrl,
        fetched: Fetched,
        reading: Reading,
        judged: Judgement | None = None,
        is_near_copy: bool = False,
    ) -> tuple[QueuedUrl, int]:
        """Admits the links of a large page or sitemap in pieces, to keep the event loop responsive. Returns the URL
        with the shortest path that is known by now, and the number of new links.

        Apart from hooks, this is the only place between an answer and its outcome that awaits (decision 0022). Each
        piece is submitted in the step in which it is admitted. If the process is killed or the journey called off
        between two pieces, the page has no outcome: it is fetched again, and what it had admitted is known then.
        Submitting the pieces after the end of the page would lose the rest of them if the process is killed in
        between."""
        new = 0
        pieces = self._links.admit_in_pieces(url, fetched, reading, self._clock.now(), judged, is_near_copy)
        for piece in pieces:
            with self._links.withdraw_on_failure([piece]):
                new += self.submit_piece(url, piece)
            await asyncio.sleep(0)
        return self._links.find_closest(url), new

    def submit_piece(self, url: QueuedUrl, piece: Discoveries) -> int:
        """Submits a piece as soon as it is admitted. If its page or sitemap does not end after that, it is fetched
        again, and these links are known then. Returns how many were new."""
        events = [*self.list_refusals([piece], url), *self._list_left_out(url, [piece])]
        self._commit.submit(Outcome(events=events, discoveries=[piece]))
        self._statistics.discovered += piece.count
        return piece.count

    def finish_unchanged(
        self, url: QueuedUrl, fetched: Fetched, previous: PreviousVisit | None, usage: str | None = None
    ) -> None:
        """304: writes a revisit record, and keeps the page as it was (H4). `previous`: the visit that the request was
        conditional on. If it was not conditional, this is None, and a 304 is a failure."""
        if previous is None:
            return self.finish_failed(url, fetched, "http_304", "the request was not conditional", usage)
        event = self._recorder.record_unchanged(url, fetched, previous, usage)
        return self._submit_end(
            url, event, fetched, copy=Copy(previous["body_url"], format_warc_date(previous["body_at"]))
        )

    def handle_unsent(self, url: QueuedUrl, queue: BackQueue, verdict: Verdict | None) -> None:
        """robots.txt forbids it; or, if `verdict` is None, the rules are no longer known, and the origin is prepared
        again (F7). If another host gave the URL its name, robots.txt is asked once more, about the plain name: a
        stranger's tracking parameter must not cost the page (F6). Nothing of that is stored: after a kill, the store
        hands out the stranger's name again."""
        if verdict is None:
            self._frontier.retry_later(queue, url, self._frontier.count_tries(url.key), self._clock.now())
        elif url.foreign and (plain := self._links.find_plain_name(url, queue.origin)) is not None:
            self._frontier.retry_as(queue, url, plain, self._clock.now())
        else:
            self.finish_blocked(url, verdict)

    def finish_blocked(self, url: QueuedUrl, verdict: Verdict) -> None:
        event = self._recorder.record_unfetched(
            url, State.BLOCKED, "robots", detail=verdict.rule[:500], rule_line=verdict.line
        )
        self._submit_end(url, event)

    def finish_unresolved(self, url: QueuedUrl, cause: str, detail: str) -> None:
        """Its host has no address."""
        self._submit_end(url, self._recorder.record_unfetched(url, State.FAILED, cause, detail=detail[:500]))

    def finish_internal(self, url: QueuedUrl, detail: str) -> None:
        """A bug of ours ended it. Of its answer only the request is recorded: it is unknown how much of the answer was
        processed."""
        lost, self._lost_answer = self._lost_answer, None
        request: dict[str, Any] = {}
        if lost is not None and lost.key == url.key:
            request = {
                "started_at": lost.started_at,
                "fetched_at": lost.ended_at,
                "status": lost.status,
                "address": lost.address,
                "wire_length": lost.wire_bytes,
            }
        self._submit_end(url, self._recorder.record_unfetched(url, State.FAILED, INTERNAL, detail=detail, **request))

    def finish_lost_seed(self, url: Url, detail: str, durable: Callable[[], None]) -> None:
        """A bug kept a seed from being queued."""
        event = self._recorder.record_lost_seed(url, self._clock.now(), detail)
        self._statistics.count_end(event, ())
        self._commit.submit(Outcome(events=[ScopeExtended(url.href)], finished=event, on_durable=durable))

    def handle_unwritten(self, lost: Outcome, detail: str) -> None:
        """A bug prevented writing an outcome: its URL fails as `internal`. The links that it admitted are still written
        if possible: other pages have found them known since, and would not queue them. If they cannot be written
        either, they are withdrawn. A URL whose end cannot be written at all stays queued for the next run."""
        times_reduced = lost.times_reduced + 1
        found: Sequence[Discoveries] = ()
        if times_reduced == 1:
            self._links.withdraw_refused(lost.discoveries)
            found = lost.discoveries
        else:
            self._links.withdraw(lost.discoveries)
        end = lost.finished
        if end is not None and times_reduced <= MOST_REDUCED:
            end = end_by_bug(end, detail, with_request=times_reduced == 1)
            self._statistics.count_end(end, ())
            self._commit.submit(
                Outcome(finished=end, discoveries=found, on_durable=lost.on_durable, times_reduced=times_reduced)
            )
        elif end is None and found:
            self._commit.submit(Outcome(discoveries=found, on_durable=lost.on_durable, times_reduced=times_reduced))
        elif end is not None and lost.on_durable is not None:
            lost.on_durable()  # it never will be, but nobody must wait for it

    def learn_from_answer(self, url: QueuedUrl, host: Host, fetched: Fetched, *, was_conditional: bool) -> None:
        """The host learns from an answer before the answer is processed: whatever becomes of the page, the request
        counts (D5), and a host that asked for time gets it (P2). An answer that the host has already learned from is
        ignored."""
        events = host.end_request(fetched, is_recrawl=url.via == "recrawl", was_conditional=was_conditional)
        if not events:
            return
        self._statistics.count_answer(fetched)
        if events is not ONLY_CHANGED:
            self._report_changes(host, fetched, events)
        self.save_host(host)

    def _report_changes(self, host: Host, fetched: Fetched, events: Events) -> None:
        if HostEvent.CIRCUIT_OPENED in events:
            self._report_open_circuit(host, fetched.failure or f"http_{fetched.status}")
        elif HostEvent.CIRCUIT_CLOSED in events:
            self._statistics.note_ready(host.name)
        if HostEvent.PUSHED_BACK in events:
            self._commit.hurry()

    def handle_lost_answer(self, url: QueuedUrl, host: Host, fetched: Fetched, *, was_conditional: bool) -> None:
        """A bug occurred between an answer and its end, perhaps before its host learned from it."""
        self._lost_answer = fetched if fetched.failure != NOT_SENT else None
        try:
            self.learn_from_answer(url, host, fetched, was_conditional=was_conditional)
        finally:
            self.save_host(host)

    def finish_refused(self, url: QueuedUrl, cause: str) -> None:
        """A queued URL that is not requested any more: it is blacklisted, or its shape brings nothing new."""
        self._submit_end(url, self._recorder.record_no_longer_wanted(url, cause))

    def list_refusals(
        self, found: Sequence[Discoveries], source: QueuedUrl | None = None, *, is_target: bool = False
    ) -> list[AnyEvent]:
        """Events for the refused URLs: the first of a host are stored, the others only counted (F6)."""
        if not any(some.refused or some.counted for some in found):
            return []
        via = "redirect" if is_target else "link"
        if source is None:
            return self.list_refusals_at(found, None, 0, via)
        depth = self._recorder.compute_depth(source, is_target=is_target)
        return self.list_refusals_at(found, source.key, depth, via)

    def list_refusals_at(
        self, found: Sequence[Discoveries], source: bytes | None, depth: int, via: str
    ) -> list[AnyEvent]:
        """`depth`: of the URLs that were found."""
        kept, more = self._recorder.record_refusals(found, source, depth, via, self._clock.now())
        self._statistics.count_refusals(kept, more)
        return [*kept, *more]

    def finish_other_type(self, url: QueuedUrl, fetched: Fetched, usage: str | None = None) -> None:
        usage = join_signals(usage, fetched.usage)
        self._submit_end(url, self._recorder.record_fetched(url, fetched, State.REFUSED, "type", usage=usage), fetched)

    def finish_redirect(
        self, url: QueuedUrl, queue: BackQueue | None, fetched: Fetched, cause: str, usage: str | None = None
    ) -> None:
        """Each hop is a URL of its own. A redirect to a known target ends here (H3). `usage`: as in `finish_page`. An
        answer of any status has its signals: its body is archived (W2). `queue`: None if it was imported, and is not
        requested by another name."""
        target = self._links.find_target(fetched)
        if not isinstance(target, Url):
            return self.finish_failed(url, fetched, "bad_redirect", target or "it names no target", usage)
        if target.href == url.href:
            return self.finish_failed(url, fetched, "redirect_loop", target.href, usage)
        if url.hops >= MOST_HOPS:
            return self.finish_failed(url, fetched, "too_many_redirects", target.href, usage)
        if target.key == url.key and queue is not None and target.origin == queue.origin:
            return self._retry_same_identity(url, queue, fetched, target.href, usage)
        if target.key == url.key:
            # A request there would need the turn, the robots.txt and the address of another origin (P1, B1).
            return self.finish_failed(url, fetched, "same_identity_elsewhere", target.href, usage)
        self._links.ratings.note_redirect(url, target)
        found = self._links.admit_redirect(url, target, self._clock.now())
        with self._links.withdraw_on_failure([found]):
            event = self._recorder.record_fetched(
                url,
                fetched,
                State.REDIRECTED,
                cause,
                redirect_to=target.href,
                new_links=found.count,
                usage=join_signals(usage, fetched.usage),
            )
            events = [ScopeExtended(target.href)] if url.is_seed else []
            self._submit_end(url, event, fetched, [found], events=events)
        return None

    def handle_failure(
        self, url: QueuedUrl, queue: BackQueue, host: Host, fetched: Fetched, cause: str, usage: str | None = None
    ) -> None:
        if cause == ENGINE_PANIC:
            raise EnginePanic(fetched.detail)
        if cause == NOT_SENT:
            return self._retry_not_sent(url, queue)
        if cause == STALE_CONNECTION:
            return self._retry_stale_connection(url, queue, host, fetched)
        now = self._clock.now()
        tries = self._frontier.count_tries(url.key) + 1
        when = self._schedule.compute_next_try(cause, tries, now)
        if when is None:
            return self.finish_failed(url, fetched, cause, fetched.detail, usage)
        self._frontier.retry_later(queue, url, tries, max(when, host.free_at()))
        self._statistics.count_retry(cause)
        event = Failed(url.key, url.href, host.name, cause, fetched.detail[:500], tries, now, when)
        record = _make_record(url, _keep_if_answered(fetched), usage=join_signals(usage, fetched.usage))
        return self._commit.submit(Outcome(events=[event], record=record))

    def _retry_not_sent(self, url: QueuedUrl, queue: BackQueue) -> None:
        """The attempt could not be recorded because the disk is full. Nothing was sent, so it is not counted as a
        try."""
        self._statistics.count_retry(NOT_SENT)
        self._frontier.retry_later(queue, url, self._frontier.count_tries(url.key), self._clock.now() + 1.0)

    def _retry_stale_connection(self, url: QueuedUrl, queue: BackQueue, host: Host, fetched: Fetched) -> None:
        """Retried at the host's next turn. It counts as a request, but neither as a try nor against the host."""
        tries, when = self._frontier.count_tries(url.key), host.free_at()
        self._frontier.retry_later(queue, url, tries, when)
        self._statistics.count_retry(STALE_CONNECTION)
        now = self._clock.now()
        event = Failed(url.key, url.href, host.name, STALE_CONNECTION, fetched.detail[:500], tries, now, max(when, now))
        self._commit.submit(Outcome(events=[event]))

    def _retry_same_identity(
        self, url: QueuedUrl, queue: BackQueue, fetched: Fetched, href: str, usage: str | None
    ) -> None:
        """A redirect that only drops what identity ignores, such as a session id: the same URL is requested by its new
        name."""
        now = self._clock.now()
        self._frontier.retry_as(queue, url, href, now)
        tries = self._frontier.count_tries(url.key)
        event = Failed(url.key, url.href, queue.host, SAME_IDENTITY, href[:500], tries, now, now)
        record = _make_record(url, _keep_if_answered(fetched), usage=join_signals(usage, fetched.usage))
        self._commit.submit(Outcome(events=[event], record=record))

    def finish_failed(self, url: QueuedUrl, fetched: Fetched, cause: str, detail: str, usage: str | None) -> None:
        """Without an answer there is nothing that signals could be about."""
        answered = _keep_if_answered(fetched)
        usage = None if answered is None else join_signals(usage, fetched.usage)
        event = self._recorder.record_fetched(url, fetched, State.FAILED, cause, detail=detail[:500], usage=usage)
        self._submit_end(url, event, answered)

    def _submit_end(
        self,
        url: QueuedUrl,
        event: Finished,
        fetched: Fetched | None = None,
        found: Sequence[Discoveries] = (),
        *,
        events: Sequence[AnyEvent] = (),
        copy: Copy | None = None,
        keep_body: bool = True,
        keep_links: bool = False,
        is_unread: bool = False,
        predicted: float | None = None,
    ) -> None:
        """`is_unread`: a page was found at the URL of a sitemap, and the scope excludes it as a page. `predicted`: by a
        hook (R5)."""
        event = self.returns.settle(event, self._clock.now(), None if fetched is None else fetched.page, predicted)
        is_target = event.state is REDIRECTED
        refused = self.list_refusals(found, url, is_target=is_target)
        left_out = self._list_left_out(url, found, is_target=is_target, is_unread=is_unread)
        self._frontier.forget_url(url)
        self._statistics.count_end(event, found)
        if keep_links and fetched is not None:
            self._links.ratings.note_page(fetched)
        self._commit.submit(
            Outcome(
                events=[*events, *refused, *left_out],
                finished=event,
                discoveries=found,
                record=_make_record(url, fetched, copy, keep_body=keep_body, usage=event.usage),
                links=_make_link_record(event, fetched) if keep_links else None,
            )
        )

    def _list_left_out(
        self, url: QueuedUrl, found: Sequence[Discoveries], *, is_target: bool = False, is_unread: bool = False
    ) -> Sequence[AnyEvent]:
        """Lists a URL that led out of the scope while seeds are still missing (D1)."""
        if not self._left_outs.scope_may_grow or not (is_unread or any(some.out_of_scope for some in found)):
            return ()
        return self._left_outs.make_left_out(url.key, self._recorder.compute_depth(url, is_target=is_target), url.hops)

    def save_host(self, host: Host) -> None:
        """Its politeness state goes into the next frame."""
        self._statistics.note_circuit(host.name, host.consecutive_failures, host.circuit_until)
        self._commit.submit_host(host.save(self._clock.now()))

    def _report_open_circuit(self, host: Host, cause: str) -> None:
        """Its URLs wait, and the summary can say why."""
        self._statistics.note_waiting(
            host.name, f"{host.consecutive_failures} failures in a row, the last {cause}", cause
        )


def _keep_if_answered(fetched: Fetched) -> Fetched | None:
    """Only an answer can be archived."""
    return fetched if fetched.status is not None else None


def _make_record(
    url: QueuedUrl,
    fetched: Fetched | None,
    copy: Copy | None = None,
    *,
    keep_body: bool = True,
    usage: str | None = None,
) -> FetchRecord | None:
    if fetched is None:
        return None
    metadata = _format_metadata(url, usage)
    if copy is None:
        return FetchRecord(fetched, None, None, metadata, keep_body)
    return FetchRecord(fetched, copy.original_url, copy.date, metadata, keep_body, copy is ORIGINAL_UNKNOWN)


def _make_link_record(event: Finished, fetched: Fetched | None) -> LinkRecord | None:
    page = None if fetched is None else fetched.page
    return None if page is None else LinkRecord((event.key, event.url, page))


def _format_metadata(url: QueuedUrl, usage: str | None) -> str:
    """`application/warc-fields`; `via` is one of our own words and needs no escaping. A signal has no control
    characters, so each is one field (W2)."""
    fields = f"via: {url.via}\r\ndepth: {url.depth}\r\nhops: {url.hops}\r\n"
    if usage is None:
        return fields
    return fields + "".join(f"usage: {line}\r\n" for line in usage.split("\n"))
