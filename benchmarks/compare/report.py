"""The tables, and their place in `benchmarks/RESULTS.md` and `benchmarks/results.json`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from benchmarks.compare.bars import HONDIUS, verdicts
from benchmarks.compare.plot import svg
from benchmarks.compare.rows import Row, Run
from benchmarks.site.plan import PAGES_PER_HOST

RESULTS = Path(__file__).parents[1] / "RESULTS.md"
PLOT = Path("plots", "bench.svg")
JSON = "results.json"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
Column = tuple[str, Callable[[Row, Row | None], str]]
COLUMNS: tuple[Column, ...] = (
    ("crawler", lambda row, ours: f"{row.crawler} {row.version}"),
    ("pages/s", lambda row, ours: f"{row.pages_per_second:,.0f}"),
    ("Hondius is", lambda row, ours: ratio(ours, row, "pages_per_second")),
    ("ms CPU a page", lambda row, ours: f"{row.cpu_ms_per_page:.2f}"),
    ("of Hondius's", lambda row, ours: ratio(row, ours, "cpu_ms_per_page")),
    ("peak MB", lambda row, ours: f"{row.peak_rss_mb:,.0f}"),
    ("s", lambda row, ours: f"{row.seconds:,.1f}"),
    ("start", lambda row, ours: f"{row.start_seconds:.1f}"),
    ("pages/s served", lambda row, ours: f"{row.pages_per_second_served:,.0f}"),
    ("connections", lambda row, ours: f"{row.connections:,}"),
    ("keeps", lambda row, ours: row.keeps),
    ("remarks", lambda row, ours: "; ".join(remarks(row, ours))),
)
EXPLAINED = """\
Every crawler starts from the roots of all hosts, follows the links it finds itself, keeps to these hosts, waits for
nothing, and has {concurrency} requests under way at most; notes below. *pages/s*: different pages that the server
answered, by wall-clock seconds (*s*) from the start of the crawler's process to its end, of which *start* until the
first answer; *pages/s served*: between the first and the last answer, by the server's log. *CPU*, *peak*: of the
crawler's whole process tree, not of the server, which has the same cores. Crawlers that keep more, or less, do not do
the same work: see *keeps*.
"""


def ratio(one: Row | None, other: Row | None, figure: str) -> str:
    if one is None or other is None or not getattr(other, figure):
        return ""
    return f"{getattr(one, figure) / getattr(other, figure):.1f} ×"


def remarks(row: Row, ours: Row | None) -> Iterator[str]:
    if not row.in_time:
        yield "stopped when its time was up"
    elif row.status:
        yield f"ended with status {row.status}"
    if not row.whole:
        yield f"**fetched {row.coverage:.2%}**"
    if not row.robots:
        yield "no robots.txt"
    if row.disturbed:
        yield f"{row.elsewhere:.1f} cores were busy elsewhere"
    if ours is not None and row.run != ours.run:
        same = "" if row.circumstances == ours.circumstances else ", on another build or machine"
        yield f"measured in another run{same}"


def table(rows: list[Row]) -> list[str]:
    """Of one scheme, fastest first; what is apart comes last."""
    ours = next((row for row in rows if row.crawler == HONDIUS), None)
    lines = [[name for name, _ in COLUMNS], ["---"] * len(COLUMNS)]
    for row in sorted(rows, key=lambda row: (row.kind == "apart", -row.pages_per_second)):
        cells = [cell(row, ours) for _, cell in COLUMNS]
        if row.kind == "apart":
            cells[0] = f"*{cells[0]}*"
        lines.append(cells)
    return [f"| {' | '.join(line)} |" for line in lines]


def of_scheme(rows: list[Row], scheme: str) -> list[Row]:
    return [row for row in rows if row.scheme == scheme]


def caution(rows: list[Row]) -> Iterator[str]:
    if disturbed := [row for row in rows if row.disturbed]:
        most = max(row.elsewhere for row in disturbed)
        yield (
            f"**Not on a quiet machine**: during {len(disturbed)} of {len(rows)} measurements other work kept up to "
            f"{most:.1f} cores busy, and not the same for all. Pages a second, and what follows from them, are then no "
            "fair comparison; CPU a page nearly is."
        )


def by_run(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    return [(began, [row for row in rows if row.run == began]) for began in sorted({row.run for row in rows})]


def schemes(rows: list[Row]) -> list[str]:
    return sorted({row.scheme for row in rows})


def section(rows: list[Row], run: Run) -> str:
    hosts = run.circumstances.hosts
    runs = " and ".join(f"{', '.join(schemes(own))} of {began}" for began, own in by_run(rows))
    parts = [
        f"## Against other crawlers: {hosts * PAGES_PER_HOST:,} pages on {hosts:,} hosts",
        f"`make bench`; {run.circumstances.machine}; build {run.circumstances.build} of Hondius; {runs}.",
        EXPLAINED.format(concurrency=run.circumstances.concurrency).strip(),
        *caution(rows),
    ]
    for scheme in schemes(rows):
        chosen = of_scheme(rows, scheme)
        parts += [f"### {scheme.upper()}", "\n".join(table(chosen))]
        parts.append("\n".join(f"- {verdict}" for verdict in verdicts(chosen)))
    parts.append(f"![Pages a second]({PLOT.as_posix()})")
    parts.append("\n".join(notes(rows, run)))
    return "\n\n".join(parts)


def notes(rows: list[Row], run: Run) -> Iterator[str]:
    """How each was configured; its folder in `benchmarks/peers` has the reasons."""
    yield from sorted({f"- {row.crawler}: {row.note}" for row in rows})
    yield from (
        f"- {name}: not measured, as it could not be installed ({reason})" for name, reason in run.absent.items()
    )


def merge_rows(run: Run, results: Path = RESULTS) -> list[Row]:
    """The rows of this run, and those of crawlers that it left out, from the last one on the same site."""
    known = {row.place: row for row in read_recorded(results) if row.circumstances.hosts == run.circumstances.hosts}
    return list((known | {row.place: row for row in run.rows}).values())


def read_recorded(results: Path = RESULTS) -> list[Row]:
    file = results.parent / JSON
    return msgspec.json.decode(file.read_bytes(), type=list[Row]) if file.exists() else []


def record(run: Run, results: Path = RESULTS) -> None:
    """Writes figures, plot, and the section of this benchmark between its marks; other sections are not touched."""
    rows = merge_rows(run, results)
    (results.parent / JSON).write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
    plot = results.parent / PLOT
    plot.parent.mkdir(exist_ok=True)
    plot.write_text(svg(rows))
    text = results.read_text() if results.exists() else "# Results\n"
    if BEGIN not in text:
        text += f"\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    results.write_text(f"{before}{BEGIN}\n{section(rows, run)}\n{END}{rest.partition(END)[2]}")
