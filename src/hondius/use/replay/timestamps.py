"""Times in the URLs of a replay: fourteen digits, in UTC, as web archives write them."""

from datetime import UTC, datetime

from hondius.model import EARLIEST, LATEST

DIGITS = "00010101000000"
"""What stands for digits that are left out."""
FORMAT = "%Y%m%d%H%M%S"


def format_stamp(at: float) -> str:
    return datetime.fromtimestamp(min(max(at, EARLIEST), LATEST), UTC).strftime(FORMAT).rjust(14, "0")


def parse_stamp(text: str) -> float | None:
    """None if it is no time. What is left out at its end is the beginning of the year, month, day …"""
    if not text.isascii() or not text.isdecimal() or len(text) not in (4, 6, 8, 10, 12, 14):
        return None
    try:
        moment = datetime.strptime(text + DIGITS[len(text) :], FORMAT)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC).timestamp()
