"""Import (S11): archives by wget, by Heritrix and by ourselves become crawls; damage is named; memory is bounded."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.compare.peer import NotInstalled, install, peer

import hondius
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.use.static_site import serve_directory
from tests.use.foreign_archives import Foreign, make_archive, make_page

PAGES = 300
LINKS_A_PAGE = 5
MANY, MOST_MEMORY = 100_000, 400 * 2**20
RECORDS_A_PIECE = 1_000
PATIENCE = 600.0
DAMAGED = 3


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-import-") as name:
        scratch = Path(name)
        site = scratch / "site"
        titles = _write_site(site)
        with serve_directory(site) as root:
            expected = {f"{root}{path}": title for path, title in titles.items()}
            for tool, archives in (
                ("wget", _run_wget(root, scratch)),
                ("Hondius", _run_hondius(root, scratch)),
                ("Heritrix", _run_heritrix(root, scratch)),
            ):
                if archives:
                    yield from _import(tool, archives, expected, scratch)
                else:
                    print(f"  no archive by {tool} could be made here: its import was NOT checked")
        yield from _name_damage(scratch)
        yield _import_many(scratch)


def _write_site(site: Path) -> dict[str, str]:
    """Titles by path. Every page is linked; the text of each has a word of its own."""
    site.mkdir()
    titles = {"/": "Home"}
    for number in range(PAGES):
        links = [f"/p{(number * LINKS_A_PAGE + one) % PAGES}.html" for one in range(1, LINKS_A_PAGE + 1)]
        (site / f"p{number}.html").write_bytes(make_page(f"Title {number} word{number:04}", *links))
        titles[f"/p{number}.html"] = f"Title {number} word{number:04}"
    (site / "index.html").write_bytes(make_page("Home", *(path for path in titles if path != "/")))
    return titles


def _run_wget(root: str, scratch: Path) -> list[Path]:
    if shutil.which("wget") is None:
        return []
    where = scratch / "wget"
    where.mkdir()
    command = ["wget", "-q", "-r", "-l", "inf", "--no-config", f"--warc-file={where / 'wget'}", f"{root}/"]
    subprocess.run(command, cwd=where, check=False, timeout=PATIENCE)  # 8: it asks for a robots.txt that is missing
    return sorted(where.glob("*.warc.gz"))


def _run_hondius(root: str, scratch: Path) -> list[Path]:
    crawl = scratch / "own"
    private = ("--allow-private", "127.0.0.0/8")
    commands.run_well("crawl", f"{root}/", "--into", crawl, "--delay", 0, "--json", *private)
    return sorted((crawl / "warc").glob("*.warc.gz"))


def _run_heritrix(root: str, scratch: Path) -> list[Path]:
    heritrix = peer("heritrix")
    try:
        install(heritrix)
    except (NotInstalled, OSError) as error:
        print(f"  Heritrix cannot be installed here: {error}")
        return []
    where, seeds = scratch / "heritrix", scratch / "seeds.txt"
    where.mkdir()
    seeds.write_text(f"{root}/\n")
    places = {"python": sys.executable, "seeds": str(seeds), "concurrency": "4", "output": str(where), "scheme": "http"}
    try:
        subprocess.run(
            heritrix.command(places),
            cwd=heritrix.home,
            env=heritrix.surroundings(places),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"  Heritrix could not crawl: {error}")
    return sorted(where.rglob("*.warc.gz"))


def _import(tool: str, archives: list[Path], expected: dict[str, str], scratch: Path) -> Iterator[Figure]:
    crawl = scratch / f"imported-{tool.lower()}"
    ended = commands.run_well("import", *archives, "--into", crawl, "--json")
    with hondius.open(crawl) as opened:
        found = {page.url: page.title for page in opened.pages()}
        right = sum(found.get(url) == title for url, title in expected.items())
        wanted = f"word{PAGES - 1:04}"
        hits = [hit.url for hit in opened.search(wanted)]
        is_markdown = wanted in opened[f"{next(iter(expected))}p{PAGES - 1}.html"].markdown
    name = f"pages of an archive by {tool} that have their title"
    measured = f"{right:,} of {len(expected):,} ({ended.summary['records']:,} records in {ended.seconds:.1f} s)"
    yield Figure(name, right == len(expected) and ended.summary["damaged"] == 0, measured, "all")
    is_found = len(hits) == 1 and hits[0].endswith(f"/p{PAGES - 1}.html") and is_markdown
    yield Figure(f"search and Markdown of the import by {tool}", is_found, f"{len(hits)} hits", "the page alone")
    again = commands.run_well("import", *archives, "--into", crawl, "--json").summary
    yield Figure(f"pages imported by a second import by {tool}", again["pages"] == 0, f"{again['pages']}", "0")
    problems = [*commands.list_audit_findings(crawl), *commands.run("verify", crawl).errors.splitlines()]
    yield Figure(
        f"audit and verify of the import by {tool}", not problems, "; ".join(problems)[:100] or "clean", "clean"
    )


def _name_damage(scratch: Path) -> Iterator[Figure]:
    records = [make_archive([Foreign(f"http://d.test/{number}", make_page(f"D {number}"))]) for number in range(20)]
    offsets = []
    for number in range(DAMAGED):
        which = 3 + 5 * number
        offsets.append(sum(map(len, records[:which])))
        damaged = bytearray(records[which])
        damaged[len(damaged) // 2] ^= 0xFF
        records[which] = bytes(damaged)
    file = scratch / "damaged.warc.gz"
    file.write_bytes(b"".join(records))
    ended = commands.run_well("import", file, "--into", scratch / "damaged", "--json").summary
    named = [problem for problem in ended["problems"] if any(f" at {offset}: " in problem for offset in offsets)]
    measured = f"{len(named)} of {DAMAGED}, {ended['pages']} pages"
    is_met = len(named) == DAMAGED == ended["damaged"] and ended["pages"] == 20 - DAMAGED
    yield Figure("damaged records named by file and offset", is_met, measured, "all, and the others imported")


def _import_many(scratch: Path) -> Figure:
    file = scratch / "many.warc.gz"
    with file.open("wb") as archive:
        for first in range(0, MANY, RECORDS_A_PIECE):
            records = [_make_one(number) for number in range(first, first + RECORDS_A_PIECE)]
            archive.write(make_archive(records))
    ended = commands.run_well("import", file, "--into", scratch / "many", "--json", patience=3_600.0)
    pages = ended.summary["pages"]
    measured = f"{ended.peak_bytes / 2**20:.0f} MB for {pages:,} pages in {ended.seconds:.0f} s"
    is_met = pages == MANY and ended.peak_bytes <= MOST_MEMORY
    return Figure(f"memory of an import of {MANY:,} records", is_met, measured, "at most 400 MB")


def _make_one(number: int) -> Foreign:
    links = [f"http://h{(number * 7 + one) % 500}.test/{(number * 13 + one) % MANY}" for one in range(20)]
    text = " ".join(f"w{(number * one) % 9_973}" for one in range(1, 200))
    return Foreign(f"http://h{number % 500}.test/{number}", make_page(f"P {number} {text}", *links))
