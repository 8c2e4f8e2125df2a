"""What is promised of the time that is left."""

from itertools import pairwise

from hondius.model import FOREVER
from hondius.operate.cli.display.forecast import TOO_EARLY, WINDOW, Forecaster, HostQueues, format_forecast

NOW = 1_000_000.0


def test_o1_the_rate_tells_where_no_host_is_slower() -> None:
    assert (
        format_forecast(HostQueues([(50, 1.0)] * 20, []), 20.0, 1_000, None, NOW)
        == "about 50.0 s for the URLs known now"
    )


def test_o1_a_host_with_a_long_delay_outlasts_the_others() -> None:
    lines = HostQueues([(100, 1.0), (100, 30.0)], [])
    assert format_forecast(lines, 20.0, 200, None, NOW) == "about 50 min 0 s for the URLs known now"
    assert format_forecast(lines, 0.0, 200, None, NOW) == "about 50 min 0 s for the URLs known now"


def test_o1_hosts_that_rest_are_told_beside_it() -> None:
    told = format_forecast(HostQueues([(100, 1.0)], [(40, NOW + 60.0), (2, NOW + 3_600.0)]), 1.0, 142, None, NOW)
    assert told == (
        "about 1 min 40 s for the URLs known now, not counting 42 URLs of 2 origins that wait up to 1 h 0 min"
    )


def test_o1_a_pause_has_no_time() -> None:
    told = format_forecast(HostQueues([(100, 1.0)], [(40, FOREVER)]), 1.0, 140, None, NOW)
    assert told.endswith(", not counting 40 URLs of 1 origin that wait until a host is unpaused")


def test_o1_where_all_rest_nothing_else_is_promised() -> None:
    told = format_forecast(HostQueues([], [(40, NOW + 90.0)]), 0.0, 40, None, NOW)
    assert told == "40 URLs of 1 origin that wait up to 1 min 30 s"


def test_o1_what_was_not_looked_at_makes_it_a_least() -> None:
    assert format_forecast(HostQueues([(10, 1.0)], [], others=5), 1.0, 100, None, NOW).startswith("at least 1 min 40 s")


def test_o1_a_limit_of_pages_comes_first() -> None:
    assert format_forecast(HostQueues([(900, 30.0)], []), 10.0, 900, 20, NOW) == "about 2.0 s to --max-pages"


def test_o1_nothing_is_promised_where_nothing_is_known() -> None:
    assert format_forecast(HostQueues([], []), 0.0, 0, None, NOW) == ""


def seconds_of(told: str) -> float:
    number, unit = told.split()[1:3]
    assert unit == "s", told
    return float(number)


def test_o1_a_forecast_does_not_jump_with_the_rate() -> None:
    """The rate is 10 and 30 pages/s by turns, and 20 URLs/s leave the queue: a single forecast jumps by tens of
    seconds."""
    forecaster, lines = Forecaster(NOW - TOO_EARLY), HostQueues([(400, 0.0)], [])
    alone, told = [], []
    for number in range(30):
        rate, queued = (10.0, 30.0)[number % 2], 400 - 10 * number
        alone.append(queued / rate)
        told.append(seconds_of(forecaster.forecast(lines, rate, queued, None, NOW + number / 2)))
    assert _largest_jump(alone[5:]) > 20.0
    assert _largest_jump(told[5:]) < 3.0
    assert told[5] > told[-1]


def _largest_jump(values: list[float]) -> float:
    return max(abs(after - before) for before, after in pairwise(values))


def test_o1_nothing_is_foretold_before_there_is_a_rate() -> None:
    forecaster = Forecaster(NOW)
    lines = HostQueues([(100, 1.0)], [])
    assert forecaster.forecast(lines, 5.0, 100, None, NOW + TOO_EARLY - 1) == ""
    assert forecaster.forecast(lines, 5.0, 100, None, NOW + TOO_EARLY) == "about 1 min 40 s for the URLs known now"


def test_o1_nothing_is_foretold_while_more_is_found_than_fetched() -> None:
    forecaster, lines = Forecaster(NOW - 100), HostQueues([(100, 1.0)], [])
    assert forecaster.forecast(lines, 5.0, 100, None, NOW)
    assert forecaster.forecast(lines, 5.0, 200, None, NOW + 5) == ""
    assert forecaster.forecast(lines, 5.0, 200, 50, NOW + 6) == "about 10.0 s to --max-pages"
    assert forecaster.forecast(lines, 5.0, 190, None, NOW + WINDOW + 7)
