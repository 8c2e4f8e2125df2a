"""The synthetic web in a process of its own, and what it says of a crawl afterwards."""

import contextlib
import json
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hondius.testweb.access_log import FLUSH_SECONDS, Access, read_access_log
from hondius.testweb.judge import Verdict, judge
from hondius.testweb.manifest import Manifest, read_manifest
from tests.acceptance.commands import HONDIUS

SHOWN_FAULTS = 5


@dataclass(frozen=True)
class SyntheticWeb:
    manifest: Manifest
    resolve: str
    ca_file: str
    seeds_file: Path
    access_log: Path

    def crawl_arguments(self, into: Path, delay: float | None) -> list[str]:
        """None leaves the delay at its default."""
        chosen = [] if delay is None else ["--delay", str(delay)]
        return [
            *("crawl", "--seeds", str(self.seeds_file), "--into", str(into), "--scope", "any", "--json"),
            *("--resolve", self.resolve, "--ca-file", self.ca_file, *chosen),
        ]

    def requests(self) -> list[Access]:
        """Everything that was asked for so far."""
        time.sleep(2 * FLUSH_SECONDS)
        return read_access_log(self.access_log)

    def judge(self, exported: Iterable[Mapping[str, object]]) -> Verdict:
        return judge(self.manifest, self.requests(), exported)


@contextlib.contextmanager
def serving(
    scratch: Path,
    *,
    hosts: int,
    pages_per_host: int,
    seed: int,
    slowest: float = 1.5,
    products: int = 0,
    topic_pages: int = 0,
) -> Iterator[SyntheticWeb]:
    """A web that runs until the block is left; its files are in `scratch`."""
    command = [*HONDIUS, "testweb", "--hosts", str(hosts), "--pages-per-host", str(pages_per_host), "--port", "0"]
    command += ["--seed", str(seed), "--slowest", str(slowest), "--directory", str(scratch / "web")]
    command += ["--manifest", str(scratch / "manifest.json"), "--access-log", str(scratch / "access.jsonl")]
    command += ["--products", str(products), "--topic-pages", str(topic_pages)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        yield _wait_for_start(process, scratch)
    finally:
        process.terminate()
        process.wait(timeout=10)
        if process.stdout is not None:
            process.stdout.close()


def _wait_for_start(process: subprocess.Popen[bytes], scratch: Path) -> SyntheticWeb:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"the synthetic web did not start: exit status {process.wait()}")
    said = json.loads(line)
    seeds_file = scratch / "seeds.txt"
    seeds_file.write_text("".join(f"{seed}\n" for seed in said["seeds"]))
    return SyntheticWeb(
        manifest=read_manifest(Path(said["manifest"])),
        resolve=said["resolve"],
        ca_file=said["ca_file"],
        seeds_file=seeds_file,
        access_log=Path(said["access_log"]),
    )


def show_faults(faults: Mapping[str, list[str]]) -> None:
    for name, lines in faults.items():
        print(f"  {name.replace('_', ' ')}: {len(lines)}")
        for line in lines[:SHOWN_FAULTS]:
            print(f"    {line}")
