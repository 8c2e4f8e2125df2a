"""Every extractor as a command that answers a page a line, and Hondius in this process."""

import base64
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.main_text.pages import HERE, AnnotatedPage
from hondius.native import Extraction, Identity, Reader

ROOT = HERE.parents[1]
CANDIDATES = HERE / "candidates"
JUDGES = ("trafilatura", "trafilatura with comments", "resiliparse")
RUST_CANDIDATES = ("dom_smoothie", "rs-trafilatura", "htmd after dom_smoothie")


@dataclass(frozen=True)
class Extracted:
    text: str
    seconds: float


class Unavailable(Exception):
    """It cannot be run here; the message says what is missing."""


def run_hondius(pages: Sequence[AnnotatedPage]) -> list[Extracted]:
    """Main text, Markdown and structured data together: they are made in one pass."""
    reader = Reader(Identity(), agent_token="hondius")
    answers = []
    for page in pages:
        url = page.url if page.url.startswith("http") else "https://example.com/"
        start = time.process_time()
        extraction = Extraction(reader, page.body, url=url, content_type="text/html")
        seconds = time.process_time() - start
        answers.append(Extracted(extraction.main_text, seconds))
    return answers


def run_fast_text(pages: Sequence[AnnotatedPage]) -> list[Extracted]:
    """The main text that a crawl finds without a tree (A2)."""
    reader = Reader(Identity(), agent_token="hondius")
    answers = []
    for page in pages:
        url = page.url if page.url.startswith("http") else "https://example.com/"
        start = time.process_time()
        text = reader.read(page.body, url=url, content_type="text/html").main_text
        answers.append(Extracted(text, time.process_time() - start))
    return answers


def run_judge(name: str, pages: Sequence[AnnotatedPage]) -> list[Extracted]:
    python = Path(sys.prefix) / "judges" / "bin" / "python"
    if not python.exists():
        raise Unavailable("the judges' environment is missing: `make main-text` makes it")
    return _answers([str(python), str(HERE / "judges.py"), name], pages)


def run_candidate(name: str, pages: Sequence[AnnotatedPage]) -> list[Extracted]:
    program = CANDIDATES / "target" / "release" / "candidates"
    if not program.exists():
        manifest = (CANDIDATES / "Cargo.toml").relative_to(ROOT)
        raise Unavailable(f"not built: cargo build --release --locked --manifest-path {manifest}")
    return _answers([str(program), name], pages)


def _answers(command: Sequence[str], pages: Sequence[AnnotatedPage]) -> list[Extracted]:
    lines = (json.dumps({"body_b64": base64.b64encode(page.body).decode(), "url": page.url}) for page in pages)
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable((done.stderr.strip().splitlines() or ["it failed"])[-1])
    return [Extracted(row["text"], row["seconds"]) for row in map(json.loads, done.stdout.splitlines())]
