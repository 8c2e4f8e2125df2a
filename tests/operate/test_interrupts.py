"""Ctrl-C to a crawl that waits (O1c, S5)."""

import asyncio
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.acceptance.commands import HONDIUS
from tests.journeys.scripted_site import Answer, Script, hondius, scripted_site, start_command, until

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
        assert said.rstrip().endswith("make room and the crawl continues by itself")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - began < 3.0
        assert process.returncode == 130
        assert "`hondius resume " in errors.splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_o1c_f5_an_interrupted_crawl_waits_two_seconds_for_a_host_that_does_not_answer(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Its URL stays queued, and what was sent is on record."""
    script: Script = {"quick.test/": Answer("quick", delay=1.0), "silent.test/": Answer("late", delay=60.0)}
    async with scripted_site(script) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        seeds = ("http://silent.test/", "http://quick.test/", "--set", "scope.sitemaps=false")
        process = await start_command("crawl", *seeds, "--into", tmp_path / "c", *resolve, "--json")
        await until(lambda: sorted(site.paths()) == ["/", "/"])
        began = time.monotonic()
        process.send_signal(number)
        out, error = await asyncio.wait_for(process.communicate(), 30)
        assert time.monotonic() - began < 5.0
        assert process.returncode == 130
        said = error.decode().splitlines()[0]
        assert said.startswith("hondius: stopping: 2 requests in progress have 2 s to finish; the rest stays queued")
        assert said.endswith("(Ctrl-C again to stop at once)")
        assert b'"pages": 1,' in out
        assert (await hondius("audit", tmp_path / "c")).status == 0
        script["silent.test/"] = Answer("at last")
        again = await hondius("resume", tmp_path / "c", "--delay", "0", "--json")
        assert (again.status, again.figures["pages"]) == (0, 2)
    assert (await hondius("audit", tmp_path / "c")).status == 0
