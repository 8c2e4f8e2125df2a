"""A node's share of the web: 200 million URLs on 4 million hosts, or half of it on a smaller disk (F3)."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from shutil import disk_usage

from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure

BYTES_A_URL = 450
"""On disk, at the most, while runs are merged."""
SIZES = ((200, 4_000_000), (100, 2_000_000))
"""(million URLs, hosts)"""


def figures() -> Iterator[Figure]:
    free = disk_usage(tempfile.gettempdir()).free
    most, hosts = next((size for size in SIZES if size[0] * 1_000_000 * BYTES_A_URL < free), SIZES[-1])
    print(f"       {free / 1e9:.0f} GB free: {most} million URLs on {hosts:,} hosts", flush=True)
    command = [sys.executable, "-m", "benchmarks.growth", "--most", str(most), "--hosts", str(hosts)]
    ended = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    print(ended.stdout, flush=True)
    last = [line for line in ended.stdout.splitlines() if line.startswith(("ok", "MISSED"))]
    yield Figure(
        f"{most} million URLs on {hosts:,} hosts",
        ended.returncode == 0,
        "; ".join(last) or "it printed no figure",
        "4 GiB, and take at most 1.5 × that at 50 million",
    )
