"""The engine on the simulated web: same contract, same attempt records, no network."""

import ipaddress
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from zlib import crc32

from hondius.crawler.fetch import Submission
from hondius.errors import HondiusError
from hondius.native import Fetched, Rehearsal, Resolved, Url, host_hash
from hondius.stores.disk.simulated import SimulatedDisk
from tests.simulation.answers import Answer, Answers
from tests.simulation.clocks import ProcessClock
from tests.simulation.virtual_loop import VirtualLoop
from tests.simulation.web import IDENTITY, Web

_RECORD = struct.Struct("<BBBBHHd16s16sQI")
_KINDS = ("page", "robots", "sitemap", "requisite")
UNSENT = 2
CONNECTING = 0.002
CLOSING = 2.0
"""Maximum seconds until a cancelled request is over."""
LOST, STUCK, NAME_LOST = 0.002, 0.001, 0.002
"""The chances that an answer is lost on its way to the caller, that the engine forgets its own deadline, and that a
look-up is never answered."""
NOT_RECORDED = "attempt_not_recorded"
LEASE_ENDED = "lease_ended"
TOTAL_TIMEOUT = "total_timeout"
PUSHED_BACK = (429, 503)


def attempt_record(
    *, ended: bool, at: float, key: bytes, host: str, address: str, kind: str, status: int, sent: bool = True
) -> bytes:
    """As `native/src/engine/attempts.rs` writes it."""
    ip, _, port = address.rpartition(":")
    mapped = ipaddress.IPv6Address(b"\0" * 10 + b"\xff\xff" + ipaddress.IPv4Address(ip).packed).packed
    record = _RECORD.pack(
        1,
        ended | (0 if sent else UNSENT),
        _KINDS.index(kind),
        0,
        int(port),
        status,
        at,
        key,
        mapped,
        host_hash(host),
        0,
    )
    return record + struct.pack("<I", crc32(record))


@dataclass(slots=True)
class Request:
    """A request as the server saw it, or a connection that failed (`sent` is False)."""

    url: Url
    address: str
    kind: str
    start: float
    life: int
    answer: Answer
    conditional: bool
    end: float = 0.0
    """When the answer arrived, or the connection was closed."""
    cut: bool = False
    sent: bool = True
    recorded: bool = False
    """Its end is in the attempt records."""
    goes_on: bool = False
    """Whether it continues the total time-out of tries at other addresses."""
    started_at: float = 0.0
    """`start` by the clock of its process; all other times are true times."""
    tried_at: float = 0.0
    """When its connection was tried. The engine may then hold the request back to keep the pace of the address."""

    @property
    def host(self) -> str:
        return self.url.host


@dataclass(frozen=True, slots=True)
class LookUp:
    ticket: int
    host: str
    addresses: list[str]
    expires_at: float
    failure: str | None
    detail: str = ""


def _fail_answer(answer: Answer, cause: str) -> Answer:
    """The result for the caller, whatever the server did."""
    return replace(answer, ends=("failed", cause), failure=cause, status=0, body=b"")


class Wire:
    """The web, and all requests to it, by their start."""

    def __init__(self, web: Web, chance: Random, total_timeout: float) -> None:
        self.web = web
        self.total_timeout = total_timeout
        self.answers = Answers(web, chance, total_timeout)
        self.chance = chance
        self.requests: list[Request] = []
        self.failed_look_ups: dict[str, int] = {}
        self.lost_look_ups: set[str] = set()
        self.lost: Counter[str] = Counter()

    def cut(self, at: float) -> None:
        """Closes every connection: the process has ended."""
        for request in reversed(self.requests):
            if request.end == 0.0:
                request.end, request.cut = at, True


