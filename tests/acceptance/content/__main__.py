"""`make accept ONLY=content`: what a crawl knows of its content."""

import sys

from tests.acceptance.content import changes, focus, near, rank, recrawl, retention, sitemaps
from tests.acceptance.parts import run_parts

PARTS = {
    "near": near.figures,
    "rank": rank.figures,
    "recrawl": recrawl.figures,
    "changes": changes.figures,
    "sitemaps": sitemaps.figures,
    "focus": focus.figures,
    "retention": retention.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("content", PARTS))
