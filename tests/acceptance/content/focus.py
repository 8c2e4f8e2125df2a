"""Focused crawl (D6): on pages with labelled topics, at a tenth of the pages, twice the harvest of the plain one."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from hondius.testweb.words import TOPICS
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import SyntheticWeb, serving

PAGES, SEED = 5_000, 7
TENTH = PAGES // 10
TIMES = 2.0
THRESHOLD = 0.2
ROOT = "http://topics1.test/"
CHOSEN = ("maps", "cheese", "chess", "tea")
"""Four scripts."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-focus-") as name:
        scratch = Path(name)
        with serving(scratch, hosts=1, pages_per_host=1, seed=SEED, topic_pages=PAGES) as web:
            plain = _crawl(web, scratch / "plain", TENTH)
            for topic in CHOSEN:
                yield _compare(web, scratch, topic, plain)
            yield from _leave_out(web, scratch)


def _crawl(web: SyntheticWeb, into: Path, pages: int, *focus: str) -> list[str]:
    """The URLs of the pages that were fetched."""
    known = ("--resolve", web.resolve, "--ca-file", web.ca_file, "--scope", "any", "--delay", 0)
    limits = ("--max-pages", pages, "--concurrency", 8)
    commands.run_well("crawl", ROOT, "--into", into, "--json", *known, *limits, *focus)
    return [row["url"] for row in commands.rows(commands.export(into)) if row["state"] == "completed"]


def _words_of(topic: str) -> str:
    """Half of the words that its pages use: nobody knows all."""
    return ",".join(next(some for some in TOPICS if some.name == topic).words[::2])


def _compare(web: SyntheticWeb, scratch: Path, topic: str, plain: list[str]) -> Figure:
    wanted = {page.url for page in web.manifest.labelled if page.topic == topic}
    focused = _crawl(web, scratch / topic, TENTH, "--focus", _words_of(topic))
    harvests = [sum(url in wanted for url in urls) / len(urls) for urls in (focused, plain)]
    measured = f"{harvests[0]:.1%} of {len(focused)} pages, without a focus {harvests[1]:.1%} of {len(plain)}"
    is_met = harvests[0] >= TIMES * harvests[1] > 0 and len(focused) >= TENTH
    return Figure(
        f"harvest of a crawl for {topic} at a tenth of the pages", is_met, measured, f"at least {TIMES:.0f} ×"
    )


def _leave_out(web: SyntheticWeb, scratch: Path) -> Iterator[Figure]:
    """With a threshold the crawl ends by itself."""
    topic = CHOSEN[0]
    into = scratch / "threshold"
    fetched = _crawl(web, into, PAGES, "--focus", _words_of(topic), "--focus-threshold", str(THRESHOLD))
    wanted = {page.url for page in web.manifest.labelled if page.topic == topic}
    found = sum(url in wanted for url in fetched)
    measured = f"{found:,} of {len(wanted):,} pages of the topic, {len(fetched):,} of {PAGES:,} pages fetched"
    is_met = found >= 0.8 * len(wanted) and len(fetched) <= 0.5 * PAGES
    yield Figure("what a threshold finds, and fetches", is_met, measured, "at least 80 %, at most half")
    explained = commands.run_well("explain", into, next(url for url in fetched if url not in wanted)).output
    yield Figure("explain says how well a page fits", "focus" in explained, f"{len(explained.splitlines())} lines")
