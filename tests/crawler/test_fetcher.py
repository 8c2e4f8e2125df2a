"""A batch of requests to the engine: what one of them does to it is its own affair."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random

import pytest

from hondius.crawler.fetch import Fetcher, Submission, make_conditions
from hondius.crawler.fetch.fetcher import NAME_PATIENCE
from hondius.errors import CalledOff
from hondius.native import Fetched, Identity, Reader, Rehearsal, Resolved
from tests.simulation.virtual_loop import VirtualLoop, VirtualTime

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class PickyEngine:
    """Refuses a batch in which somebody asks for /bad."""

    def __init__(self, notify: Callable[[], object]) -> None:
        self._notify = notify
        self._rehearsal = Rehearsal(Reader(Identity(), agent_token="Hondius"), user_agent="Hondius")
        self._finished: list[Fetched | Resolved] = []

    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None:
        if any(request[2].endswith("/bad") for request in requests):
            raise ValueError("refused")
        for request in requests:
            self._finished.append(self._rehearsal.play(request, started_at=1.0, ended_at=2.0, head=HEAD, body=b""))
        self._notify()

    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        raise AssertionError

    def cancel(self, requests: Sequence[Submission], cause: str) -> None:
        raise AssertionError

    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        raise AssertionError

    def collect(self) -> list[Fetched | Resolved]:
        finished, self._finished = self._finished, []
        return finished

    def close(self) -> None:
        self._finished.clear()


async def test_a_request_that_is_refused_fails_alone() -> None:
    fetcher = Fetcher(PickyEngine, 60.0)
    asked = [fetcher.fetch(b"k" * 16, f"http://a.test/{path}", "192.0.2.1:0") for path in ("1", "bad", "2")]
    first, refused, second = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(refused, ValueError)
    assert [answer.status for answer in (first, second) if isinstance(answer, Fetched)] == [200, 200]
    await fetcher.close()


@pytest.mark.parametrize(
    ("etag", "sent"),
    [(b'"v1"', b'"v1"'), (b'"\xe9\xff"', b'"\xe9\xff"'), (b"", None)],
)
def test_h4_validators_of_the_catalog_go_back_as_the_bytes_that_came(etag: bytes, sent: bytes | None) -> None:
    past = {"content_hash": b"h", "etag": etag, "last_modified": b""}
    assert make_conditions(past) == ([("If-None-Match", sent)] if sent else [])


class PatientEngine(PickyEngine):
    """Answers when it is told to; confirms at once what is called off."""

    def __init__(self, notify: Callable[[], object]) -> None:
        super().__init__(notify)
        self.given: list[str] = []
        self.called_off: list[str] = []
        self.answers_instead = False
        """An answer comes before a request can be called off."""

    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None:
        self.given += [request[2] for request in requests]

    def cancel(self, requests: Sequence[Submission], cause: str) -> None:
        self.called_off += [request[2] for request in requests]
        for request in requests:
            failure = None if self.answers_instead else (cause, "")
            head = HEAD if self.answers_instead else b""
            played = self._rehearsal.play(request, started_at=1.0, ended_at=2.0, head=head, body=b"", failure=failure)
            self._finished.append(played)
        self._notify()

    def answer(self, number: int, href: str) -> None:
        asked: Submission = (number, b"k" * 16, href, "192.0.2.1:0", "page", ())
        super().submit([asked])


async def opened() -> tuple[Fetcher, PatientEngine]:
    made: list[PatientEngine] = []

    def make(notify: Callable[[], object]) -> PatientEngine:
        made.append(PatientEngine(notify))
        return made[0]

    return Fetcher(make, 60.0), made[0]


async def turns_of_the_loop(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("came_first", [True, False])
async def test_p2_an_answer_that_comes_before_its_request_is_called_off_is_not_lost(came_first: bool) -> None:
    """It came just now and nobody has taken it yet, or the engine has it when it is told to stop."""
    fetcher, engine = await opened()
    asked = asyncio.create_task(fetcher.fetch(b"k" * 16, "http://a.test/", "192.0.2.1:0"))
    await turns_of_the_loop(2)
    engine.answers_instead = not came_first
    if came_first:
        engine.answer(1, "http://a.test/")
        fetcher._collect()
    asked.cancel()
    with pytest.raises(CalledOff) as late:
        await asked
    assert late.value.answer.status == 200
    assert engine.called_off == ([] if came_first else ["http://a.test/"])
    await fetcher.close()


async def test_f4_a_request_that_is_called_off_without_an_answer_is_only_cancelled() -> None:
    fetcher, engine = await opened()
    asked = asyncio.create_task(fetcher.fetch(b"k" * 16, "http://a.test/", "192.0.2.1:0"))
    await turns_of_the_loop(2)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await asked
    assert not isinstance(cancelled.value, CalledOff)
    assert engine.called_off == ["http://a.test/"]
    await fetcher.close()


@pytest.mark.parametrize("within", [None, 5.0])
async def test_f4_what_is_called_off_before_the_engine_has_it_is_never_sent(within: float | None) -> None:
    """Also a request at another address, which has only a part of the total time-out left."""
    fetcher, engine = await opened()
    asked = fetcher.fetch(b"k" * 16, "http://a.test/", "192.0.2.1:0", within=within)
    asked.send(None)  # it waits now, and the engine has not been given it
    with pytest.raises(asyncio.CancelledError):
        asked.throw(asyncio.CancelledError)
    await turns_of_the_loop(3)
    assert (engine.given, engine.called_off) == ([], [])
    await fetcher.close()


class NamelessEngine(PickyEngine):
    """Answers no look-up."""

    def __init__(self, notify: Callable[[], object]) -> None:
        super().__init__(notify)
        self.called_off: list[str] = []

    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        pass

    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        self.called_off += [name for _, name in requests]


def test_p4_look_ups_that_take_long_are_called_off_oldest_first_and_only_once() -> None:
    async def look_up() -> list[str]:
        engines: list[NamelessEngine] = []

        def make_engine(notify: Callable[[], object]) -> NamelessEngine:
            engines.append(NamelessEngine(notify))
            return engines[0]

        fetcher = Fetcher(make_engine, 60.0)
        waiting = [asyncio.create_task(fetcher.resolve(name)) for name in ("a.com", "b.com", "c.com")]
        await asyncio.sleep(NAME_PATIENCE + 1)
        waiting.append(asyncio.create_task(fetcher.resolve("new.com")))
        await asyncio.sleep(0)
        for _ in range(3):
            fetcher.call_off_slow_names(most=2)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return engines[0].called_off

    virtual = VirtualLoop(VirtualTime(), Random(1), lambda step: 0.5)
    assert virtual.run_until_complete(look_up()) == ["a.com", "b.com", "c.com"]
    virtual.close()
