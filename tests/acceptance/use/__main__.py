"""`make accept ONLY=use`: what people do with a crawl."""

import sys

from tests.acceptance.parts import run_parts
from tests.acceptance.use import extract, importing, mcp, replay, report, search, sql

PARTS = {
    "search": search.figures,
    "sql": sql.figures,
    "mcp": mcp.figures,
    "report": report.figures,
    "replay": replay.figures,
    "extract": extract.figures,
    "import": importing.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("use", PARTS))
