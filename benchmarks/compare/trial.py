"""One crawler, one scheme: the site is served to it; its figures are made of what it used and what it asked for."""

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from benchmarks.compare.access_log import Visit, visit
from benchmarks.compare.meter import Used, busy_seconds, descendants, seconds_of
from benchmarks.compare.peer import Peer
from benchmarks.compare.rows import Circumstances, Row
from benchmarks.site.generate import CACHE, site
from benchmarks.site.nginx import Server, serving
from benchmarks.site.plan import PAGES_PER_HOST, host_address, path_of

PORT = 20_080
SCRATCH = CACHE / "compare"
ROOT = Path(__file__).parents[2]
PATIENCE = 600.0


def try_peer(peer: Peer, scheme: str, run: str, circumstances: Circumstances, patience: float = PATIENCE) -> Row:
    hosts = circumstances.hosts
    output = fresh(SCRATCH / "output")
    directory = site(hosts, PORT)
    with serving(directory, hosts, port=PORT, logged=True, by_address=True, secure=scheme == "https") as server:
        before, began = not_ours(), time.monotonic()
        used = meter_peer(peer, places(server, scheme, output, circumstances.concurrency), output, patience)
        elsewhere = (not_ours() - before) / (time.monotonic() - began)
        assert server.access_log is not None
        with server.access_log.open() as log:
            seen = visit(log, list_expected(hosts), used.began)
    return row(peer, scheme, used, seen, elsewhere, run, circumstances)


def not_ours() -> float:
    """CPU seconds of the machine so far, without those of the server and of all that was started and has ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy_seconds() - seconds_of(descendants(os.getpid())) - ended.ru_utime - ended.ru_stime


def fresh(directory: Path) -> Path:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def list_expected(hosts: int) -> frozenset[str]:
    return frozenset(host_address(host) + path_of(page) for host in range(hosts) for page in range(PAGES_PER_HOST))


def places(server: Server, scheme: str, output: Path, concurrency: int) -> dict[str, str]:
    return {
        "python": sys.executable,
        "seeds": str(server.seeds_file),
        "paths": str(paths_file(output)),
        "output": str(output),
        "concurrency": str(concurrency),
        "scheme": scheme,
        "authority": str(server.authority or ""),
    }


def paths_file(output: Path) -> Path:
    """For what is no crawler, and must be told where the pages are."""
    file = output / "paths.txt"
    file.write_text("".join(f"{path_of(page)}\n" for page in range(PAGES_PER_HOST)))
    return file


def meter_peer(peer: Peer, where: dict[str, str], output: Path, patience: float) -> Used:
    """What the crawler prints is kept beside what it writes, until the next trial."""
    figures = output / "used.json"
    meter = [sys.executable, "-m", "benchmarks.compare.meter", str(patience), str(figures)]
    environment = peer.surroundings(where) | {"PYTHONPATH": str(ROOT)}
    with (output / "printed.txt").open("wb") as printed:
        process = subprocess.Popen(
            [*meter, *peer.command(where)], cwd=peer.home, env=environment, stdout=printed, stderr=subprocess.STDOUT
        )
        try:
            process.wait()
        finally:
            process.terminate()
            process.wait()
    return msgspec.json.decode(figures.read_bytes(), type=Used)


def row(
    peer: Peer, scheme: str, used: Used, seen: Visit, elsewhere: float, run: str, circumstances: Circumstances
) -> Row:
    return Row(
        crawler=peer.name,
        version=peer.version,
        kind=peer.kind,
        scheme=scheme,
        keeps=peer.keeps,
        robots=peer.robots,
        note=peer.note,
        pages=seen.pages,
        coverage=seen.pages / (circumstances.hosts * PAGES_PER_HOST),
        pages_per_second=round(seen.pages / used.seconds, 1),
        cpu_ms_per_page=round(used.cpu_seconds * 1_000 / max(1, seen.pages), 3),
        peak_rss_mb=round(used.peak_bytes / 1e6, 1),
        seconds=round(used.seconds, 2),
        start_seconds=round(seen.first - used.began, 2) if seen.requests else round(used.seconds, 2),
        pages_per_second_served=round(seen.pages / seen.seconds, 1) if seen.seconds else 0.0,
        requests=seen.requests,
        connections=seen.connections,
        in_time=used.in_time,
        status=used.status,
        elsewhere=round(max(0.0, elsewhere), 2),
        configuration=peer.configuration,
        run=run,
        circumstances=circumstances,
    )
