"""`hondius mcp` (O8), driven by the reference client."""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import serving
from tests.operate.reference_client import drive, find_python
from tests.use.sql_shop import FORBIDDEN

HOSTS, PAGES_PER_HOST, SEED, SLOWEST = 5, 20, 7, 0.05
COUNT = "SELECT count(*) AS n FROM pages"


def figures() -> Iterator[Figure]:
    python = find_python()
    if python is None:
        yield Figure("MCP, the reference client", False, "it is not installed", "make accept installs it")
        return
    with tempfile.TemporaryDirectory(prefix="hondius-mcp-accept-") as name:
        scratch = Path(name)
        with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=SLOWEST) as web:
            crawl = scratch / "crawl"
            commands.run_well(*web.crawl_arguments(crawl, 0))
        yield from _use_tools(crawl, python)
        yield _refuse(crawl, python)


def _use_tools(crawl: Path, python: Path) -> Iterator[Figure]:
    rows = commands.rows(commands.export(crawl))
    url = next(row["url"] for row in rows if row["state"] == "completed" and row["kind"] == "page")
    markdown = commands.run_well("export", crawl, "--noindex", "--columns", "url,markdown").output
    expected = next(row["markdown"] for row in commands.rows(markdown.encode()) if row["url"] == url)
    calls: list[tuple[str, dict[str, object]]] = [
        ("page", {"url": url, "length": 100_000}),
        ("explain", {"url": url}),
        ("sql", {"query": COUNT}),
        ("status", {}),
        ("search", {"query": f'"{_find_phrase(expected)}"', "limit": 50}),
    ]
    talk = drive(python, [*commands.HONDIUS, "mcp", str(crawl), "--seconds", "600"], calls)
    page, explained, counted, status, hits = (answer["texts"] for answer in talk["answers"])
    tools = set(talk["tools"])
    yield Figure("MCP, tools", tools >= {"search", "page", "explain", "sql", "status"}, ", ".join(sorted(tools)))
    yield Figure("MCP, page as Markdown", page[-1] == expected, f"{len(page[-1]):,} characters", f"{len(expected):,}")
    yield Figure("MCP, explain", url in explained[0], f"{len(explained[0]):,} characters", "names the URL")
    found = json.loads(counted[-1])["n"]
    yield Figure("MCP, SQL", found == len(rows), f"{found:,}", f"{len(rows):,} rows of the catalog")
    completed = json.loads(status[0])["states"]["completed"]
    known = sum(row["state"] == "completed" and row["kind"] == "page" for row in rows)
    yield Figure("MCP, status", completed == known, f"{completed:,} completed", f"{known:,}")
    urls = [json.loads(line)["url"] for line in hits[-1].splitlines()]
    yield Figure("MCP, search by a phrase of the page", url in urls, f"{len(urls)} hits", "the page is among them")


def _find_phrase(markdown: str) -> str:
    """Six words in a row of its longest line of text, in any script."""
    plain = [line for line in markdown.splitlines() if not set(line) & set("[]()<>|`\\")]
    return " ".join(re.findall(r"\w+", max(plain, key=len))[:6])


def _refuse(crawl: Path, python: Path) -> Figure:
    calls = [("sql", {"query": text}) for text in FORBIDDEN.values()]
    talk = drive(python, [*commands.HONDIUS, "mcp", str(crawl), "--seconds", "600"], calls)
    refused = sum(answer["is_error"] and "\n" not in answer["texts"][0] for answer in talk["answers"])
    bar = f"all {len(FORBIDDEN)}"
    return Figure("MCP, forbidden statements refused", refused == len(FORBIDDEN), f"{refused}", bar)
