import pytest

from hondius.errors import BadSetting
from hondius.quantities import format_bytes, format_seconds, parse_bytes, parse_moment, parse_seconds


def test_sizes_and_times_are_read_as_people_write_them() -> None:
    assert parse_bytes("10GB", "--max-bytes") == 10**10
    assert parse_bytes("1.5 MiB", "--max-bytes") == 3 * 2**19
    assert parse_seconds("2h", "--max-time") == 7_200
    assert parse_seconds("90", "--max-time") == 90


@pytest.mark.parametrize("text", ["", "ten", "5 parsecs", "-1", "1e9"])
def test_what_is_not_understood_is_named_with_an_example(text: str) -> None:
    with pytest.raises(BadSetting, match="--max-time"):
        parse_seconds(text, "--max-time")


def test_sizes_and_times_are_shown_in_fitting_units() -> None:
    assert format_bytes(999) == "999 B"
    assert format_bytes(48_000_000) == "48.0 MB"
    assert format_seconds(59.94) == "59.9 s"
    assert format_seconds(3_700) == "1 h 1 min"


def test_o5_a_moment_is_a_time_or_so_long_ago() -> None:
    now = 1_800_000_000.0
    assert parse_moment("-2h", "--at", now) == now - 7_200
    assert parse_moment("-30min", "--at", now) == now - 1_800
    assert parse_moment("2027-01-15T08:00:00Z", "--at", now) == now
    assert parse_moment("2027-01-15 10:30+02:30", "--at", now) == now
    local = parse_moment("2027-01-15T08:00", "--at", now)
    assert abs(local - now) <= 14 * 3_600
    for text in ("yesterday", "-", "-2 parsecs", "2027-13-01"):
        with pytest.raises(BadSetting, match="--at"):
            parse_moment(text, "--at", now)
