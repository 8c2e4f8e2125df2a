"""A frame of 1,000 endings encoded and appended to the log: the kernel that is Python.

python -m benchmarks.kernels.log_append LAPS [--time] [--repeat PERCENT], as the native ones. The directory is in
memory where the system has one: what a disk needs for a sync is not a figure of ours.
"""

import argparse
import tempfile
import time
from pathlib import Path

from hondius.model import Finished, State
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog

EVENTS = 1_000
ROUNDS = 10
IN_MEMORY = Path("/dev/shm")


def main() -> None:
    arguments = parse_arguments()
    events = tuple(ending(number) for number in range(EVENTS))
    if arguments.time:
        print(min(min(laps(events, arguments.laps)) for _ in range(ROUNDS)) * 1e6)
    else:
        laps(events, arguments.laps + arguments.laps * arguments.repeat // 100)
        print(arguments.laps)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels.log_append")
    parser.add_argument("laps", type=int)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--repeat", type=int, default=0)
    return parser.parse_args()


def laps(events: tuple[Finished, ...], count: int) -> list[float]:
    """The seconds of each."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as directory:
        disk = EmbeddedDisk(Path(directory))
        log = EmbeddedLog(disk)
        spent = [append_frame(log, events, lap) for lap in range(count)]
        disk.close()
    return spent


def append_frame(log: EmbeddedLog, events: tuple[Finished, ...], lap: int) -> float:
    began = time.perf_counter()
    log.append(events, 1_794_729_600.0 + lap)
    return time.perf_counter() - began


def ending(number: int) -> Finished:
    """Of an ordinary page, with all that is known of one."""
    host = f"b{number % 500:04}.test"
    url = f"http://{host}/journal/entry-{number:02}.html"
    return Finished(
        key=number.to_bytes(16, "little"),
        url=url,
        key_form=url,
        host=host,
        state=State.COMPLETED,
        cause="",
        depth=number % 7,
        source=(number // 12).to_bytes(16, "little"),
        discovered_at=1_794_729_000.0 + number,
        started_at=1_794_729_600.25 + number,
        fetched_at=1_794_729_600.5 + number,
        status=200,
        address="127.20.0.1",
        type="text/html",
        charset="UTF-8",
        length=50_000 + number,
        wire_length=12_000 + number,
        title=f"The harbour in winter, part {number} – {host}",
        description="What the harbour looks like when the boats are gone and the cranes stand still.",
        canonical=url,
        language="en",
        content_hash=number.to_bytes(32, "little"),
        simhash=number * 0x9E37_79B9_7F4A_7C15 % 2**64,
        http_date="Sun, 15 Nov 2026 08:00:00 GMT",
        last_modified=b"Sat, 14 Nov 2026 08:00:00 GMT",
        etag=b'"6552a1b0-c350"',
        links=80,
        new_links=12,
        warc_file="hondius-20261115080000-00001.warc.gz",
        warc_offset=14_000 * number,
        warc_length=13_000 + number,
    )


if __name__ == "__main__":
    main()