class SimulatedEngine:
    def __init__(
        self,
        wire: Wire,
        loop: VirtualLoop,
        disk: SimulatedDisk,
        attempts: str,
        rehearsal: Rehearsal,
        notify: Callable[[], object],
        life: int,
        gap: float,
        clock: ProcessClock,
    ) -> None:
        self._wire = wire
        self._loop = loop
        self._disk = disk
        self._attempts = attempts
        self._rehearsal = rehearsal
        self._notify = notify
        self._life = life
        self._gap = gap
        self._clock = clock
        self._last_sent: dict[str, float] = {}
        self._finished: list[Any] = []
        self._under_way: dict[int, Request | None] = {}
        """Requests by ticket; None if not sent yet."""
        self._closed = False

    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        for ticket, host in requests:
            self._loop.call_later(self._wire.chance.uniform(0.001, 0.05), self._look_up, ticket, host)

    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None:
        for request in requests:
            self._under_way[request[0]] = None
            ends = None if within is None else self._loop.time() + within
            self._loop.call_later(self._wire.chance.uniform(0.0, CONNECTING), self._send, request, ends)

    def cancel(self, requests: Sequence[Submission], cause: str) -> None:
        for request in requests:
            takes = self._wire.chance.uniform(0.0, CLOSING) if request[0] in self._under_way else 0.0
            self._loop.call_later(takes, self._call_off, request, cause)

    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        for ticket, host in requests:
            self._finish(LookUp(ticket, host, [], self._clock.now(), LEASE_ENDED))

    def collect(self) -> list[Fetched | Resolved]:
        finished, self._finished = self._finished, []
        return finished

    def close(self) -> None:
        self._closed = True
        self._wire.cut(self._loop.time())

    def _look_up(self, ticket: int, host: str) -> None:
        wire, now = self._wire, self._loop.time()
        failure = wire.answers.look_up(host, now)
        is_lost = wire.chance.random() < NAME_LOST
        if is_lost:
            wire.lost_look_ups.add(host)
            wire.lost["look-ups"] += 1
        if failure or is_lost:
            wire.failed_look_ups[host] = wire.failed_look_ups.get(host, 0) + 1
        if is_lost:
            return
        addresses = [] if failure else [f"{address}:0" for address in wire.web.host(host).addresses]
        lasts = wire.chance.choice((60.0, 600.0, 3_600.0))
        self._finish(LookUp(ticket, host, addresses, self._clock.now() + lasts, failure or None))

    def _send(self, submission: Submission, ends: float | None, tried_at: float | None = None) -> None:
        """`ends`: when the total time-out is over, if earlier tries used some of it. `tried_at`: when a request that is
        held back tried its connection."""
        if self._closed or submission[0] not in self._under_way:
            return
        ticket, _, href, address, asked_as, headers = submission
        kind = "page" if asked_as == "seed" else asked_as
        wire, now = self._wire, self._loop.time()
        ip = address.rpartition(":")[0]
        url = IDENTITY.parse(href)
        refusal = wire.answers.refusal(url.host, ip)
        if refusal is None and (turn := self._last_sent.get(ip, 0.0) + self._gap) > now:
            self._loop.call_at(turn, self._send, submission, ends, tried_at or now)
            return
        said = {name: value.decode("latin-1") for name, value in headers}
        if refusal is None:
            self._last_sent[ip] = now
        answer = refusal or wire.answers.to(url, kind, said, now)
        sent = answer.sent
        if ends is not None and now + answer.takes > ends:
            answer = replace(_fail_answer(answer, TOTAL_TIMEOUT), takes=max(0.0, ends - now))
        request = Request(url, ip, kind, now, self._life, answer, bool(headers), sent=sent, goes_on=ends is not None)
        request.started_at, request.tried_at = self._clock.now(), tried_at or now
        if request.sent and not self._record(request, ended=False):
            failure = (NOT_RECORDED, "the disk refused")
            unsent = replace(request, sent=False, end=now, answer=Answer(("", NOT_RECORDED), 0.0, failure=NOT_RECORDED))
            wire.requests.append(unsent)
            del self._under_way[ticket]
            self._finish(
                self._rehearsal.play(
                    submission,
                    started_at=request.started_at,
                    ended_at=request.started_at,
                    head=b"",
                    body=b"",
                    failure=failure,
                )
            )
            return
        wire.requests.append(request)
        self._under_way[ticket] = request
        takes = answer.takes
        if wire.chance.random() < STUCK:
            takes = wire.total_timeout + wire.chance.uniform(60, 600)
            wire.lost["stuck requests"] += 1
        self._loop.call_later(takes, self._answered, submission, request)

    def _answered(self, submission: Submission, request: Request) -> None:
        if self._closed or request.cut or submission[0] not in self._under_way:
            return
        del self._under_way[submission[0]]
        answer = request.answer
        self._end(request)
        if answer.status not in PUSHED_BACK and answer.status < 500 and self._wire.chance.random() < LOST:
            request.answer = _fail_answer(answer, LEASE_ENDED)
            self._wire.lost["answers"] += 1
            return
        failure = (answer.failure, "simulated") if answer.failure else None
        body = answer.body[: len(answer.body) // 2] if answer.failure else answer.body
        self._finish(
            self._rehearsal.play(
                submission,
                started_at=request.started_at,
                ended_at=self._clock.now(),
                head=answer.head(),
                body=body,
                failure=failure,
            )
        )

    def _call_off(self, submission: Submission, cause: str) -> None:
        """The request ends before its result is reported."""
        if self._closed:
            return
        now = self._clock.now()
        request = self._under_way.pop(submission[0], None)
        if request is not None and not request.cut:
            request.answer = _fail_answer(request.answer, cause)
            self._end(request)
        self._finish(
            self._rehearsal.play(
                submission,
                started_at=now if request is None else request.started_at,
                ended_at=now,
                head=b"",
                body=b"",
                failure=(cause, "called off"),
            )
        )

    def _end(self, request: Request) -> None:
        request.end = self._loop.time()
        if request.sent:
            request.recorded = self._record(request, ended=True)
        elif self._record(request, ended=False):
            self._record(request, ended=True)

    def _record(self, request: Request, *, ended: bool) -> bool:
        record = attempt_record(
            ended=ended,
            at=self._clock.now() if ended else request.started_at,
            key=request.url.key,
            host=request.host,
            address=f"{request.address}:{request.url.port}",
            kind=request.kind,
            status=request.answer.status if ended else 0,
            sent=request.sent,
        )
        try:
            self._disk.append(self._attempts, record)
        except HondiusError:
            return False
        return True

    def _finish(self, item: Any) -> None:
        if not self._closed:
            self._finished.append(item)
            if len(self._finished) == 1:
                self._notify()
