"""The archives of a crawl satisfy those who did not write them: warcio, fastwarc, pywb (S3)."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from tests.acceptance import commands
from tests.acceptance.manifest import Crawled, crawled_web
from tests.acceptance.replay import replayed, served, wayback

BIN = Path(sys.executable).parent
CHECKS: tuple[tuple[str, ...], ...] = (("warcio", "check"), ("fastwarc", "check", "--quiet", "--verify-payloads"))
REPLAYED = 25
"""Pages, spread over the crawl."""


def judged(crawled: Crawled, scratch: Path) -> tuple[str, bool]:
    """A line of figures, and whether the bars are met."""
    warcs = sorted((crawled.directory / "warc").glob("*.warc.gz"))
    refused = [complaint for warc in warcs for check in CHECKS if (complaint := _complaint(check, warc))]
    pages, different = _replay(crawled, scratch, warcs)
    for line in (*refused, *different):
        print(f"  {line}")
    line = (
        f"{len(warcs)} WARC files: {len(refused)} refused by warcio or fastwarc; "
        f"pywb replayed {pages} pages, {len(different)} not as they were served"
    )
    return line, bool(warcs) and bool(pages) and not refused and not different


def _complaint(check: Sequence[str], warc: Path) -> str:
    ended = subprocess.run([BIN / check[0], *check[1:], warc], capture_output=True, text=True, check=False)
    return "" if ended.returncode == 0 else f"{check[0]}: {warc.name}: {(ended.stdout + ended.stderr).strip()[:500]}"


def _replay(crawled: Crawled, scratch: Path, warcs: Sequence[Path]) -> tuple[int, list[str]]:
    rows = [row for row in commands.rows(commands.export(crawled.directory)) if _is_replayed(row)]
    chosen = list(islice(rows, 0, None, max(1, len(rows) // REPLAYED)))
    with wayback(scratch, warcs) as port:
        return len(chosen), [
            f"pywb: {row['url']}"
            for row in chosen
            if replayed(port, row["url"], _digits(row)) != served(crawled.web, row["url"])
        ]


def _is_replayed(row: dict[str, Any]) -> bool:
    """Pages whose body was kept, and that are the same whenever they are asked for."""
    return row["state"] == "completed" and row["warc_file"] is not None


def _digits(row: dict[str, Any]) -> str:
    return datetime.fromtimestamp(row["last_fetched_at"], UTC).strftime("%Y%m%d%H%M%S")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="hondius-archives-") as name, crawled_web(Path(name)) as crawled:
        line, passed = judged(crawled, Path(name))
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
