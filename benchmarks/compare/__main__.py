"""One crawler after the other, Hondius first. A row is kept when it is known; an interrupted run goes on."""

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.compare import report, rows
from benchmarks.compare.bars import verdicts
from benchmarks.compare.peer import HONDIUS, NotInstalled, Peer, install, names, peer
from benchmarks.compare.rows import Run, find_unfinished, keep, of_this_build
from benchmarks.compare.trial import PATIENCE, PORT, SCRATCH, try_peer
from benchmarks.site.generate import site
from benchmarks.site.plan import HOSTS, PAGES_PER_HOST

CONCURRENCY = 64
SCHEMES = ("http", "https")


def main() -> int:
    """Ended by a signal, it takes the crawler and the server with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    arguments = parse_arguments()
    chosen = [peer(name) for name in [HONDIUS, *(name for name in arguments.peers if name != HONDIUS)]]
    file = SCRATCH / f"run-{arguments.hosts}.json"
    run = begun(arguments, file)
    install_peers(chosen, run)
    warm(site(arguments.hosts, PORT))
    for scheme in arguments.schemes:
        for one in chosen:
            if one.name not in run.absent:
                measure(one, scheme, run, file, arguments.patience)
    run.done = True
    keep(run, file)
    return conclude(run)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="Hondius against others.")
    parser.add_argument("--peers", type=split_list, default=names(), help=f"some of {','.join(names())} (all)")
    parser.add_argument("--schemes", type=split_list, default=list(SCHEMES), help="http,https")
    parser.add_argument("--hosts", type=int, help=f"hosts of {PAGES_PER_HOST} pages each ({HOSTS})")
    parser.add_argument("--pages", type=int, help="pages in all, instead of --hosts")
    parser.add_argument("--concurrency", type=int, default=CONCURRENCY, help=f"requests under way ({CONCURRENCY})")
    parser.add_argument("--patience", type=float, default=PATIENCE, help=f"seconds for each crawler ({PATIENCE:g})")
    parser.add_argument("--fresh", action="store_true", help="do not go on with a run that was interrupted")
    arguments = parser.parse_args()
    if unknown := set(arguments.peers) - set(names()) or set(arguments.schemes) - set(SCHEMES):
        parser.error(f"unknown: {', '.join(unknown)}; peers are {', '.join(names())}, schemes {', '.join(SCHEMES)}")
    arguments.hosts = arguments.hosts or (arguments.pages or HOSTS * PAGES_PER_HOST) // PAGES_PER_HOST
    if arguments.pages not in (None, arguments.hosts * PAGES_PER_HOST):
        parser.error(f"{arguments.hosts} hosts have {arguments.hosts * PAGES_PER_HOST} pages")
    return arguments


def split_list(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def begun(arguments: argparse.Namespace, file: Path) -> Run:
    circumstances = of_this_build(arguments.hosts, arguments.concurrency)
    run = None if arguments.fresh else find_unfinished(file, circumstances)
    if run is not None:
        print(f"going on with the run of {run.began}: {len(run.rows)} rows are there", file=sys.stderr)
        return run
    return Run(time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), circumstances)


def install_peers(chosen: list[Peer], run: Run) -> None:
    """Before anything is measured: nothing else runs beside a crawler."""
    run.absent = {}
    for one in chosen:
        try:
            install(one)
        except (NotInstalled, FileNotFoundError) as error:
            run.absent[one.name] = str(error)
            print(f"{one.name} is left out: {error}", file=sys.stderr)


def warm(directory: Path) -> None:
    """The first crawler finds the files in memory, as all others do."""
    subprocess.run(["grep", "-rq", "no page contains this", str(directory)], check=False)


def measure(one: Peer, scheme: str, run: Run, file: Path, patience: float) -> None:
    """Unless it was, in this run, configured as it is now."""
    known = {row.place: row for row in run.rows}
    there = known.get((one.name, scheme))
    if there is not None and there.configuration == one.configuration:
        return
    row = try_peer(one, scheme, run.began, run.circumstances, patience)
    run.rows = list((known | {row.place: row}).values())
    keep(run, file)
    if run.circumstances.hosts == HOSTS:
        report.record(run)
    print(brief(row), flush=True)


def brief(row: rows.Row) -> str:
    found = "; ".join(report.remarks(row, None))
    return (
        f"{row.crawler:15}{row.scheme:6}{row.pages_per_second:8,.0f} pages/s {row.cpu_ms_per_page:7.2f} ms CPU a page "
        f"{row.peak_rss_mb:7,.0f} MB {row.coverage:7.1%} in {row.seconds:.1f} s{' (' + found + ')' if found else ''}"
    )


def conclude(run: Run) -> int:
    judged = [v for scheme in report.schemes(run.rows) for v in verdicts(report.of_scheme(run.rows, scheme))]
    print("\n".join(map(str, judged)))
    if run.circumstances.hosts != HOSTS:
        print(f"{run.circumstances.hosts} hosts are a quick try: nothing is recorded")
    return 0 if all(verdict.holds for verdict in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
