"""The main text for people and language models: found as well as by others, quickly, with its structure (A5)."""

import statistics
from collections.abc import Iterator, Sequence

from benchmarks.main_text.__main__ import ARTICLES, RESULTS
from benchmarks.main_text.extractors import (
    JUDGES,
    RUST_CANDIDATES,
    Extracted,
    Unavailable,
    run_hondius,
    run_judge,
)
from benchmarks.main_text.fidelity import PARTS, compare, read_html, read_markdown
from benchmarks.main_text.pages import KINDS, AnnotatedPage, read_own_pages, read_suite
from benchmarks.main_text.score import Score, score

from hondius.native import Extraction, Identity, Reader
from tests.acceptance.figure import Figure
from tests.acceptance.python.python_docs import NoPages, find_pages
from tests.native.suites import SUITES

PEERS = ("trafilatura", "trafilatura with comments")
"""Its two settings: Hondius is held against the better one of each group."""
LEAST_GAIN, LEAST_F1, MOST_MILLISECONDS = 0.01, 0.85, 8.0
SHOWN = 5


def figures() -> Iterator[Figure]:
    pages = list(read_own_pages())
    suite = SUITES / "main-text"
    if suite.exists():
        pages += read_suite(SUITES)
    else:
        yield Figure("articles of the suite", False, f"{suite} is missing: set HONDIUS_SUITES")
    ours = run_hondius(pages)
    try:
        peers = [run_judge(name, pages) for name in PEERS]
    except Unavailable as missing:
        yield Figure("trafilatura in the same run", False, str(missing))
        return
    if suite.exists():
        yield from _articles(pages, ours, peers)
    yield from _kinds(pages, ours, peers)
    yield _table()
    yield from _structure()


def _articles(
    pages: Sequence[AnnotatedPage], ours: Sequence[Extracted], peers: Sequence[Sequence[Extracted]]
) -> Iterator[Figure]:
    found = _score(pages, ours, *ARTICLES)
    best = max(_score(pages, peer, *ARTICLES).f1 for peer in peers)
    yield Figure(
        f"F1 of {sum(page.group in ARTICLES for page in pages)} articles",
        found.f1 >= best + LEAST_GAIN,
        f"{found.f1:.4f} (precision {found.precision:.3f}, recall {found.recall:.3f}), trafilatura {best:.4f}",
        f"at least trafilatura's + {LEAST_GAIN}",
    )
    halves = ", ".join(
        f"{half}: {_score(pages, ours, half).f1:.4f} against {max(_score(pages, peer, half).f1 for peer in peers):.4f}"
        for half in ARTICLES
    )
    yield Figure("F1 by halves, not judged", True, halves)
    milliseconds = sorted(
        answer.seconds * 1000 for page, answer in zip(pages, ours, strict=True) if page.group in ARTICLES
    )
    mean, p95 = statistics.mean(milliseconds), milliseconds[len(milliseconds) * 95 // 100]
    size = statistics.mean(len(page.body) for page in pages if page.group in ARTICLES) / 1000
    yield Figure(
        f"CPU of a page of {size:.0f} KB, with Markdown and structured data",
        mean <= MOST_MILLISECONDS,
        f"{mean:.2f} ms, p95 {p95:.2f} ms",
        f"at most {MOST_MILLISECONDS:.0f} ms on average",
    )


def _kinds(
    pages: Sequence[AnnotatedPage], ours: Sequence[Extracted], peers: Sequence[Sequence[Extracted]]
) -> Iterator[Figure]:
    for kind in KINDS:
        found = _score(pages, ours, kind).f1
        best = max(_score(pages, peer, kind).f1 for peer in peers)
        yield Figure(
            f"F1 of {sum(page.group == kind for page in pages)} pages of {kind}",
            found >= LEAST_F1 and found >= best,
            f"{found:.3f}, trafilatura {best:.3f}",
            f"at least {LEAST_F1}, and trafilatura's",
        )


def _score(pages: Sequence[AnnotatedPage], answers: Sequence[Extracted], *groups: str) -> Score:
    pairs = zip(pages, answers, strict=True)
    return score((page, answer.text) for page, answer in pairs if page.group in groups)


def _table() -> Figure:
    wanted = ("Hondius", *JUDGES, *RUST_CANDIDATES)
    text = RESULTS.read_text("utf-8")
    missing = [name for name in wanted if f"\n| {name} |" not in text]
    measured = f"without {', '.join(missing)}" if missing else f"{len(wanted)} extractors"
    return Figure(
        "table in benchmarks/RESULTS.md", not missing, measured, "all extractors, by `make main-text RECORD=1`"
    )


def _structure() -> Iterator[Figure]:
    """Every page of a manual: what its source has in its main element, the Markdown must have, in the same order."""
    try:
        pages = find_pages()
    except NoPages as missing:
        yield Figure("structure of python3-doc", False, str(missing))
        return
    reader = Reader(Identity(), agent_token="hondius")
    compared, laid_out, flattened, mismatches = dict.fromkeys(PARTS, 0), 0, 0, []
    for page in pages:
        body = page.read_bytes()
        source = read_html(body.decode("utf-8", "replace"))
        if source is None:
            mismatches.append(f"{page.name}: no main element")
            continue
        extraction = Extraction(
            reader, body, url=f"https://docs.test/{page.name}", content_type="text/html; charset=utf-8"
        )
        for part in PARTS:
            compared[part] += len(source.parts[part])
        laid_out += source.laid_out
        flattened += source.flattened
        mismatches += [
            f"{page.name}: {difference}" for difference in compare(source.parts, read_markdown(extraction.markdown))
        ]
    counts = ", ".join(f"{count:,} {part}" for part, count in compared.items())
    shown = "".join(f"; {mismatch}" for mismatch in mismatches[:SHOWN])
    yield Figure(
        f"structure of {len(pages)} pages of python3-doc",
        bool(pages) and not mismatches,
        f"{len(mismatches)} mismatches in {counts}{shown}",
        "0",
    )
    yield Figure(
        "what Markdown cannot say, not judged",
        True,
        f"{laid_out} cells of tables that lay out a page (what they hold is compared), "
        f"{flattened} list items in table cells (compared as text of their cells)",
    )
