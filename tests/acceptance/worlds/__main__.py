"""`make accept ONLY=worlds`: the rebuilt house keeps every guarantee of the one before."""

import sys

from tests.acceptance.parts import run_parts
from tests.acceptance.worlds import cold, golden, growth, house, latency, old_host, speed, suites

PARTS = {
    "golden": golden.figures,
    "host": old_host.figures,
    "cold": cold.figures,
    "latency": latency.figures,
    "speed": speed.figures,
    "growth": growth.figures,
    "house": house.figures,
    "suites": suites.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("worlds", PARTS))
