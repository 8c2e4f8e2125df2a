"""Parses and formats sizes and times: 10GB, 500MiB, 90m, 2h."""

import re
from datetime import UTC, datetime

from hondius.errors import BadSetting
from hondius.model import FOREVER, HostOrder

BYTES = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "kib": 2**10, "m": 10**6, "mb": 10**6, "mib": 2**20}
BYTES |= {"g": 10**9, "gb": 10**9, "gib": 2**30, "t": 10**12, "tb": 10**12, "tib": 2**40}
SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}
PARTS = re.compile(r"\d+(?:\.\d+)?[A-Za-z]+")
QUANTITY = re.compile(r"^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([A-Za-z]*)\s*$")


def parse_bytes(text: str, option: str) -> int:
    return int(_parse_quantity(text, option, BYTES, "10GB or 500MiB"))


def parse_seconds(text: str, option: str, example: str = "90s, 30m, 2h or 1h30m") -> float:
    """One quantity, or the sum of several with units."""
    parts = PARTS.findall(text)
    if len(parts) > 1 and "".join(parts) == "".join(text.split()):
        return sum(_parse_quantity(part, option, SECONDS, example) for part in parts)
    return _parse_quantity(text, option, SECONDS, example)


def parse_moment(text: str, option: str, now: float) -> float:
    """`2026-11-15 08:30` (UTC unless it has an offset), or a time before now: `-2h`, `-30min`."""
    if text.startswith("-"):
        return now - parse_seconds(text[1:], option, "-2h, -30min or 2026-11-15T08:30")
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise BadSetting(f"{option} {text!r} is not understood: write it like -2h or 2026-11-15T08:30") from None


def _parse_quantity(text: str, option: str, units: dict[str, int], example: str) -> float:
    match = QUANTITY.match(text)
    if match is None or match.group(2).lower() not in units:
        raise BadSetting(f"{option} {text!r} is not understood: write it like {example}")
    return float(match.group(1)) * units[match.group(2).lower()]


def format_bytes(count: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if abs(count) < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def format_seconds(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


def format_moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}Z"


def format_count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def describe_order(order: HostOrder) -> str:
    """What an order asks of its host."""
    if order.delay is not None:
        return f"at least {format_seconds(order.delay)} between two requests"
    if order.paused_until is None:
        return "contacted as the settings say"
    if order.paused_until >= FOREVER:
        return "not contacted until it is unpaused"
    return f"not contacted before {format_moment(order.paused_until)}"
