"""The archives of a crawl satisfy those who did not write them: warcio, fastwarc, pywb (S3)."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.acceptance import commands
from tests.acceptance.manifest import Crawled, crawled_web
from tests.acceptance.replay import read_served, replay_page, wayback

BIN = Path(sys.executable).parent
CHECKS: tuple[tuple[str, ...], ...] = (("warcio", "check"), ("fastwarc", "check", "--quiet"))
REPLAYED = {"completed": 25, "duplicate": 10}
"""How many URLs of each state, spread over the crawl. Copies are archived as revisits of their originals (X3)."""


def judge_archives(crawled: Crawled, scratch: Path) -> tuple[str, bool]:
    """A line of figures, and whether the bars are met."""
    warcs = sorted((crawled.directory / "warc").glob("*.warc.gz"))
    refused = complaints(warcs)
    pages, different = _replay(crawled, scratch, warcs)
    for line in (*refused, *different):
        print(f"  {line}")
    line = (
        f"{len(warcs)} WARC files: {len(refused)} refused by warcio or fastwarc; "
        f"pywb replayed {pages} pages, {len(different)} not as they were served"
    )
    return line, bool(warcs) and bool(pages) and not refused and not different


def complaints(warcs: Sequence[Path]) -> list[str]:
    """What warcio and fastwarc say against the files; they are read one after the other, as one."""
    with tempfile.NamedTemporaryFile(suffix=".warc.gz") as together:
        for warc in warcs:
            with warc.open("rb") as file:
                shutil.copyfileobj(file, together)
        together.flush()
        said = [] if warcs else ["there is no WARC file"]
        if any(_complaint(check, Path(together.name)) for check in CHECKS):
            said += [complaint for warc in warcs for check in CHECKS if (complaint := _complaint(check, warc))]
        return said


def _complaint(check: Sequence[str], warc: Path) -> str:
    ended = subprocess.run([BIN / check[0], *check[1:], warc], capture_output=True, text=True, check=False)
    return "" if ended.returncode == 0 else f"{check[0]}: {warc.name}: {(ended.stdout + ended.stderr).strip()[:500]}"


def _replay(crawled: Crawled, scratch: Path, warcs: Sequence[Path]) -> tuple[int, list[str]]:
    rows = commands.rows(commands.export(crawled.directory))
    chosen = [row for state, count in REPLAYED.items() for row in _spread(rows, state, count)]
    with wayback(scratch, warcs) as port:
        return len(chosen), [
            f"pywb: {row['url']}"
            for row in chosen
            if replay_page(port, row["url"], _digits(row)) != read_served(crawled.web, row["url"])
        ]


def _spread(rows: list[dict[str, Any]], state: str, count: int) -> list[dict[str, Any]]:
    """Some of the URLs that ended so and whose answer was kept."""
    kept = [row for row in rows if row["state"] == state and row["warc"] is not None]
    return kept[:: max(1, len(kept) // count)][:count]


def _digits(row: dict[str, Any]) -> str:
    return datetime.fromisoformat(row["fetched_at"]).strftime("%Y%m%d%H%M%S")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="hondius-archives-") as name, crawled_web(Path(name)) as crawled:
        line, passed = judge_archives(crawled, Path(name))
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
