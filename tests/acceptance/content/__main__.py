"""`make accept ONLY=content`: copies, change and importance of what was crawled."""

import sys

from tests.acceptance.content import focus, retention
from tests.acceptance.parts import run_parts

PARTS = {
    "focus": focus.figures,
    "retention": retention.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("content", PARTS))
