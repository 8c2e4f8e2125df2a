"""The watch over the event loop sees what keeps it (E2)."""

import asyncio
import time

import pytest

from hondius.use.bench.loop_watch import BEAT, LoopWatch


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def keeping(seconds: float) -> None:
    await asyncio.sleep(0)
    busy(seconds)
    await asyncio.sleep(3 * BEAT)


def test_it_tells_the_longest_callback_and_the_latest_beat() -> None:
    watch = LoopWatch()
    with watch.install():
        asyncio.run(keeping(0.15))
    assert 0.14 < watch.longest < 1.0
    assert "Handle" in watch.longest_callback
    assert watch.beats > 1
    assert watch.late_beats >= 1
    assert watch.latest > 0.1


def test_it_forgets_what_was_before() -> None:
    watch = LoopWatch()

    async def twice() -> None:
        await keeping(0.1)
        watch.restart()
        await asyncio.sleep(3 * BEAT)

    with watch.install():
        asyncio.run(twice())
    assert 0 < watch.longest < 0.09
    assert watch.beats > 0


def test_it_leaves_no_trace() -> None:
    before = (asyncio.Handle._run, asyncio.BaseEventLoop.run_forever)
    watch = LoopWatch()
    with pytest.raises(ZeroDivisionError), watch.install():
        raise ZeroDivisionError
    assert (asyncio.Handle._run, asyncio.BaseEventLoop.run_forever) == before
