"""Time that jumps, and processes that die (Q3)."""

import asyncio
from random import Random

import pytest

from tests.simulation.virtual_loop import DAWN, Killed, Stuck, VirtualLoop, VirtualTime


def loop(time: VirtualTime | None = None) -> VirtualLoop:
    return VirtualLoop(time or VirtualTime(), Random(1), lambda step: 0.5)


def test_a_day_passes_at_once() -> None:
    time = VirtualTime()

    async def sleep() -> None:
        await asyncio.sleep(86_400)
        await time.sleep_until(time.now() + 10)

    virtual = loop(time)
    virtual.run_until_complete(sleep())
    virtual.close()
    assert time.now() == pytest.approx(DAWN + 86_410, abs=0.01)


def test_timers_fire_in_their_order_and_time_outs_in_time() -> None:
    heard: list[str] = []

    async def listen() -> None:
        running = asyncio.get_running_loop()
        running.call_later(2, heard.append, "second")
        running.call_later(1, heard.append, "first")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3):
                await asyncio.Event().wait()

    virtual = loop()
    virtual.run_until_complete(listen())
    virtual.close()
    assert heard == ["first", "second"]


def test_a_step_on_a_worker_thread_takes_time_and_others_go_on_meanwhile() -> None:
    time = VirtualTime()

    async def work() -> tuple[str, float]:
        running = asyncio.get_running_loop()
        beside = asyncio.create_task(asyncio.sleep(0.1, "beside"))
        result = await running.run_in_executor(None, str.upper, "done")
        assert beside.done()
        return result, time.now() - DAWN

    virtual = loop(time)
    result, took = virtual.run_until_complete(work())
    virtual.close()
    assert result == "DONE"
    assert took == pytest.approx(0.5, abs=0.01)


def test_a_killed_process_reaches_no_finally_before_it_is_buried() -> None:
    reached: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            reached.append("finally")

    virtual = loop()
    virtual.killed_at = 1
    with pytest.raises(Killed):
        virtual.run_until_complete(work())
    assert not reached
    virtual.bury()


def test_whoever_waits_for_nothing_is_told_so() -> None:
    virtual = loop()
    with pytest.raises(Stuck):
        virtual.run_until_complete(virtual.create_future())
    virtual.close()
