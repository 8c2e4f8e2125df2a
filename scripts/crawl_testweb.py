"""`make crawl`: starts the synthetic web on loopback, crawls it at default politeness, stops it."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--into", type=Path, default=Path("crawls/testweb"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hondius-testweb-") as scratch:
        manifest = str(Path(scratch) / "manifest.json")
        web = subprocess.Popen(
            [sys.executable, "-m", "hondius", "testweb", "--hosts", str(options.hosts), "--pages-per-host", "12"]
            + ["--seed", "1604", "--port", "0", "--manifest", manifest],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert web.stdout is not None
            ready = json.loads(web.stdout.readline() or "{}")
            if not ready:
                return 1
            seeds = Path(scratch) / "seeds.txt"
            seeds.write_text("\n".join(ready["seeds"]) + "\n")
            return crawl(options.pages, options.into, seeds, ready)
        finally:
            web.terminate()
            web.wait(timeout=10)


def crawl(pages: int, into: Path, seeds: Path, ready: dict[str, str]) -> int:
    directory = fresh(into)
    print(f"crawling the synthetic web into {directory}", flush=True)
    ended = subprocess.run(
        [sys.executable, "-m", "hondius", "crawl", "--seeds", str(seeds), "--into", str(directory)]
        + ["--max-pages", str(pages), "--scope", "any", "--resolve", ready["resolve"], "--ca-file", ready["ca_file"]],
        stdout=subprocess.PIPE,
        text=True,
    )
    print(without_resume(ended.stdout), end="")
    return ended.returncode


def without_resume(summary: str) -> str:
    """That web is gone when this ends: a crawl that goes on would find nobody."""
    return "".join(
        line for line in summary.splitlines(keepends=True) if not (line.startswith("  ") and "hondius resume" in line)
    )


def fresh(into: Path) -> Path:
    """The synthetic web is another one each time it is started, as far as addresses go: so is its crawl."""
    number = 1
    while (directory := into if number == 1 else into.with_name(f"{into.name}-{number}")).exists():
        number += 1
    return directory


if __name__ == "__main__":
    sys.exit(main())
