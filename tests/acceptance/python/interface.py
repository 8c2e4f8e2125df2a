"""A crawl inside a Python program (O2): each figure is a small program that runs in a process of its own.

The figure for notebooks makes a notebook, and nbclient executes it in a kernel of Jupyter.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

from hondius.model import Finished
from hondius.opening import place_of
from tests.acceptance import commands
from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import SyntheticWeb, serving

HOSTS, PAGES_PER_HOST, SEED = 20, 20, 7
KILLS, MOST_PAGES = 50, 60
SLOW_PAGES, SLOW_BUFFER, MOST_GROWTH = 20, 10, 16 * 2**20
PATIENCE = 300.0
JUDGES = Path(sys.prefix) / "judges" / "bin"
README_URL = "https://example.com/"

BEGIN = """
import asyncio, hondius, json, os, resource, sys, threading, time
options = json.loads(sys.argv[1])
seeds = options.pop("seeds")
"""
NOTEBOOK_CELLS = (
    "import hondius",
    """
with hondius.crawl_sync(*seeds, **options | {"into": into + "-synchronous"}) as crawl:
    urls = [page.url for page in crawl]
print(len(set(urls)), crawl.summary["pages"])
""",
    """
urls = []
async with hondius.crawl(*seeds, **options | {"into": into + "-asynchronous"}) as crawl:
    async for page in crawl:
        urls.append(page.url)
