"""A panic on a thread of the engine is a bug of ours, and counts as one (F7, O1, Q2)."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hondius.crawler import boundary
from hondius.crawler.fetch import Fetcher
from hondius.model import INTERNAL, State
from hondius.native import Fetched, Identity, Reader, Rehearsal
from tests.journeys.scripted_site import Answer, scripted_site
from tests.journeys.test_internal_failures import BAD_ALONE_FAILS, WHOLE_WEB, Patch, crawl_with_bug, ends, over


def panic_of(fetched: Fetched, address: str, kind: str) -> Fetched:
    """What the engine gives back for a request that was sent, and whose answer met a panic."""
    rehearsal = Rehearsal(Reader(Identity(), agent_token="t"), user_agent="t/1")
    return rehearsal.play(
        (fetched.ticket, fetched.key, fetched.href, address, kind, ()),
        started_at=fetched.started_at,
        ended_at=fetched.ended_at,
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n",
        body=b"",
        failure=("engine_panic", "panic: planted"),
    )


def plant(path: str) -> Any:
    whole = Fetcher.fetch

    async def fetch(
        fetcher: Fetcher, key: bytes, href: str, address: str, kind: str = "page", *rest: Any, **more: Any
    ) -> Fetched:
        fetched = await whole(fetcher, key, href, address, kind, *rest, **more)
        return panic_of(fetched, address, kind) if href.endswith(path) else fetched

    return fetch


async def test_f7_a_panic_of_the_engine_ends_its_url_as_internal(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(Fetcher, "fetch", plant("/bad"))
    async with scripted_site(WHOLE_WEB) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        assert ends(crawl) == BAD_ALONE_FAILS
        assert crawl.statistics.internal_failures == 1
        (bad,) = [page for page in crawl.catalog.pages() if page["cause"] == INTERNAL]
        assert bad["detail"].startswith("Hondius ")
        assert "EnginePanic: panic: planted" in bad["detail"]
        assert bad["status"] == 200
        assert site.paths().count("/bad") == 1


async def test_f7_a_panic_on_robots_txt_is_a_failed_preparation(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(boundary, "PREPARATION_WAIT", 0.05)
    monkeypatch.setattr(Fetcher, "fetch", plant("bad.test/robots.txt"))
    async with scripted_site({"/": Answer.page()}) as site:
        async with crawl_with_bug(site, tmp_path, "http://bad.test/", "http://good.test/") as crawl:
            assert await over(crawl) == "done"
            assert ends(crawl) == {
                "http://bad.test/": (State.FAILED, INTERNAL),
                "http://good.test/": (State.COMPLETED, ""),
            }
        asked = [request.path for request in site.requests if request.host.startswith("bad")]
        assert asked == ["/robots.txt"] * boundary.PREPARATION_TRIES


COMMAND = """
import sys
from hondius.crawler.fetch import Fetcher
from hondius.operate.cli import main
from tests.journeys.test_engine_panics import plant

Fetcher.fetch = plant("/bad")
sys.exit(main.main())
"""


def with_panic(*arguments: object, source: str = COMMAND) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", source, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


async def test_o1_the_command_counts_a_panic_of_the_engine_as_internal(tmp_path: Path) -> None:
    """`status`, the summary and the exit status say so, and a later version tries the URL again."""
    directory = tmp_path / "crawl"
    async with scripted_site(WHOLE_WEB) as site:
        options = ("--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json")
        done = await asyncio.to_thread(with_panic, "crawl", "http://a.test/", "--into", directory, *options)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout)["internal_failures"] == 1
        assert str(directory / "crawl.log") in done.stderr
        status = await asyncio.to_thread(with_panic, "status", directory)
        assert "1 internal failure" in status.stdout
        later = "import hondius, sys; hondius.__version__ = '9.9.9'\n"
        later += "from hondius.operate.cli import main\nsys.exit(main.main())"
        again = await asyncio.to_thread(with_panic, "resume", directory, "--json", source=later)
        assert (again.returncode, json.loads(again.stdout)["failed"]) == (0, 0)
        assert site.paths().count("/bad") == 2
