"""SQL (O1): answers are those of the plan, forbidden statements are refused in every way, and caps hold."""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hondius.testweb.plan import Size, plan_web
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import serving
from tests.acceptance.use.planned_links import list_sources
from tests.use.sql_shop import BOMBS, FORBIDDEN

HOSTS, PAGES_PER_HOST, SEED, SLOWEST = 40, 20, 7, 0.05
SECONDS, MOST_SECONDS = 5, 30.0
MEMORY, MOST_MEMORY = "256MB", 1_700 * 2**20
LINKS = "SELECT DISTINCT source_key, target_key FROM links"
PYTHON = """
import hondius, json, sys
refused = {}
with hondius.open(sys.argv[1]) as crawl:
    for name, query in json.load(sys.stdin).items():
        try:
            crawl.sql(query)
        except hondius.HondiusError as error:
            refused[name] = str(error)
print(json.dumps(refused))
"""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-sql-accept-") as name:
        scratch = Path(name)
        with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=SLOWEST) as web:
            crawl = scratch / "crawl"
            commands.run_well(*web.crawl_arguments(crawl, 0))
        yield from _compare_links(crawl, scratch)
        yield _refuse_by_command(crawl)
        yield _refuse_in_python(crawl)
        yield from _hold_caps(crawl)


def _compare_links(crawl: Path, scratch: Path) -> Iterator[Figure]:
    expected = list_sources(plan_web(Size(HOSTS, PAGES_PER_HOST, SEED, slowest=SLOWEST)))
    path = scratch / "links.jsonl"
    commands.run_well("sql", crawl, LINKS, "-o", path, "--seconds", 600)
    found: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text().splitlines():
        row = json.loads(line)
        found[row["target_key"]].add(row["source_key"])
    wrong = [target for target, sources in expected.items() if found[target] != sources]
    same = f"{len(expected) - len(wrong):,} of {len(expected):,}"
    yield Figure("SQL, targets whose linking pages are those of the plan", not wrong and bool(expected), same, "all")
    for line in wrong[:5]:
        print(f"  {line}: {sorted(found[line])} instead of {sorted(expected[line])}")
    target, sources = max(expected.items(), key=lambda item: len(item[1]))
    one = f"SELECT DISTINCT source_key FROM links WHERE target_key = '{target}'"
    ended = commands.run_well("sql", crawl, one, "--format", "jsonl", "--seconds", 600)
    listed = {json.loads(line)["source_key"] for line in ended.output.splitlines()}
    yield Figure("SQL, the pages that link to one URL", listed == sources, f"{len(listed)}", f"{len(sources)}")


def _refuse_by_command(crawl: Path) -> Figure:
    """By every statement whose text a shell can pass on."""
    statements = {name: text for name, text in FORBIDDEN.items() if len(text) < 100_000}
    ended = {name: commands.run("sql", crawl, text) for name, text in statements.items()}
    refused = [name for name, one in ended.items() if one.status == 2 and one.errors.count("\n") == 1]
    for name in sorted(set(statements) - set(refused)):
        print(f"  {name}: status {ended[name].status}, {ended[name].errors[:300]}")
    return _count("SQL by command, forbidden statements refused in one line", len(refused), len(statements))


def _refuse_in_python(crawl: Path) -> Figure:
    ended = subprocess.run(
        [sys.executable, "-c", PYTHON, crawl],
        input=json.dumps(FORBIDDEN),
        capture_output=True,
        text=True,
        check=False,
    )
    refused = json.loads(ended.stdout) if ended.returncode == 0 else {}
    return _count("SQL in Python, forbidden statements refused", len(refused), len(FORBIDDEN))


def _hold_caps(crawl: Path) -> Iterator[Figure]:
    limits = ("--seconds", SECONDS, "--memory", MEMORY)
    for name, text in BOMBS.items():
        ended = commands.run("sql", crawl, text, *limits)
        said = ended.errors.strip()
        is_held = ended.status == 1 and said.count("\n") == 0 and ended.seconds < MOST_SECONDS
        measured = f"{ended.seconds:.1f} s, {ended.peak_bytes / 2**20:.0f} MB, {said[:100]}"
        yield Figure(f"SQL, {name}", is_held and ended.peak_bytes < MOST_MEMORY, measured, "stopped in one line")
    ended = commands.run("sql", crawl, "SELECT * FROM range(1000000000000)", "--format", "jsonl", "--seconds", 600)
    rows = len(ended.output.splitlines())
    yield Figure("SQL, rows of an endless query", rows == 1_000 and ended.status == 0, f"{rows:,}", "1,000")


def _count(name: str, count: int, of: int) -> Figure:
    return Figure(name, count == of, f"{count} of {of}", "all")
