"""Finds the examples of a document: its fenced blocks of `sh` and `python`, and of `toml`, which are files. Other
blocks show output."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = ("sh", "python", "toml")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int
    """The line of the document on which it begins."""


def find_documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").rglob("*.md"))]


def find_blocks(document: Path) -> Iterator[Block]:
    text = document.read_text()
    for match in FENCE.finditer(text):
        if match[1] in LANGUAGES:
            yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)


def split_commands(block: Block) -> Iterator[str]:
    """The commands of a `sh` block, without comments; a backslash continues a line."""
    for line in block.text.replace("\\\n", " ").splitlines():
        command = re.sub(r"(^|\s+)#.*", "", line).strip()
        if command:
            yield command
