"""P4, F8: what is slow holds no slot."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hondius.crawler.slots import SLOW_AFTER, Slots, compute_most_in_flight, compute_most_prepared
from hondius.settings import Settings


@pytest.fixture
async def tasks() -> AsyncIterator[list[Any]]:
    made = [asyncio.create_task(asyncio.sleep(60)) for _ in range(8)]
    yield made
    for task in made:
        task.cancel()
    await asyncio.gather(*made, return_exceptions=True)


async def test_p4_a_request_that_takes_long_gives_its_slot_to_another(tasks: list[Any]) -> None:
    slots = Slots(2, 2)
    slots.occupy(tasks[0], 0.0)
    slots.occupy(tasks[1], 0.5)
    assert slots.are_full(0.9)
    assert slots.free_at() == SLOW_AFTER
    assert not slots.are_full(1.2)
    assert len(slots) == 2


async def test_f8_there_is_an_end_to_the_slow_lane(tasks: list[Any]) -> None:
    slots = Slots(2, 2)
    for task in tasks[:2]:
        slots.occupy(task, 0.0, slow=True)
    assert slots.slow_lane_is_full()
    for task in tasks[2:4]:
        slots.occupy(task, 0.0)
    assert slots.are_full(100.0)
    assert slots.free_at() == float("inf")
    slots.release(tasks[0])
    assert not slots.slow_lane_is_full()
    assert not slots.are_full(100.0)


async def test_p4_known_slow_hosts_leave_the_usual_slots_alone(tasks: list[Any]) -> None:
    slots = Slots(1, 4)
    for task in tasks[:3]:
        slots.occupy(task, 0.0, slow=True)
    assert not slots.are_full(0.0)
    slots.occupy(tasks[3], 0.0)
    assert slots.are_full(0.0)
    assert sorted(map(id, slots)) == sorted(map(id, tasks[:4]))


async def test_p4_newcomers_leave_places_to_hosts_that_have_answered(tasks: list[Any]) -> None:
    slots = Slots(4, 3, 4)
    for task in tasks[:3]:
        assert not slots.newcomers_are_full()
        slots.occupy(task, 0.0, newcomer=True)
    assert slots.newcomers_are_full()
    assert not slots.are_full(100.0)
    slots.occupy(tasks[3], 0.0)
    assert slots.are_full(0.5)
    slots.release(tasks[0])
    assert not slots.newcomers_are_full()


async def test_p4_slow_hosts_leave_places_to_others_where_both_share_them(tasks: list[Any]) -> None:
    slots = Slots(4, 3, 4)
    for task in tasks[:3]:
        slots.occupy(task, 0.0, slow=True)
    assert slots.slow_lane_is_full()
    assert not slots.are_full(0.0)
    slots.occupy(tasks[3], 0.0)
    assert slots.are_full(100.0)
    assert slots.free_at() == float("inf")
    slots.release(tasks[0])
    assert not slots.are_full(100.0)


@pytest.mark.parametrize(
    ("concurrency", "in_flight", "prepared"),
    [(1, 4, 4), (8, 32, 32), (256, 1_000, 1_024), (1_000, 1_000, 2_000), (20_000, 20_000, 20_000)],
)
def test_f8_what_is_under_way_in_all_follows_from_the_setting(concurrency: int, in_flight: int, prepared: int) -> None:
    assert (compute_most_in_flight(concurrency), compute_most_prepared(concurrency)) == (in_flight, prepared)


async def test_f8_a_thousand_fast_requests_are_under_way_by_default_and_750_slow_ones(tasks: list[Any]) -> None:
    slots = Slots.for_journeys(Settings().fetch.concurrency)
    made: list[Any] = [object() for _ in range(1_000)]
    for number, task in enumerate(made):
        assert not slots.are_full(0.0)
        assert slots.slow_lane_is_full() == (number >= 750)
        slots.occupy(task, 0.0, slow=number < 750)
    assert slots.are_full(100.0)
