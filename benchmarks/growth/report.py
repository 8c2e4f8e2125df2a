"""The table, and its place in `benchmarks/RESULTS.md`."""

import os
import platform
from collections.abc import Callable
from pathlib import Path

from benchmarks.growth.bars import GIB, MILLION, Row, verdicts
from benchmarks.growth.plot import svg

RESULTS = Path(__file__).parent.parent / "RESULTS.md"
PLOT = Path("plots", "growth.svg")
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
MIB = 2**20
COLUMNS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("million URLs", lambda row: f"{row['urls'] // MILLION}"),
    ("add", lambda row: f"{row['add']:.1f}"),
    ("take", lambda row: f"{row['take']:.1f}"),
    ("known link, recent", lambda row: f"{row['known_recent']:.1f}"),
    ("known link, cold", lambda row: f"{row['known_old']:.1f}"),
    ("page of 80 links", lambda row: f"{row['page']:.0f}"),
    ("peak resident", lambda row: f"{row['peak_resident'] / MIB:.0f} MiB"),
    ("start", lambda row: f"{row['start']['seconds']:.1f} s"),
    ("after `kill -9`", lambda row: f"{row['start_after_kill']['seconds']:.1f} s"),
    ("Bloom filter", lambda row: f"{row['bloom_bits'] / 8 / MIB:.0f} MiB, {row['bloom_rate']:.2%} wrong"),
    ("on disk", lambda row: f"{row['disk_bytes'] / GIB:.1f} GiB"),
)
EXPLAINED = """\
Microseconds of CPU, all threads counted, compaction of the tree and of the log too. *Add*: admission, log (synced a
frame of 1,000 changes), URL store, for one new URL. *Take*: the frontier's choice and the URL's end, by a frame. *Page
of 80 links*: one URL taken, its page's 12 new links added, 60 recent ones and 8 cold ones recognised, a frame for 77
pages. *Start*: a new process, nothing in the system's cache, until a URL can be handed out. All settings are the
defaults.
"""


def table(rows: list[Row]) -> list[str]:
    head = [" | ".join(name for name, _ in COLUMNS), "|".join("---" for _ in COLUMNS)]
    body = [" | ".join(cell(row) for _, cell in COLUMNS) for row in rows]
    return [f"| {line} |" for line in head + body]


def record(rows: list[Row], note: str, results: Path = RESULTS) -> None:
    """Writes the plot, and the section of this benchmark between its marks; other sections are not touched."""
    plot = results.parent / PLOT
    plot.parent.mkdir(exist_ok=True)
    plot.write_text(svg(rows))
    text = (
        results.read_text() if results.exists() else "# Results\n\nEach section names the command that reproduces it.\n"
    )
    if BEGIN not in text:
        text += f"\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    results.write_text(f"{before}{BEGIN}\n{section(rows, note)}\n{END}{rest.partition(END)[2]}")


def section(rows: list[Row], note: str) -> str:
    origins = rows[-1]["origins"]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    judged = [f"- {verdict}" for verdict in verdicts(rows)]
    parts = [
        f"## The frontier at {rows[-1]['urls'] // MILLION} million URLs on {origins:,} hosts",
        f"`make growth`; {machine}.{' ' + note if note else ''}",
        EXPLAINED.strip(),
        "\n".join(table(rows)),
        "\n".join(judged),
        f"![CPU over size]({PLOT.as_posix()})",
    ]
    return "\n\n".join(parts)
