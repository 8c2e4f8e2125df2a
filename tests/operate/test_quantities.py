import pytest

from hondius.errors import BadSetting
from hondius.operate.cli.quantities import bytes_of, moment_of, seconds_of, shown_bytes, shown_seconds


def test_sizes_and_times_are_read_as_people_write_them() -> None:
    assert bytes_of("10GB", "--max-bytes") == 10**10
    assert bytes_of("1.5 MiB", "--max-bytes") == 3 * 2**19
    assert seconds_of("2h", "--max-time") == 7_200
    assert seconds_of("90", "--max-time") == 90


@pytest.mark.parametrize("text", ["", "ten", "5 parsecs", "-1", "1e9"])
def test_what_is_not_understood_is_named_with_an_example(text: str) -> None:
    with pytest.raises(BadSetting, match="--max-time"):
        seconds_of(text, "--max-time")


def test_sizes_and_times_are_shown_in_fitting_units() -> None:
    assert shown_bytes(999) == "999 B"
    assert shown_bytes(48_000_000) == "48.0 MB"
    assert shown_seconds(59.94) == "59.9 s"
    assert shown_seconds(3_700) == "1 h 1 min"


def test_o5_a_moment_is_a_time_or_so_long_ago() -> None:
    now = 1_800_000_000.0
    assert moment_of("-2h", "--at", now) == now - 7_200
    assert moment_of("-30min", "--at", now) == now - 1_800
    assert moment_of("2027-01-15T08:00:00Z", "--at", now) == now
    assert moment_of("2027-01-15 10:30+02:30", "--at", now) == now
    local = moment_of("2027-01-15T08:00", "--at", now)
    assert abs(local - now) <= 14 * 3_600
    for text in ("yesterday", "-", "-2 parsecs", "2027-13-01"):
        with pytest.raises(BadSetting, match="--at"):
            moment_of(text, "--at", now)
