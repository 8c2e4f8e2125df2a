"""Hosts that answer after half a second, and after two: what is in flight makes up for the time that they take (F8).

The hosts are served by one process, each on an address of its own. The rate is that of answers in the server's own
log, from the moment when all hosts are under way. A machine may be too small for the rate: then it must show that no
core was idle, and who kept them busy.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hondius.errors import BadSetting
from hondius.settings import make_settings
from hondius.use.bench.figures import QUIET
from hondius.use.bench.threads import measure_busy_seconds
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.slow_hosts import address_of, name_of

LATENCIES = (0.5, 2.0)
LEAST_RATE, MOST_MEGABYTES = 900, 600
BUSY = 0.93
"""Of all cores: the limit of the CPU, where others keep no more of them busy than the system needs for the network."""
HOSTS_FOR_A_SECOND = 1_500
"""Hosts for each second of latency: with one request at a time to each, as many answers a second."""
SECONDS = 45
RAMP = 15.0
"""Seconds until all hosts are under way."""
WANTED = (4_000, 1_000)
"""Requests at once, the most first; the settings of older builds allow 1,000."""


@dataclass(frozen=True)
class Crawled:
    rate: float
    ended: commands.Ended
    server_cpu: float
    busy: float
    """Cores, by whomever."""


def figures() -> Iterator[Figure]:
    for latency in LATENCIES:
        crawled = crawl(latency, round(HOSTS_FOR_A_SECOND * latency))
        yield from judged(latency, crawled)


def judged(latency: float, crawled: Crawled) -> Iterator[Figure]:
    ended, cores = crawled.ended, os.cpu_count() or 1
    crawl_cores, server_cores = ended.cpu_seconds / ended.seconds, crawled.server_cpu / ended.seconds
    others = max(0.0, crawled.busy - crawl_cores - server_cores)
    use = f"crawl {crawl_cores:.2f}, server {server_cores:.2f}, others {others:.2f} of {cores} cores"
    is_at_limit = crawled.busy >= BUSY * cores and others <= QUIET
    yield Figure(
        f"pages/s of hosts that answer after {latency} s",
        ended.status == 0 and (crawled.rate >= LEAST_RATE or is_at_limit),
        f"{crawled.rate:,.0f}, {concurrency()} at once; {use}" + (" (the CPU's limit)" if is_at_limit else ""),
        f"at least {LEAST_RATE}, or all cores busy",
    )
    peak = ended.peak_bytes / 1e6
    yield Figure(f"peak memory at {latency} s", peak <= MOST_MEGABYTES, f"{peak:.0f} MB", f"at most {MOST_MEGABYTES}")


def concurrency() -> int:
    """As much as this build allows."""
    for most in WANTED:
        try:
            return make_settings({"fetch": {"concurrency": most}}).fetch.concurrency
        except BadSetting:
            continue
    raise SystemExit("no number of requests at once is allowed")


def crawl(latency: float, hosts: int) -> Crawled:
    arguments = ["--hosts", str(hosts), "--fastest", str(latency), "--slowest", str(latency)]
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.acceptance.slow_hosts", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory(prefix="hondius-latency-") as name:
        port = json.loads(server.stdout.readline())["port"]
        cpu, busy, began = cpu_of(server.pid), measure_busy_seconds(), time.monotonic()
        ended = commands.run(*_command(Path(name), hosts, port))
        seconds = time.monotonic() - began
        cpu, busy = cpu_of(server.pid) - cpu, (measure_busy_seconds() - busy) / seconds
        server.stdin.close()
        served = json.loads(server.stdout.readline())
    server.wait(timeout=30)
    return Crawled(rate_of([(start, end) for _, start, end in served], latency), ended, cpu, busy)


def rate_of(answers: list[tuple[float, float]], latency: float) -> float:
    """Pages a second, without the ramp and the end; robots.txt comes at once, and is none."""
    ends = sorted(end for start, end in answers if end - start >= 0.9 * latency)
    if not ends:
        return 0.0
    first, last = ends[0] + RAMP, ends[-1] - latency
    return sum(first <= end < last for end in ends) / (last - first) if last > first else 0.0


def cpu_of(process: int) -> float:
    """Seconds, of all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _command(scratch: Path, hosts: int, port: int) -> list[object]:
    resolve, seeds = scratch / "resolve", scratch / "seeds"
    resolve.write_text("".join(f"{name_of(host)}={address_of(host)}:{port}\n" for host in range(hosts)))
    seeds.write_text("".join(f"http://{name_of(host)}/\n" for host in range(hosts)))
    return [
        *("crawl", "--seeds", seeds, "--into", scratch / "crawl", "--resolve", f"@{resolve}", "--json"),
        *("--concurrency", concurrency(), "--delay", "0", "--max-time", f"{SECONDS}s"),
    ]
