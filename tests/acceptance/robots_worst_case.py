"""B1: what the most expensive rule that fits costs."""

import time

from hondius._native import Robots

LENGTH, STARS = 2_000, 1_000
BAR = 0.001
ROUNDS = 200


def figures() -> tuple[str, bool]:
    """Every star could match anywhere, and the last character nowhere."""
    rule = "/" + "*a" * (STARS - 1) + "*b"
    path = "/" + "a" * (LENGTH - 1)
    robots = Robots(f"User-agent: *\nDisallow: {rule}\n".encode(), "hondius")
    if not robots.allowed(path)[0]:
        return "robots: a rule matches a path that it does not match", False
    seconds = min(_seconds(robots, path) for _ in range(ROUNDS))
    return f"robots worst case {seconds * 1e6:.0f} µs (< {BAR * 1e6:.0f})", seconds < BAR


def _seconds(robots: Robots, path: str) -> float:
    began = time.perf_counter()
    robots.allowed(path)
    return time.perf_counter() - began
