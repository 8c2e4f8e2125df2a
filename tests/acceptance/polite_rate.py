"""At default politeness, healthy hosts are fetched as fast as P1 permits, whatever the others do (P1, P4).

What P1 permits is computed from the durations in the *server's* log: each request takes its duration and is followed
by a pause of max(1 s, 10 × that). A host has used all of its time if its requests and pauses fill the whole of the
time watched; the rate is the share that is filled, over all healthy hosts.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.acceptance import commands
from tests.acceptance.slow_hosts import address_of, is_healthy, name_of

BAR = 0.97
Served = tuple[int, float, float]


def measure_rate(hosts: int, concurrency: int, seconds: int, *, ailing: bool, slowest: float) -> tuple[str, bool]:
    """A line of figures, and whether the bar is met."""
    arguments = ["--hosts", str(hosts), "--slowest", str(slowest), *(["--ailing"] if ailing else [])]
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.acceptance.slow_hosts", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory(prefix="hondius-polite-rate-") as name:
        port = json.loads(server.stdout.readline())["port"]
        _crawl(Path(name), hosts, concurrency, seconds, port)
        server.stdin.close()
        served = json.loads(server.stdout.readline())
    server.wait(timeout=30)
    healthy = [host for host in range(hosts) if is_healthy(host, ailing)]
    share, pages = measure_filled(served, healthy, seconds)
    sick = f", of which {hosts - len(healthy)} never answer or drip" if ailing else ""
    line = (
        f"{hosts} hosts{sick}, concurrency {concurrency}, {seconds} s: {pages:,} requests to healthy hosts, "
        f"{100 * share:.1f} % of the rate that P1 permits (bar {100 * BAR:.0f} %)"
    )
    return line, share >= BAR


def measure_filled(served: Iterable[Served], healthy: list[int], seconds: float) -> tuple[float, int]:
    """The share of the time watched that requests and the pauses after them fill, and the number of requests. Watched
    is from the first request of all to `seconds` later, less what the drain of the crawl's end may have cut off."""
    requests = sorted(((began, ended, host) for host, began, ended in served))
    start = requests[0][0]
    end = start + seconds - 2.0
    used = sum(
        max(0.0, min(end, ended + max(1.0, 10 * (ended - began))) - began)
        for began, ended, _ in requests
        if began < end
    )
    return used / (len(healthy) * (end - start)), len(requests)


def _crawl(scratch: Path, hosts: int, concurrency: int, seconds: int, port: int) -> None:
    resolve, seeds = scratch / "resolve", scratch / "seeds"
    resolve.write_text("".join(f"{name_of(host)}={address_of(host)}:{port}\n" for host in range(hosts)))
    seeds.write_text("".join(f"http://{name_of(host)}/\n" for host in range(hosts)))
    commands.run_well(
        *("crawl", "--seeds", seeds, "--into", scratch / "crawl", "--resolve", f"@{resolve}", "--json"),
        *("--concurrency", concurrency, "--max-time", f"{seconds}s"),
    )
    ended = commands.run("audit", scratch / "crawl")
    if ended.status != 0:
        raise SystemExit(f"the audit of the crawl objects:\n{ended.output}{ended.errors}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--concurrency", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=90)
    parser.add_argument("--slowest", type=float, default=0.1, help="seconds that a healthy host takes at most")
    parser.add_argument("--all-healthy", action="store_true")
    options = parser.parse_args()
    line, passed = measure_rate(
        options.hosts,
        options.concurrency,
        options.seconds,
        ailing=not options.all_healthy,
        slowest=options.slowest,
    )
    print(f"{'met   ' if passed else 'MISSED'} {line}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
