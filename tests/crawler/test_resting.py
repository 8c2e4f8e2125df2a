"""F3: origins that rest, and those whose host has had its share."""

import math
import sys
from random import Random

from hondius.crawler.frontier.resting import Resting, Shelved

NOW = 1_000_000.0


def woken(resting: Resting, now: float) -> list[int]:
    return [number for _, number in resting.wake_due(now)]


def test_f3_each_wakes_at_its_time_and_those_of_one_second_in_order() -> None:
    resting = Resting()
    for number, until in enumerate((NOW + 70.5, NOW + 70.25, NOW + 500, NOW + 70.75)):
        resting.add(number, until, number)
    assert resting.find_next_time() == NOW + 70.25
    assert woken(resting, NOW + 70) == []
    assert woken(resting, NOW + 70.6) == [1, 0]
    assert (len(resting), resting.find_next_time()) == (2, NOW + 70.75)
    assert list(resting.wake_due(NOW + 1_000)) == [(3, 3), (2, 2)]
    assert (len(resting), resting.find_next_time()) == (0, None)


def test_f3_one_that_is_woken_before_its_time_rests_no_more_and_may_rest_again() -> None:
    resting = Resting()
    resting.add(7, NOW + 70, 3)
    resting.add(5, NOW + 70.5, 4)
    assert woken(resting, NOW + 69) == []
    assert resting.wake(7) == 3
    assert 7 not in resting
    resting.add(7, NOW + 70.25, 6)
    assert sorted(resting) == [(NOW + 70.25, 7), (NOW + 70.5, 5)]
    assert list(resting.wake_due(NOW + 70.3)) == [(6, 7)]
    assert resting.wake(5) == 4
    assert (list(resting), resting.find_next_time()) == ([], None)


def test_f3_who_waits_for_ever_rests_too() -> None:
    resting = Resting()
    resting.add(0, math.inf, 1)
    resting.add(1, 1e300, 1)
    assert resting.find_next_time() == 1e300
    assert woken(resting, NOW) == []
    assert resting.wake(0) == 1
    assert resting.list_some(10) == [(1e300, 1)]


def test_f3_it_holds_what_a_dictionary_would() -> None:
    random, resting, held, now = Random(1), Resting(), dict[int, float](), NOW
    for _ in range(5_000):
        number = random.randrange(50)
        now += random.random()
        due = sorted(number for number, until in held.items() if until <= now)
        assert sorted(woken(resting, now)) == due
        held = {number: until for number, until in held.items() if until > now}
        if number in held:
            resting.wake(number)
            del held[number]
        else:
            held[number] = now + 60 + 10 * random.random()
            resting.add(number, held[number], 0)
        assert sorted(resting) == sorted((until, number) for number, until in held.items())
        first = resting.find_next_time()
        assert (first is None) == (not held)
        assert first is None or first <= min(held.values())


def test_f3_a_hundred_thousand_of_them_are_no_objects() -> None:
    before, resting = sys.getallocatedblocks(), Resting()
    for number in range(100_000):
        resting.add(number, NOW + 60 + number / 5_000, 0)
    assert sys.getallocatedblocks() - before < 1_000


def test_f3_shelved_origins_are_counted_once_by_the_last_limit() -> None:
    shelved = Shelved()
    for number in range(10):
        shelved.add(number, "max_pages_per_host")
    shelved.add(3, "max_hosts_per_address")
    shelved.add(3, "max_hosts_per_address")
    assert shelved.counts() == {"max_pages_per_host": 9, "max_hosts_per_address": 1}