print(len(set(urls)), crawl.summary["pages"])
""",
)
"""The first cell gets `seeds`, `options` and `into`. A kernel runs each cell inside its running event loop."""
RUN_NOTEBOOK = f"""
import json, sys
import nbformat
from nbclient import NotebookClient
cells = [nbformat.v4.new_code_cell(source) for source in json.loads(sys.argv[1])]
notebook = nbformat.v4.new_notebook(cells=cells)
nbformat.validate(notebook)
NotebookClient(notebook, timeout={PATIENCE}, kernel_name="python3").execute()
print(json.dumps(["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]))
"""
SERVICE = """
async def work(name):
    async with hondius.crawl(*seeds, **options | {"into": options["into"] + name}) as crawl:
        urls = [page.url async for page in crawl]
    return len(set(urls)), crawl.summary["pages"]
async def serve():
    print(json.dumps({"crawls": await asyncio.gather(*map(work, "abc"))}))
asyncio.run(serve())
"""
LEAVE = """
async def run(most):
    taken = 0
    async with hondius.crawl(*seeds, **options, buffer=20) as crawl:
        async for page in crawl:
            taken += 1
            if taken == most:
                break
    return crawl.summary["stop_reason"], taken
print(json.dumps([asyncio.run(run(10)), asyncio.run(run(None))]))
"""
SLOW = f"""
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
async def run():
    sizes = []
    async with hondius.crawl(*seeds, **options, buffer={SLOW_BUFFER}) as crawl:
        async for page in crawl:
            await asyncio.sleep(1)
            sizes.append(resident())
            if len(sizes) == {SLOW_PAGES}:
                break
    print(json.dumps({{"pages": crawl.summary["pages"], "growth": sizes[-1] - sizes[4]}}))
asyncio.run(run())
"""
HOOKS = """
crawler = hondius.Crawler(seeds, **options, set={"hooks.timeout": 0.2})
calls = {"raised": 0, "hung": 0}
@crawler.extract
def raising(page):
    if page.url.endswith("1"):
        calls["raised"] += 1
        raise ValueError(page.url)
    return {"title": page.title}
@crawler.classify
def hanging(page):
    if page.depth and not calls["hung"]:
        calls["hung"] += 1
        threading.Event().wait()
summary = crawler.run()
with hondius.open(options["into"]) as crawl:
    extracted = sum(page.extracted == {"title": page.title} for page in crawl.pages(noindex=True))
print(json.dumps({"failures": summary["hook_failures"], "pages": summary["pages"], "extracted": extracted, **calls}))
"""
CONSUMER = """
async def run():
    async with hondius.crawl(*seeds, **options, consumer="indexer") as crawl:
        async for page in crawl:
            os.write(1, f"{page.url}\\n".encode())
asyncio.run(run())
"""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-interface-") as name, _serving(Path(name)) as web:
        scratch = Path(name)
        yield _judge_readme(web, scratch)
        yield _judge_notebook(web, scratch)
        yield _judge_service(web, scratch)
        yield _judge_slow_loop(web, scratch)
        yield _judge_hooks(web, scratch)
        yield _judge_kills(web, scratch)
    with tempfile.TemporaryDirectory(prefix="hondius-interface-") as name, _serving(Path(name)) as web:
        yield _judge_leaving(web, Path(name))  # its requests are counted, so the web is its own


def _serving(scratch: Path) -> AbstractContextManager[SyntheticWeb]:
    return serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.2)


def _judge_readme(web: SyntheticWeb, scratch: Path) -> Figure:
    """The first example of the README in Python, with a seed of the synthetic web in place of its own."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    block = next((block for block in blocks if "hondius.crawl(" in block), "")
    code = block.replace(f'"{README_URL}", ', "*seeds, **options, ").replace("await main()", "asyncio.run(main())")
    lines = len([line for line in block.splitlines() if line.strip()])
    ended = _run(code + '\nprint("{}")\n', web, scratch / "readme")
    is_met = bool(block) and lines <= 10 and ended.returncode == 0
    return Figure(
        "the first Python example of the README", is_met, f"{lines} lines, {_last(ended)}", "10 lines, exit 0"
    )


def _judge_notebook(web: SyntheticWeb, scratch: Path) -> Figure:
    """Jupyter is in the environment of the judges, which has the dependencies of Hondius, too."""
    directory = scratch / "notebook"
    seeds, options = web.seeds_file.read_text().split(), _make_options(web)
    given = f"seeds, options, into = {seeds!r}, {options!r}, {str(directory)!r}\n"
    cells = [given + NOTEBOOK_CELLS[0], *NOTEBOOK_CELLS[1:]]
    own = {name: str(scratch / "jupyter") for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    environment = {**os.environ, **own, "PYTHONPATH": str(ROOT / "src")}
    ended = _run_command([str(JUDGES / "python"), "-c", RUN_NOTEBOOK, json.dumps(cells)], environment)
    try:
        printed = [text.split() for text in json.loads(_last(ended))[1:]]
    except ValueError:
        printed = []
    is_met = len(printed) == 2 and all(len(counts) == 2 and counts[0] == counts[1] != "0" for counts in printed)
    bar = "every page of each"
    return Figure("a notebook: `crawl_sync`, and `async with` at the top level of a cell", is_met, _last(ended), bar)


def _judge_service(web: SyntheticWeb, scratch: Path) -> Figure:
    ended = _run(SERVICE, web, scratch / "service-")
    crawls = _read(ended).get("crawls", [])
    is_met = len(crawls) == 3 and all(seen == pages > 0 for seen, pages in crawls)
    return Figure("three crawls in one loop", is_met, _last(ended), "every page of each")


def _judge_slow_loop(web: SyntheticWeb, scratch: Path) -> Figure:
    """Pages are fetched at most as far ahead as the buffer, and memory does not grow."""
    ended = _run(SLOW, web, scratch / "slow")
    found = _read(ended)
    most = SLOW_PAGES + SLOW_BUFFER
    is_met = 0 < found.get("pages", 0) <= most and found.get("growth", MOST_GROWTH) < MOST_GROWTH
    bar = f"at most {most} pages, less than {MOST_GROWTH // 2**20} MiB"
    return Figure(f"a loop that takes a second a page, {SLOW_PAGES} pages", is_met, _last(ended), bar)


def _judge_hooks(web: SyntheticWeb, scratch: Path) -> Figure:
    ended = _run(HOOKS, web, scratch / "hooks")
    found = _read(ended)
    failures = found.get("raised", 0) + found.get("hung", 0)
    log = scratch / "hooks" / "crawl.log"
    reported = log.read_text().count("the hook ") if log.exists() else 0
    is_met = found.get("failures") == failures == reported and found.get("raised", 0) > 0 and found.get("hung") == 1
    is_met = is_met and found["extracted"] >= found["pages"] - failures - 1
    return Figure(
        "hooks that raise, and one that hangs: reported, the rest extracted", is_met, _last(ended), "each once"
    )


def _judge_leaving(web: SyntheticWeb, scratch: Path) -> Figure:
    """The crawl after both runs is judged by the manifest of the web, and by its access log."""
    directory = scratch / "leave"
    ended = _run(LEAVE, web, directory)
    exported = commands.run_well("export", directory, "--format", "jsonl", "--noindex").output
    verdict = web.judge(json.loads(line) for line in exported.splitlines())
    faults = {name: len(lines) for name, lines in verdict.faults.items()}
    return Figure(
        "left after 10 pages and continued: the site is complete", not faults, f"{_last(ended)} {faults}", "{}"
    )


def _judge_kills(web: SyntheticWeb, scratch: Path) -> Figure:
    directory, chance = scratch / "kills", random.Random(SEED)
    seen: set[str] = set()
    killed = 0
    for _ in range(KILLS):
        lines, was_killed = _live(web, directory, scratch / "seen", chance.randint(1, MOST_PAGES))
        killed += was_killed
        seen |= lines
    seen |= _live(web, directory, scratch / "seen", None)[0]
    pages = _list_pages(directory)
    measured = f"{len(pages - seen)} of {len(pages):,} not seen, {killed} kills"
    is_met = pages == seen and len(pages) > 0 and killed > KILLS // 2
    return Figure(f"a loop with a named consumer, {KILLS} lives killed with SIGKILL", is_met, measured, "0 not seen")


def _live(web: SyntheticWeb, directory: Path, output: Path, pages: int | None) -> tuple[set[str], bool]:
    """Kills the program after so many pages, or when none has come for two seconds. None: not at all."""
    with open(output, "wb") as written:
        process = subprocess.Popen(_command(CONSUMER, web, directory), stdout=written)
    size, quiet_since = 0, time.monotonic()
    while process.poll() is None and pages is not None:
        data = output.read_bytes()
        if len(data) != size:
            size, quiet_since = len(data), time.monotonic()
        if data.count(b"\n") >= pages or (size and time.monotonic() > quiet_since + 2):
            process.kill()
            break
        time.sleep(0.005)
    process.wait(PATIENCE)
    return set(output.read_text().splitlines()), process.returncode < 0


def _list_pages(directory: Path) -> set[str]:
    with closing(place_of(directory).open_log(read_only=True)) as log:
        ends = [event for frame in log.read() for event in frame.events if isinstance(event, Finished)]
    return {end.url for end in ends if end.kind == "page" and end.state in ("completed", "duplicate")}


def _make_options(web: SyntheticWeb) -> dict[str, Any]:
    return {"scope": "any", "delay": 0, "resolve": web.resolve, "ca_file": web.ca_file}


def _command(program: str, web: SyntheticWeb, into: Path) -> list[str]:
    options = _make_options(web) | {"into": str(into), "seeds": web.seeds_file.read_text().split()}
    return [sys.executable, "-c", BEGIN + program, json.dumps(options)]


def _run(program: str, web: SyntheticWeb, into: Path) -> "subprocess.CompletedProcess[str]":
    return _run_command(_command(program, web, into), {**os.environ})


def _run_command(command: list[str], environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
    )


def _read(ended: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    try:
        found = json.loads(_last(ended))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _last(ended: "subprocess.CompletedProcess[str]") -> str:
    return (ended.stdout.strip().splitlines() or [f"exit {ended.returncode}"])[-1][-300:]


if __name__ == "__main__":
    met = []
    for figure in figures():
        print(figure, flush=True)
        met.append(figure.met)
    sys.exit(not all(met))
