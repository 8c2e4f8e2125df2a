"""The event loop never waits for the partition's view: questions are answered on one thread, many in one hop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hondius.crawler.view_reads import MOST_AT_ONCE, ViewReads


@pytest.fixture
async def reads() -> AsyncIterator[ViewReads]:
    made = ViewReads()
    yield made
    made.close()


def counted_hops(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many questions each hop took along."""
    loop = asyncio.get_running_loop()
    hops: list[int] = []
    submit = loop.run_in_executor

    def counted(executor: Any, step: Callable[..., Any], *arguments: Any) -> Any:
        hops.extend(len(questions) for questions in arguments)
        return submit(executor, step, *arguments)

    monkeypatch.setattr(loop, "run_in_executor", counted)
    return hops


async def test_questions_of_one_turn_share_a_hop_to_one_other_thread(
    reads: ViewReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    hops = counted_hops(monkeypatch)
    threads = await asyncio.gather(*(reads.ask(threading.get_ident) for _ in range(100)))
    assert hops == [100]
    assert len(set(threads) - {threading.get_ident()}) == 1


async def test_questions_that_come_while_others_are_answered_share_the_next_hop(
    reads: ViewReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    hops, goes_on = counted_hops(monkeypatch), threading.Event()
    first = reads.ask(goes_on.wait)
    await asyncio.sleep(0)
    others = [reads.ask(lambda: None) for _ in range(MOST_AT_ONCE + 1)]
    goes_on.set()
    await asyncio.gather(first, *others)
    assert hops == [1, MOST_AT_ONCE, 1]


async def test_a_question_that_fails_is_not_the_failure_of_the_others(reads: ViewReads) -> None:
    bad, good = reads.ask(lambda: 1 / 0), reads.ask(lambda: 5)
    with pytest.raises(ZeroDivisionError):
        await bad
    assert await good == 5


async def test_who_does_not_wait_any_more_keeps_nobody_else_waiting(reads: ViewReads) -> None:
    cancelled, other = reads.ask(lambda: 1), reads.ask(lambda: 2)
    cancelled.cancel()
    assert await other == 2
    assert await reads.ask(lambda: 3) == 3


async def test_who_does_not_wait_is_told_also_that_there_is_no_answer(reads: ViewReads) -> None:
    told: list[float | None] = []
    reads.ask_then(lambda: 1 / 0, told.append)
    reads.ask_then(lambda: 2.0, told.append)
    await reads.ask(lambda: None)
    assert told == [None, 2.0]


async def test_nothing_is_read_once_it_is_closed() -> None:
    reads, goes_on, answered = ViewReads(), threading.Event(), []
    under_way = reads.ask(lambda: answered.append(goes_on.wait()))
    await asyncio.sleep(0)
    closing = asyncio.create_task(asyncio.to_thread(reads.close))
    while not reads.is_closed:  # noqa: ASYNC110 - another thread sets it
        await asyncio.sleep(0)
    late = reads.ask(lambda: answered.append(False))
    goes_on.set()
    await closing
    assert answered == [True], "what is under way is waited for"
    await under_way
    with pytest.raises(asyncio.CancelledError):
        await late
