"""The display of a running crawl (O1)."""

import asyncio
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, hondius, scripted_site

STATUSES = (400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 418)
assert len(STATUSES) == 4 + 11


async def on_a_terminal(*arguments: str | Path) -> str:
    """Returns the output on a terminal of 200 columns."""
    terminal, end = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hondius", *map(str, arguments)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=end,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200", "LINES": "50"},
    )
    os.close(end)
    reading = asyncio.create_task(asyncio.to_thread(_read_all, terminal))
    try:
        await asyncio.wait_for(process.wait(), 60)
    finally:
        if process.returncode is None:
            process.kill()
        shown = await reading
        os.close(terminal)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


def _read_all(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            some = os.read(terminal, 65_536)
        except OSError:  # Linux says so when the other end is closed
            return shown
        if not some:
            return shown
        shown += some


@pytest.mark.defect("the live display had no bar, no elapsed time, no newest URL, and kept silent about further causes")
async def test_o1_the_live_display_shows_how_far_how_long_what_and_how_many_causes(tmp_path: Path) -> None:
    script: Script = {
        "a.test/": Answer.page(*(f"/{status}" for status in STATUSES)),
        "slow.test/": Answer(Answer.page().body, delay=6.0),
        **{f"/{status}": Answer("no", status) for status in STATUSES},
    }
    async with scripted_site(script) as site:
        shown = await on_a_terminal(
            *("crawl", "http://a.test/", "http://slow.test/", "--into", tmp_path / "crawl", "--delay", "0"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}", "--max-pages", "40"),
        )
    assert re.search(r"pages +\d+ of 40", shown), "nothing was displayed"
    assert re.search(r"done +[━╸╺]{10}", shown)
    assert re.search(r"elapsed +\d", shown)
    assert re.search(r"newest +http://a\.test/", shown)
    assert "and 11 more causes" in shown


@pytest.mark.defect("`limited by` said nothing of hosts that had to be looked up first")
async def test_o1_the_display_says_that_names_and_robots_are_waited_for(tmp_path: Path) -> None:
    hosts = [f"http://h{number}.test/" for number in range(120)]
    script: Script = {"/robots.txt": Answer("", 404, delay=7.0), "/": Answer.page()}
    async with scripted_site(script) as site:
        ended = await hondius(
            *("crawl", *hosts),
            *("--into", tmp_path / "crawl", "--delay", "0", "--max-time", "12"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}", "--set", "politeness.address_concurrency=1000"),
        )
    limits = re.findall(r"limited by ([^·\n]*)", ended.error)
    assert limits, ended.error
    assert limits[0].startswith("names and robots.txt: 120 origins"), limits
