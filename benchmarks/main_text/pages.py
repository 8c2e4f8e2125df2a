"""Pages whose main text is annotated: pieces that must be in it, and pieces that must not."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ("documentation", "forum", "shop")


@dataclass(frozen=True)
class AnnotatedPage:
    group: str
    url: str
    body: bytes
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


def read_own_pages() -> Iterator[AnnotatedPage]:
    for row in json.loads((HERE / "annotations.json").read_text("utf-8")):
        body = (HERE / "pages" / row["page"]).read_bytes()
        yield AnnotatedPage(row["kind"], row["url"], body, tuple(row["with"]), tuple(row["without"]))


def read_suite(suites: Path) -> Iterator[AnnotatedPage]:
    """Real articles. One half was never looked at while the rules were made: `is_held_out` says which."""
    with gzip.open(suites / "main-text" / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            group = "articles, held out" if is_held_out(row["url"]) else "articles, tuned on"
            body = base64.b64decode(row["html_b64"])
            yield AnnotatedPage(group, row["url"], body, tuple(row["with"]), tuple(row["without"]))


def is_held_out(url: str) -> bool:
    return bool(hashlib.sha256(url.encode()).digest()[0] & 1)
