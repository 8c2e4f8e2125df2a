"""`kill -9` while frames are applied (F5): what the log holds is all that is needed to go on."""

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from hondius._native import UrlStore, decode_discoveries

MOST_FRAMES = 20_000
"""The child is killed long before."""
URLS = 60
LIST_OF_RUNS = "runs/runs"

CHILD = f"""
import struct, sys
from hashlib import sha256
from hondius._native import UrlStore

store = UrlStore(sys.argv[1], capacity=1000, memory=1024 * 1024)
log = open(sys.argv[2], "ab", buffering=0)
for frame in range(1, {MOST_FRAMES + 1}):
    hrefs = [f"http://h{{number % 9}}.test/{{frame}}/{{number}}" for number in range({URLS})]
    rows = [(href, sha256(href.encode()).digest()[:16]) for href in hrefs]
    found = store.admit(rows, None, depth=1, priority=0.5, discovered_at=0, max_depth=None, via="link")
    ended = b"".join(url.key for url in store.take(frame % 9, 7))
    log.write(struct.pack("<III", frame, len(found.data), len(ended)) + found.data + ended)
    keys = [(ended[at:at + 16], None) for at in range(0, len(ended), 16)]
    store.apply(frame, [found.data], keys)
    print(frame, flush=True)
"""


def read(log: Path) -> list[tuple[int, bytes, list[bytes]]]:
    """Whole frames only, as the real log would."""
    data, frames = log.read_bytes(), []
    while len(data) >= 12:
        sequence, found, ended = struct.unpack("<III", data[:12])
        if len(data) < 12 + found + ended:
            break
        keys = data[12 + found : 12 + found + ended]
        frames.append((sequence, data[12 : 12 + found], [keys[at : at + 16] for at in range(0, ended, 16)]))
        data = data[12 + found + ended :]
    return frames


@pytest.mark.parametrize(("after", "has_run"), [(1, False), (40, False), (137, False), (300, True)])
def test_after_kill_9_the_log_makes_the_store_whole_again(tmp_path: Path, after: int, has_run: bool) -> None:
    """`has_run`: it is killed when the store has sorted runs on disk. A thread writes and syncs them, which takes its
    time on a busy machine, while more frames are applied."""
    directory, log = tmp_path / "urls", tmp_path / "log"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(directory), str(log)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child, child.stdout:
        for line in child.stdout:
            if int(line) >= after and (not has_run or (directory / LIST_OF_RUNS).exists()):
                os.kill(child.pid, signal.SIGKILL)
                break
        else:
            pytest.fail("it ended by itself")
    frames = read(log)
    assert len(frames) >= after

    store = UrlStore(str(directory), capacity=1000, memory=1024 * 1024)
    assert store.applied <= len(frames)
    assert not has_run or store.applied > 0
    for sequence, found, ended in frames:
        store.apply(sequence, [found], [(key, None) for key in ended])

    discovered = {url.key for _, found, _ in frames for url in decode_discoveries(found)}
    finished = {key for _, _, ended in frames for key in ended}
    assert len(discovered) == URLS * len(frames)
    assert {store.state(key) for key in finished} <= {"finished"}
    waiting = [url.key for origin in range(9) for url in store.take(origin, 1_000_000)]
    assert len(waiting) == len(set(waiting))
    assert set(waiting) == discovered - finished
    store.close()
