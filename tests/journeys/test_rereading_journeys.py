"""A bug that a page meets when its links are read again ends that alone (D5, F7)."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, export_rows, hondius, scripted_site

PLANTED = """
import sys
from hondius.crawler import reread_links, rereading
from hondius.operate.cli import main

owner = rereading.Rereading if hasattr(rereading.Rereading, sys.argv[1]) else reread_links.RereadLinks
step = getattr(owner, sys.argv[1])

def fail(self, *arguments):
    if fail.calls < int(sys.argv[2]):
        fail.calls += 1
        raise RuntimeError("planted")
    return step(self, *arguments)

fail.calls = 0
setattr(owner, sys.argv[1], fail)
sys.exit(main.run(sys.argv[3:]))
"""


def long_and_short() -> Script:
    """The slow page has the shorter path to 3, which was fetched by then: 4 is within a limit of 3 after all."""
    return {
        "a.test/": Answer.page("/1", "/slow"),
        "a.test/1": Answer.page("/2"),
        "a.test/2": Answer.page("/3"),
        "a.test/3": Answer.page("/4"),
        "b.test/slow": Answer(Answer.page("http://a.test/3").body, delay=1.5),
        "a.test/slow": Answer.redirect("http://b.test/slow"),
        "a.test/4": Answer.page(),
    }


@pytest.mark.parametrize(
    ("step", "times", "asked"),
    [("_read", 1, ["/3", "/4"]), ("admit_closer", 2, ["/3", "/4"]), ("admit_closer", 3, ["/3"])],
)
async def test_d5_f7_a_bug_in_the_rereading_of_a_page_loses_no_link(
    tmp_path: Path, step: str, times: int, asked: list[str]
) -> None:
    """It is tried three times; then the next run takes it up."""
    into, pipe = tmp_path / "c", asyncio.subprocess.PIPE
    async with scripted_site(long_and_short()) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        command = ["crawl", "http://a.test/", "--into", str(into), "--delay", "0", "--resolve", resolve, "--json"]
        words = ["-c", PLANTED, step, str(times), *command, "--max-depth", "3", "--scope", "any"]
        process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=pipe, stderr=pipe)
        out, error = await asyncio.wait_for(process.communicate(), 60)
        assert json.loads(out)["internal_failures"] == times, error.decode()
        assert [path for path in site.paths("a.test") if path in ("/3", "/4")] == asked
        resumed = await hondius("resume", into)
        assert resumed.status == 0, resumed.error
        assert site.paths("a.test").count("/4") == 1
    depths = {url.rpartition("/")[2]: row["depth"] for url, row in (await export_rows(into)).items()}
    assert (depths["3"], depths["4"]) == (2, 3)
