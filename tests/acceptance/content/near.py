"""Near copies (X2-X4): precision and recall on labelled pairs, alone and in a crawl of 20,000 pages; the published
pairs; the size and speed of the index."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import ceil
from pathlib import Path
from random import Random

from hondius.native import Identity, NearIndex, Page, Reader
from hondius.settings import NearSettings
from tests.acceptance import commands
from tests.acceptance.content.near_texts import KINDS, SCRIPTS, Pair, Text, Writer, make_pairs
from tests.acceptance.figure import Figure
from tests.acceptance.use.static_site import ADDRESS, serve_directory

PAIRS = 200
CRAWLED_PAIRS = 800
CRAWLED = 20_000
LEAST_PRECISION, LEAST_RECALL, LEAST_RECALL_OF_KIND = 0.95, 0.90, 0.75
FINGERPRINTS = int(os.environ.get("HONDIUS_FINGERPRINTS", "100_000_000"))
MOST_BYTES, MOST_LOOKUP, MOST_INSERTION = 4 * 2**30, 50e-6, 20e-6
SMALL, MOST_SMALL = 10_000, 20 * 10**6
FRAME, KNOWN = 10_000, 5_000
BINS = 64
LEAST = ceil(NearSettings().similarity * BINS)
READER = Reader(Identity(), agent_token="hondius")
SUITES = Path(os.environ["HONDIUS_SUITES"]) if "HONDIUS_SUITES" in os.environ else None


def figures() -> Iterator[Figure]:
    yield from judge_pairs(list(make_pairs(PAIRS)))
    yield from judge_published()
    yield from judge_crawl()
    yield from judge_small_index()
    yield from judge_large_index()


def judge_pairs(pairs: Sequence[Pair]) -> Iterator[Figure]:
    """Each pair in an index of its own. For comparison, what Hamming distances of the SimHash would find."""
    found: Counter[str] = Counter()
    near: dict[str, Counter[int]] = defaultdict(Counter)
    for pair in pairs:
        first, second = read(pair.first), read(pair.second)
        found[pair.kind] += are_near(first, second)
        if first.simhash is not None and second.simhash is not None:
            near[pair.kind][(first.simhash ^ second.simhash).bit_count()] += 1
    count = len(pairs) // len(KINDS)
    for kind, is_copy, _ in KINDS:
        share = found[kind] / count
        met = share >= LEAST_RECALL_OF_KIND if is_copy else share <= 1 - LEAST_PRECISION
        bar = f"at least {LEAST_RECALL_OF_KIND:.0%}" if is_copy else f"at most {1 - LEAST_PRECISION:.0%}"
        yield Figure(f"{kind}, joined", met, f"{share:.1%} of {count}", bar)
    recall = sum(found[kind] for kind, is_copy, _ in KINDS if is_copy) / sum(
        count for _, is_copy, _ in KINDS if is_copy
    )
    yield Figure("recall over all pairs", recall >= LEAST_RECALL, f"{recall:.1%}", f"at least {LEAST_RECALL:.0%}")
    print("       SimHash, for comparison: share of each kind within k bits")
    for kind, _, _ in KINDS:
        shares = (sum(near[kind][bits] for bits in range(most + 1)) / count for most in range(7))
        print(
            f"       {kind:<30}" + "".join(f"  k={most} {share:6.1%}" for most, share in enumerate(shares)), flush=True
        )


def judge_published() -> Iterator[Figure]:
    """The texts of the conformance suite. Its labels are similarities of sets of three words: our measure is another,
    so only clear pairs count."""
    if SUITES is None or not (SUITES / "near-dup").is_dir():
        print("       near-dup: NOT JUDGED, HONDIUS_SUITES has no near-dup", flush=True)
        return
    suite = SUITES / "near-dup"
    labelled = json.loads((suite / "parkr_pairs.json").read_text())["pairs_ge_0.3"]
    wanted = {frozenset((one, other)) for one, other, similarity in labelled if similarity >= 0.75}
    pages = {path.name: read_text(path.read_text(errors="replace")) for path in sorted(suite.glob("parkr-texts/*.txt"))}
    pages.pop("LICENSE.txt", None)
    joined = {frozenset(pair) for pair in combinations(pages, 2) if are_near(pages[pair[0]], pages[pair[1]])}
    yield Figure("near-dup: labelled pairs found", wanted <= joined, f"{len(wanted & joined)} of {len(wanted)}", "all")
    others = len(joined - wanted)
    yield Figure(
        "near-dup: other pairs joined", not others, f"{others} of {len(pages) * (len(pages) - 1) // 2:,}", "none"
    )


def judge_crawl() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-near-") as name:
        scratch = Path(name)
        labels, expected = write_site(scratch / "site")
        with serve_directory(scratch / "site") as root:
            options = ("--delay", 0, "--allow-private", ADDRESS, "--json", "--set", "scope.max_pages_per_host=200000")
            commands.run_well("crawl", f"{root}/index.html", "--into", scratch / "crawl", *options)
        columns = ("--columns", "url,key,state,near_copy_of")
        rows = commands.rows(commands.run_well("export", scratch / "crawl", *columns).output.encode())
        yield from _judge_clusters(rows, labels, expected)


def _judge_clusters(
    rows: Iterable[dict[str, str]], labels: dict[str, int], expected: dict[str, list[tuple[str, str]]]
) -> Iterator[Figure]:
    clusters: dict[str, list[str]] = defaultdict(list)
    cluster_of: dict[str, str] = {}
    for row in rows:
        name = row["url"].rsplit("/", 1)[-1]
        if name in labels and row["state"] == "completed":
            cluster_of[name] = row["near_copy_of"] or row["key"]
            clusters[cluster_of[name]].append(name)
    yield Figure("pages crawled", len(cluster_of) == len(labels), f"{len(cluster_of):,}", f"{len(labels):,}")
    joined = [pair for names in clusters.values() for pair in combinations(names, 2)]
    right = sum(labels[one] == labels[other] for one, other in joined)
    precision = right / len(joined) if joined else 0.0
    yield Figure(
        "precision over all pairs joined in the crawl",
        precision >= LEAST_PRECISION,
        f"{precision:.2%} of {len(joined):,}",
        f"at least {LEAST_PRECISION:.0%}",
    )
    hits = {kind: sum(cluster_of.get(a, a) == cluster_of.get(b, b) for a, b in some) for kind, some in expected.items()}
    for kind, some in expected.items():
        share = hits[kind] / len(some)
        yield Figure(
            f"in the crawl, {kind}",
            share >= LEAST_RECALL_OF_KIND,
            f"{share:.1%} of {len(some)}",
            f"at least {LEAST_RECALL_OF_KIND:.0%}",
        )
    recall = sum(hits.values()) / sum(map(len, expected.values()))
    yield Figure("recall in the crawl", recall >= LEAST_RECALL, f"{recall:.1%}", f"at least {LEAST_RECALL:.0%}")


def write_site(directory: Path) -> tuple[dict[str, int], dict[str, list[tuple[str, str]]]]:
    """Pairs of all kinds among other pages. Returns which pages have the same text, and the pairs of near copies."""
    directory.mkdir()
    labels: dict[str, int] = {}
    expected: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def add(text: Text, label: int) -> str:
        name = f"{len(labels):05}.html"
        (directory / name).write_text(text.to_html())
        labels[name] = label
        return name

    for number, pair in enumerate(make_pairs(CRAWLED_PAIRS, seed=7)):
        first = add(pair.first, 2 * number)
        second = add(pair.second, 2 * number + (0 if pair.is_copy else 1))
        if pair.is_copy:
            expected[pair.kind].append((first, second))
    random = Random("crawl")
    writers = [Writer(script, random) for script in SCRIPTS]
    while len(labels) < CRAWLED:
        add(random.choice(writers).write(int(100 * 30 ** random.random())), 10**6 + len(labels))
    names = sorted(labels, key=lambda name: Random(name).random())
    lists = [names[begin : begin + 500] for begin in range(0, len(names), 500)]
    for number, some in enumerate(lists):
        (directory / f"list-{number}.html").write_text(make_list(some))
    (directory / "index.html").write_text(make_list([f"list-{number}.html" for number in range(len(lists))]))
    return labels, expected


def make_list(names: Sequence[str]) -> str:
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    return f"<!doctype html><title>list of {names[0]}</title><ul>{links}</ul>"


def judge_small_index() -> Iterator[Figure]:
    """In a process of its own: what memory it takes more than an empty one. As many pages as there are wait for a
    frame: more than ever do."""
    script = (
        "import sys, os; from hondius.native import NearIndex\n"
        "def resident(): return int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')\n"
        f"index = NearIndex(sys.argv[1], least={LEAST})\n"
        "before = resident()\n"
        f"for n in range({SMALL}): index.apply(1, 0, 1, []); index.remember(os.urandom(16), os.urandom(76))\n"
        f"pages = [(os.urandom(16), os.urandom(76)) for _ in range({SMALL})]\n"
        "index.apply(1, 0, 2, pages)\n"
        "print(resident() - before)"
    )
    with tempfile.TemporaryDirectory(prefix="hondius-near-") as name:
        ended = subprocess.run(
            [sys.executable, "-c", script, f"{name}/near"], capture_output=True, text=True, check=True
        )
    used = int(ended.stdout)
    yield Figure(f"memory at {SMALL:,} pages", used < MOST_SMALL, f"{used / 1e6:.1f} MB", "under 20 MB")


def judge_large_index() -> Iterator[Figure]:
    """Sketches are random, so their bands are those of unrelated texts: as many as there can be."""
    with tempfile.TemporaryDirectory(prefix="hondius-near-") as name:
        directory = Path(name) / "near"
        index = NearIndex(str(directory), least=LEAST)
        began, spent, known = time.monotonic(), 0.0, []
        for frame in range(FINGERPRINTS // FRAME):
            keys, sketches = os.urandom(16 * FRAME), os.urandom(76 * FRAME)
            pages = [(keys[16 * n : 16 * n + 16], sketches[76 * n : 76 * n + 76]) for n in range(FRAME)]
            known += pages[: max(1, KNOWN * FRAME // FINGERPRINTS)]
            before = time.monotonic()
            index.apply(1, 0, frame + 1, pages)
            spent += time.monotonic() - before
        index.close()
        took = time.monotonic() - began
        insertion = spent / FINGERPRINTS
        yield Figure(
            f"insertion of {FINGERPRINTS:,}",
            insertion <= MOST_INSERTION,
            f"{insertion * 1e6:.1f} µs each, {took:.0f} s in all",
            "at most 20 µs",
        )
        yield from _judge_opened(directory, known)
        yield _judge_kill(directory)


def _judge_opened(directory: Path, known: list[tuple[bytes, bytes]]) -> Iterator[Figure]:
    index = NearIndex(str(directory), least=LEAST)
    memory, disk = index.sizes
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    files = f"{disk / 2**30:.2f} GiB of tables and keys"
    size = f"{files}, {memory / 2**20:.0f} MiB of memory; the process had {resident / 2**20:.0f} MiB"
    yield Figure("size with their pages", disk + memory <= MOST_BYTES, size, "at most 4 GiB")
    wanted = [(os.urandom(16), sketch) for _, sketch in known[:KNOWN]]
    others = [(os.urandom(16), os.urandom(76)) for _ in range(KNOWN)]
    for key, sketch in [*wanted, *others]:  # reads the blocks once
        index.find(key, sketch)
    before = time.monotonic()
    hits = sum(index.find(key, sketch)[1] is not None for key, sketch in wanted)
    misses = sum(index.find(key, sketch)[0] for key, sketch in others)
    lookup = (time.monotonic() - before) / (len(wanted) + len(others))
    yield Figure("look-up", lookup <= MOST_LOOKUP, f"{lookup * 1e6:.1f} µs", "at most 50 µs")
    right = hits == len(wanted) and misses == len(others)
    yield Figure(
        "look-ups that find their page", right, f"{hits:,} of {len(wanted):,}, {misses:,} of {len(others):,} new"
    )
    index.close()


def _judge_kill(directory: Path) -> Figure:
    """A process that adds pages is killed: what it had closed is all there."""
    pages = NearIndex(str(directory), least=LEAST).pages
    script = (
        "import sys, os; from hondius.native import NearIndex\n"
        f"index = NearIndex(sys.argv[1], least={LEAST})\n"
        "number = index.sequences[0]\n"
        "while True:\n"
        "    number += 1\n"
        "    index.apply(1, 0, number, [(os.urandom(16), os.urandom(76)) for _ in range(1000)])\n"
        "    if number % 100 == 0: print(number, flush=True)"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(directory)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    before = time.monotonic()
    index = NearIndex(str(directory), least=LEAST)
    took = time.monotonic() - before
    damages = index.damages()
    met = index.pages >= pages and not damages
    return Figure(
        "opened after kill -9", met, f"{index.pages:,} pages in {took:.2f} s, {len(damages)} damages", f"{pages:,}"
    )


def are_near(first: Page, second: Page) -> bool:
    if first.sketch is None or second.sketch is None:
        return False
    index = NearIndex(least=LEAST)
    index.remember(b"1" * 16, first.sketch)
    return index.find(b"2" * 16, second.sketch)[1] is not None


def read(text: Text) -> Page:
    return READER.read(text.to_html().encode(), url="https://a.test/", content_type="text/html; charset=utf-8")


def read_text(text: str) -> Page:
    return READER.read(text.encode(), url="https://a.test/", content_type="text/plain; charset=utf-8")
