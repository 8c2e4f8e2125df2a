"""Exports of 20,000 pages: time, memory, and what other programs say of the files (S6)."""

import json
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.acceptance import commands
from tests.acceptance.commands import Ended
from tests.acceptance.figure import Figure
from tests.acceptance.replay import read_served, replay_page, wayback
from tests.acceptance.synthetic_web import SyntheticWeb, serving

PAGES = 20_000
HOSTS, PAGES_PER_HOST = 100, 230
SEED = 7
MOST_SECONDS, MOST_SECONDS_WITH_TEXT, MOST_MEMORY = 10.0, 120.0, 300 * 2**20
JUDGES = Path(sys.prefix) / "judges" / "bin"
COUNT_BY_DUCKDB = "import duckdb, sys; print(duckdb.sql(f\"SELECT count(*) FROM '{sys.argv[1]}'\").fetchall()[0][0])"
COUNT_BY_POLARS = "import polars, sys; print(polars.scan_parquet(sys.argv[1]).select(polars.len()).collect().item())"
COUNT_BY_PYARROW = "import pyarrow.parquet as p, sys; print(p.read_table(sys.argv[1]).num_rows)"
REPLAYED = 5


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-export-") as name:
        scratch = Path(name)
        with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.05) as web:
            crawl = scratch / "crawl"
            commands.run_well(*web.crawl_arguments(crawl, 0), "--max-pages", PAGES)
            rows = commands.rows(commands.export(crawl))
            yield from _tables(crawl, scratch, len(rows))
            yield from _web_archive(crawl, scratch, rows, web)


def _tables(crawl: Path, scratch: Path, rows: int) -> Iterator[Figure]:
    catalog, text = scratch / "catalog.parquet", scratch / "text.parquet"
    made = commands.run("export", crawl, "-o", catalog)
    yield from _cost("Parquet of the catalog", made, MOST_SECONDS)
    yield from _readers("Parquet of the catalog", catalog, rows)
    made = commands.run("export", crawl, "-o", text, "--columns", "url,title,main_text")
    yield from _cost("Parquet with main text, the first time", made, MOST_SECONDS_WITH_TEXT)
    yield from _readers("Parquet with main text", text, rows)
    again = commands.run("export", crawl, "-o", text, "--columns", "url,title,main_text")
    yield from _cost("Parquet with main text, the second time", again, MOST_SECONDS_WITH_TEXT)


def _cost(name: str, ended: Ended, most_seconds: float) -> Iterator[Figure]:
    if ended.status != 0:
        yield Figure(name, False, ended.errors[-300:])
        return
    measured = f"{ended.seconds:.1f} s, {ended.cpu_seconds:.1f} s of CPU"
    yield Figure(name, ended.seconds <= most_seconds, measured, f"at most {most_seconds:.0f} s")
    memory = f"{ended.peak_bytes / 2**20:.0f} MB"
    yield Figure(f"{name}, peak memory", ended.peak_bytes <= MOST_MEMORY, memory, f"at most {MOST_MEMORY >> 20} MB")


def _readers(name: str, path: Path, rows: int) -> Iterator[Figure]:
    """DuckDB runs in the environment of the judges; the others are in ours, and read the file in a new process."""
    readers = {
        "DuckDB": (JUDGES / "python", COUNT_BY_DUCKDB),
        "polars": (Path(sys.executable), COUNT_BY_POLARS),
        "pyarrow": (Path(sys.executable), COUNT_BY_PYARROW),
    }
    for reader, (python, script) in readers.items():
        ended = subprocess.run([python, "-c", script, path], capture_output=True, text=True, check=False)
        found = ended.stdout.strip() or ended.stderr[-300:]
        yield Figure(f"{name}, rows by {reader}", found == str(rows), found, f"{rows:,} rows of the catalog")


def _web_archive(crawl: Path, scratch: Path, rows: list[dict[str, Any]], web: SyntheticWeb) -> Iterator[Figure]:
    path = scratch / "crawl.wacz"
    commands.run_well("export", crawl, "-o", path, "--noindex")
    ended = subprocess.run([JUDGES / "wacz", "validate", "-f", path], capture_output=True, text=True, check=False)
    said = (ended.stdout.strip().splitlines() or [ended.stderr[-300:]])[-1]
    yield Figure("WACZ, by py-wacz", ended.returncode == 0 and "is valid" in said, said, "valid")
    pages = [row for row in rows if row["kind"] == "page" and row["state"] in ("completed", "duplicate")]
    listed = _list_pages(path)
    is_same = {page["url"] for page in listed} == {row["url"] for row in pages} and len(listed) == len(pages)
    yield Figure("WACZ, pages listed", is_same, f"{len(listed):,}", f"the {len(pages):,} pages of the catalog")
    yield _replay(path, scratch, listed, web)


def _list_pages(path: Path) -> list[dict[str, str]]:
    with zipfile.ZipFile(path) as package:
        return [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()[1:]]


def _replay(path: Path, scratch: Path, listed: list[dict[str, str]], web: SyntheticWeb) -> Figure:
    """Whether pywb serves what the server sent, octet for octet."""
    chosen = random.Random(SEED).sample(listed, REPLAYED)
    with wayback(scratch, [path]) as port:
        same = sum(
            replay_page(port, page["url"], "".join(filter(str.isdigit, page["ts"]))) == read_served(web, page["url"])
            for page in chosen
        )
    return Figure("WACZ, pages that pywb replays as they were sent", same == REPLAYED, f"{same} of {REPLAYED}", "all")
