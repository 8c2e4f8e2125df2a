"""`make accept ONLY=content`: copies, change, importance."""

import sys

from tests.acceptance.content import near
from tests.acceptance.parts import run_parts

PARTS = {
    "near": near.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("content", PARTS))
