"""`make main-text`: every extractor on every annotated page, in one run."""

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.main_text.extractors import (
    JUDGES,
    ROOT,
    RUST_CANDIDATES,
    Extracted,
    Unavailable,
    run_candidate,
    run_fast_text,
    run_hondius,
    run_judge,
)
from benchmarks.main_text.pages import KINDS, AnnotatedPage, read_own_pages, read_suite
from benchmarks.main_text.score import Score, score

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
BEGIN, END = "<!-- main-text: begin -->", "<!-- main-text: end -->"
ARTICLES = ("articles, tuned on", "articles, held out")
HEADER = ("extractor", "articles P", "R", "F1", "tuned on", "held out", *KINDS, "ms CPU", "p95 ms")

Run = Callable[[Sequence[AnnotatedPage]], list[Extracted]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.main_text", description=__doc__)
    parser.add_argument("--suites", type=Path, default=Path(os.environ.get("HONDIUS_SUITES", "../shared/suites")))
    parser.add_argument("--only", action="append", help="an extractor; may be repeated")
    parser.add_argument("--record", action="store_true", help="write the table into benchmarks/RESULTS.md")
    arguments = parser.parse_args()
    pages = [*read_own_pages()]
    if (arguments.suites / "main-text").exists():
        pages += read_suite(arguments.suites)
    else:
        print("the suite of articles is missing, so only our own pages are read: set HONDIUS_SUITES", file=sys.stderr)
    rows = [HEADER, ("---",) * len(HEADER)]
    for name, run in choose_extractors(arguments.only):
        try:
            rows.append(describe(name, pages, run(pages)))
        except Unavailable as missing:
            print(f"{name}: NOT RUN, {missing}", file=sys.stderr)
            continue
        print(" | ".join(rows[-1]), flush=True)
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    print(f"\n{table}")
    if arguments.record:
        record(table)
    return 0


def choose_extractors(only: Sequence[str] | None) -> list[tuple[str, Run]]:
    found: list[tuple[str, Run]] = [("Hondius", run_hondius), ("Hondius, fast text (A2)", run_fast_text)]
    found += [(name, partial(run_judge, name)) for name in JUDGES]
    found += [(name, partial(run_candidate, name)) for name in RUST_CANDIDATES]
    return [(name, run) for name, run in found if not only or name in only]


def describe(name: str, pages: Sequence[AnnotatedPage], answers: Sequence[Extracted]) -> tuple[str, ...]:
    def of(*groups: str) -> Score:
        pairs = zip(pages, answers, strict=True)
        return score((page, answer.text) for page, answer in pairs if page.group in groups)

    articles = of(*ARTICLES)
    milliseconds = sorted(
        answer.seconds * 1000 for page, answer in zip(pages, answers, strict=True) if page.group in ARTICLES
    ) or [answer.seconds * 1000 for answer in answers]
    return (
        name,
        *(f"{value:.3f}" for value in (articles.precision, articles.recall)),
        f"**{articles.f1:.4f}**",
        *(f"{of(group).f1:.4f}" for group in ARTICLES),
        *(f"{of(kind).f1:.3f}" for kind in KINDS),
        f"{statistics.mean(milliseconds):.2f}",
        f"{milliseconds[len(milliseconds) * 95 // 100]:.2f}",
    )


def record(table: str) -> None:
    text = RESULTS.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    RESULTS.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
