"""Draws a running crawl of the synthetic web, and its summary, as the terminal shows them: docs/pictures/crawl.svg.

Needs tmux, which is the terminal.
"""

import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "crawl.svg"
SESSION = "hondius-picture"
WIDTH, HEIGHT = 110, 40
RUNNING = 12.0
"""Seconds into the crawl: the forecast has settled by then."""
PATIENCE = 120.0
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""As rich draws it, with a font of the reader's machine: a picture loads nothing."""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="hondius-picture-") as scratch:
        done = Path(scratch) / "done"
        words = [sys.executable, str(ROOT / "scripts" / "crawl_testweb.py"), "--into", f"{scratch}/news"]
        command = f"{shlex.join(words)}; touch {shlex.quote(str(done))}; sleep {PATIENCE}"
        _tmux("new-session", "-d", "-s", SESSION, "-x", str(WIDTH), "-y", str(HEIGHT), command)
        try:
            time.sleep(RUNNING)
            running = _tmux("capture-pane", "-t", SESSION, "-e", "-p")
            deadline = time.monotonic() + PATIENCE
            while not done.exists() and time.monotonic() < deadline:
                time.sleep(0.5)
            ended = _tmux("capture-pane", "-t", SESSION, "-e", "-p")
        finally:
            _tmux("kill-session", "-t", SESSION)
        draw(["$ make crawl", *_screen(running, scratch), *_screen(ended, scratch)])
    return 0


def _tmux(*words: str) -> str:
    return subprocess.run(["tmux", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def _screen(captured: str, scratch: str) -> list[str]:
    """Without its first line, which names the scratch directory."""
    return captured.replace(f"{scratch}/", "").rstrip().splitlines()[1:]


def draw(lines: list[str]) -> None:
    console = Console(record=True, width=WIDTH, file=open("/dev/null", "w"), force_terminal=True)  # noqa: SIM115
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=True)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(console.export_svg(title="hondius crawl", theme=MONOKAI, code_format=FRAME))


if __name__ == "__main__":
    sys.exit(main())
