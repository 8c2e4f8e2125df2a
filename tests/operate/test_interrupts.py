"""Ctrl-C to a crawl that can do nothing but wait (O1c, S5)."""

import signal
import socket
import subprocess
import time
from pathlib import Path

from tests.acceptance.commands import HONDIUS

MORE_THAN_ANY_DISK = 10**18


def test_o1c_s5_a_crawl_that_waits_for_room_ends_soon_when_it_is_interrupted(tmp_path: Path) -> None:
    """Nothing is waited for that could not be kept: neither answers under way, nor room."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        seed = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        full = f"stores.free_bytes={MORE_THAN_ANY_DISK}"
        options = ("--into", str(tmp_path / "crawl"), "--allow-private", "127.0.0.1", "--set", full)
        process = subprocess.Popen(
            [*HONDIUS, "crawl", seed, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        said = process.stderr.readline()
        assert "paused" in said
        assert said.rstrip().endswith("make room and the crawl goes on by itself")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - began < 3.0
        assert process.returncode == 130
        assert "`hondius resume " in errors.splitlines()[-1]
