"""`make accept ONLY=content`: knowing the content."""

import sys

from tests.acceptance.content import rank
from tests.acceptance.parts import run_parts

PARTS = {
    "rank": rank.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("content", PARTS))
