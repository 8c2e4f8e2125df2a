"""`make accept ONLY=unshakable`: no byte from a stranger stops a crawl."""

import sys

from tests.acceptance.parts import run_parts
from tests.acceptance.unshakable import defects, plants, speed, suites
from tests.acceptance.unshakable.hostile import crawls

PARTS = {
    "defects": defects.figures,
    "plants": plants.figures,
    "hostile": crawls.figures,
    "speed": speed.figures,
    "suites": suites.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("unshakable", PARTS))
