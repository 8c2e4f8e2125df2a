"""Search in 20,000 pages (S7): how fast it is, whether pages are found by their text, and whether the index equals the
catalog after `kill -9`."""

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import hondius
from hondius.model import PageFilter
from hondius.opening import open_crawl
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import serving
from tests.use.searched_site import TEXTS, make_site
from tests.use.worlds import served

PAGES = 20_000
HOSTS, PAGES_PER_HOST, SEED = 100, 230, 7
QUERIES, MOST_MILLISECONDS = 1_000, 5.0
PHRASES, PHRASE_WORDS = 200, 6
KILLS = 20
LONGEST_LIFE = 8.0
"""Seconds of writing after which an update is killed, at most."""
PATIENCE = 900.0
TIMING = """
import json, sys, time, hondius
queries = json.load(sys.stdin)
with hondius.open(sys.argv[1]) as crawl:
    for query in queries[:50]:
        crawl.search(query)
    taken = []
    for query in queries:
        began = time.perf_counter()
        crawl.search(query)
        taken.append(time.perf_counter() - began)
print(json.dumps(taken))
"""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-search-") as name:
        scratch, crawl = Path(name), Path(name) / "crawl"
        with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.05) as web:
            commands.run_well(*web.crawl_arguments(crawl, 0), "--max-pages", PAGES)
        built = commands.run_well("search", crawl, "host:nowhere.test")
        yield _compare("pages in the index that was built at once", crawl)
        pages = len(_list_searchable(crawl))
        size = sum(path.stat().st_size for path in (crawl / "search").iterdir())
        measured = f"{pages:,} pages in {built.seconds:.1f} s, {size / max(1, pages) / 1000:.1f} KB each"
        yield Figure("building the index", pages > PAGES // 2, measured, f"more than {PAGES // 2:,} pages")
        phrases = _choose_phrases(crawl)
        yield _find_pages(crawl, phrases)
        yield _measure(crawl, _make_queries([phrase for _, phrase in phrases]))
        yield from _find_scripts(scratch)
        yield from _kill(crawl)


def _list_searchable(crawl: Path) -> list[bytes]:
    """By the catalog."""
    with open_crawl(crawl) as opened:
        selected = PageFilter(states=("completed", "duplicate"), kinds=("page",), noindex=False)
        return sorted(row["key"] for row in opened.catalog.pages(selected))


def _compare(name: str, crawl: Path) -> Figure:
    expected = _list_searchable(crawl)
    with open_crawl(crawl) as opened:
        indexed = opened.search_index.list_keys()
    missing, strange = len(set(expected) - set(indexed)), len(set(indexed) - set(expected))
    twice = len(indexed) - len(set(indexed))
    measured = f"{len(indexed):,}; {missing} missing, {strange} that should not be there, {twice} twice"
    return Figure(name, indexed == expected != [], measured, f"the {len(expected):,} of the catalog")


def _choose_phrases(crawl: Path) -> list[tuple[str, str]]:
    """(URL, neighbouring words of its main text), as the deep pass of the export finds it: another reader than that of
    the index."""
    chance = random.Random(SEED)
    with hondius.open(crawl) as opened:
        urls = [page.url for page in opened.pages(copies=False)]
        chosen: list[tuple[str, str]] = []
        for url in chance.sample(urls, min(len(urls), 3 * PHRASES)):
            lines = [line.split() for line in opened[url].main_text.splitlines()]
            if long := [words for words in lines if len(words) >= PHRASE_WORDS]:
                words = chance.choice(long)
                first = chance.randrange(len(words) - PHRASE_WORDS + 1)
                chosen.append((url, " ".join(words[first : first + PHRASE_WORDS]).replace('"', " ")))
        return chosen[:PHRASES]


def _find_pages(crawl: Path, phrases: Sequence[tuple[str, str]]) -> Figure:
    """On their hosts: some phrases are on thousands of pages, more than a search lists."""
    with hondius.open(crawl) as opened:
        found = 0
        for url, phrase in phrases:
            hits = opened.search(f'"{phrase}"', host=urlsplit(url).hostname or "", limit=PAGES_PER_HOST * 2)
            found += url in {hit.url for hit in hits}
    is_met = found == len(phrases) == PHRASES
    return Figure("pages found by a phrase of their text", is_met, f"{found} of {len(phrases)}", f"all of {PHRASES}")


def _make_queries(phrases: Sequence[str]) -> list[str]:
    """One word, several words, a phrase, and a condition, in equal parts."""
    chance = random.Random(SEED)
    queries = []
    for number in range(QUERIES):
        words = chance.choice(phrases).split()
        several = " ".join(chance.sample(words, 3))
        queries.append([words[0], several, f'"{" ".join(words[1:4])}"', f"{words[0]} after:2020-01-01"][number % 4])
    return queries


def _measure(crawl: Path, queries: Sequence[str]) -> Figure:
    command = [sys.executable, "-c", TIMING, str(crawl)]
    ended = subprocess.run(
        command, input=json.dumps(queries), capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    taken = sorted(1000 * seconds for seconds in json.loads(ended.stdout))
    middle, high = taken[len(taken) // 2], taken[int(len(taken) * 0.95)]
    measured = f"{high:.2f} ms (median {middle:.2f} ms, longest {taken[-1]:.2f} ms)"
    name = f"a search in a warm process, 95th percentile of {len(taken):,}"
    return Figure(name, high <= MOST_MILLISECONDS, measured, f"at most {MOST_MILLISECONDS:g} ms")


def _find_scripts(scratch: Path) -> Iterator[Figure]:
    """Pages in scripts without spaces, by a piece from the middle of their text."""
    crawl = scratch / "scripts"
    with served(make_site()) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        commands.run_well("crawl", "http://a.test/", "--into", crawl, "--delay", 0, "--resolve", resolve, "--json")
    with hondius.open(crawl) as opened:
        for path, language in (("/ja", "Japanese"), ("/zh", "Chinese"), ("/th", "Thai"), ("/ko", "Korean")):
            text = TEXTS[path][2]
            phrase = text[len(text) // 2 :][:8].strip()
            found = [hit.url for hit in opened.search(f'"{phrase}"')]
            is_met = found == [f"http://a.test{path}"]
            yield Figure(f"a {language} page found by {phrase!r}", is_met, str(len(found)), "this page alone")


def _kill(crawl: Path) -> Iterator[Figure]:
    shutil.rmtree(crawl / "search")
    (crawl / "consumers" / "search.json").unlink(missing_ok=True)
    chance = random.Random(SEED)
    killed = commits = 0
    for _ in range(KILLS):
        before = _identify_commit(crawl)
        process = subprocess.Popen(
            [*commands.HONDIUS, "search", str(crawl), "host:nowhere.test"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_until_writing(process)
            process.wait(chance.uniform(0, LONGEST_LIFE))
        except subprocess.TimeoutExpired:
            killed += _is_writing(process)
            process.kill()
            process.wait(PATIENCE)
        commits += _identify_commit(crawl) != before
        if process.returncode == 0:  # complete: the next life begins with the first page again
            commands.run_well("consumers", crawl, "--remove", "search")
    measured = f"{killed} of {KILLS}; {commits} had committed"
    yield Figure("updates that were killed while they wrote", killed >= KILLS // 2, measured, f"{KILLS // 2}")
    began = time.monotonic()
    commands.run_well("search", crawl, "host:nowhere.test")
    yield _compare(f"pages in the index after {KILLS} kills ({time.monotonic() - began:.0f} s for the rest)", crawl)


def _wait_until_writing(process: "subprocess.Popen[bytes]") -> None:
    """A life is counted from here: a kill before that would test the start of Python."""
    ends = time.monotonic() + PATIENCE
    while process.poll() is None and not _is_writing(process) and time.monotonic() < ends:
        time.sleep(0.005)


def _is_writing(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has the lock file of the index open. Trying the lock could make the process believe that another one
    writes."""
    for link in Path(f"/proc/{process.pid}/fd").glob("*"):
        with contextlib.suppress(OSError):
            if os.readlink(link).endswith("/search.lock"):
                return True
    return False


def _identify_commit(crawl: Path) -> int:
    meta = crawl / "search" / "meta.json"
    return meta.stat().st_mtime_ns if meta.exists() else 0
