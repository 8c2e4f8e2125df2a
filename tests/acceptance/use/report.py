"""The report on real pages: its broken links are those of an independent checker, and it can be looked at (O1).

LinkChecker names one page for each URL that failed: it puts no URL into its queue twice. So the URLs must be the same,
and each page that it names must be among those of the report. Which pages have the planted links is known.
"""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from tests.acceptance import commands
from tests.acceptance.chromium import ARGUMENTS, NoBrowser, executable
from tests.acceptance.debian_pages import unpack
from tests.acceptance.figure import Figure
from tests.acceptance.use.static_site import ADDRESS, serve_directory

PACKAGE, ROOT = "sqlite3-doc", "usr/share/doc/sqlite3"
JUDGE = Path(sys.prefix) / "judges" / "bin" / "linkchecker"
PLANTED = 25
SEED = 1604
SHOWN = 20
PATIENCE = 1_800.0
MOST_MEMORY = 300 * 2**20
LOST, MOVED = "/lost/page-", "/moved.html"
HREF = re.compile(r"""href=["']?(?:\./)?([\w-]+\.html)""")
FORM = re.compile(r"""<form[^>]*\baction=["']?([^"'\s>]+)""", re.IGNORECASE)
JUDGE_SETTINGS = "[checking]\nmaxfilesizeparse=100000000\nmaxfilesizedownload=100000000\nmaxrequestspersecond=1000\n"
"""By default it reads no links of pages above 1 MB, and waits after each request, also at a site that allows more."""
Pair = tuple[str, str]
"""A page, and what it links to."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-report-") as name:
        scratch = Path(name)
        site = Path(shutil.copytree(unpack(PACKAGE) / ROOT, scratch / "site"))
        planted = plant_broken_links(site)
        with serve_directory(site) as root:
            start = f"{root}/index.html"
            crawl = scratch / "crawl"
            options = ("--delay", 0, "--media", "--scripts", "--allow-private", ADDRESS, "--json")
            commands.run_well("crawl", start, "--into", crawl, *options)
            made = commands.run("report", crawl, "--json", "--most", 10_000)
            report = json.loads(made.output)
            judged = run_judge(start, root, scratch)
        yield from _compare(report, judged, planted, root, site)
        memory = f"{made.peak_bytes / 2**20:.0f} MB, {made.seconds:.1f} s"
        yield Figure(
            "the report, peak memory", made.peak_bytes <= MOST_MEMORY, memory, f"at most {MOST_MEMORY >> 20} MB"
        )
        yield _take_pictures(crawl)


def plant_broken_links(site: Path) -> set[Pair]:
    """Adds links to some pages: most lead nowhere, some to a redirect that leads nowhere. (path, path) of each."""
    planted = set()
    for number, name in enumerate(random.Random(SEED).sample(list_reachable_pages(site), PLANTED)):
        target = MOVED if number % 5 == 0 else f"{LOST}{number % 7}.html"
        with (site / name).open("ab") as file:
            file.write(f'\n<p><a href="{target}">planted link {number}</a></p>\n'.encode())
        planted.add((f"/{name}", target))
    return planted


def list_reachable_pages(site: Path) -> list[str]:
    """Pages of the top directory that links lead to, beginning with the first page: the package has others."""
    found, waiting = {"index.html"}, ["index.html"]
    while waiting:
        text = (site / waiting.pop()).read_text(errors="replace")
        new = {name for name in HREF.findall(text) if (site / name).is_file()} - found
        found |= new
        waiting += new
    return sorted(found)


def run_judge(start: str, root: str, scratch: Path) -> set[Pair]:
    """The broken links that LinkChecker finds on the same site."""
    configuration = scratch / "linkchecker.ini"
    configuration.write_text(JUDGE_SETTINGS)
    options = ["--no-status", "--no-warnings", "--recursion-level=-1", "--threads=4", "--timeout=60", "--output=csv"]
    ended = subprocess.run(
        [JUDGE, f"--config={configuration}", *options, start],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        cwd=scratch,
        env={**os.environ, "HOME": str(scratch)},
    )
    if ended.returncode not in (0, 1):  # 1: there are broken links
        raise SystemExit(f"LinkChecker: exit status {ended.returncode}\n{ended.stderr[-1000:]}")
    lines = [line for line in ended.stdout.splitlines() if line and not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter=";")
    return {
        (
            _make_path(row["parentname"], root),
            _make_path(urljoin(row["base"] or row["parentname"], row["urlname"]), root),
        )
        for row in rows
        if row["valid"] == "False" and row["url"].startswith(root)
    }


def list_pairs(report: dict[str, Any], root: str) -> set[Pair]:
    """What links name: the redirect, if one leads to the failure."""
    return {
        (_make_path(source["url"], root), _make_path(target["via"] or target["url"], root))
        for target in report["broken_links"]["listed"]
        for source in target["sources"]
    }


def _make_path(url: str, root: str) -> str:
    return unquote(urldefrag(url)[0].removeprefix(root))


def _compare(report: dict[str, Any], judged: set[Pair], planted: set[Pair], root: str, site: Path) -> Iterator[Figure]:
    broken = report["broken_links"]
    ours = list_pairs(report, root)
    named = {pair for pair in ours if pair[1] == MOVED or pair[1].startswith(LOST)}
    yield Figure(
        "pages with planted links",
        named == planted,
        f"{len(named & planted)}, {len(named - planted)} others",
        str(PLANTED),
    )
    read = f"{broken['pages_read']:,} pages read, {broken['links']:,} broken links to {broken['targets']:,} URLs"
    yield Figure("pages whose links were read", broken["pages_unread"] == 0 and broken["pages_read"] > 500, read)
    forms = {pair for pair in judged if pair not in ours and is_form(site, pair)}
    for page, target in sorted(forms):
        print(f"       explained: {page} → {target} is a form, which Hondius does not request", flush=True)
    judged -= forms
    our_targets, their_targets = {target for _, target in ours}, {target for _, target in judged}
    for name, some in (("the report", our_targets - their_targets), ("LinkChecker", their_targets - our_targets)):
        for target in sorted(some)[:SHOWN]:
            print(f"       only {name}: {target}", flush=True)
    same = f"{len(our_targets & their_targets):,} of {len(our_targets | their_targets):,}"
    yield Figure("URLs that failed, by LinkChecker, too", our_targets == their_targets, same, "all, and no others")
    pages = f"{len(judged & ours):,} of {len(judged):,}"
    yield Figure("links that LinkChecker names, in the report", judged <= ours, pages, "all")


def is_form(site: Path, pair: Pair) -> bool:
    page, target = pair
    text = (site / page.removeprefix("/")).read_text(errors="replace")
    return target in {urljoin(page, action) for action in FORM.findall(text)}


def _take_pictures(crawl: Path) -> Figure:
    """In light and dark, and on a phone; the directory stays."""
    pictures = Path(tempfile.mkdtemp(prefix="hondius-report-pictures-"))
    page = pictures / "report.html"
    commands.run_well("report", crawl, "-o", page)
    looks = {
        "light": ("1200,2400", "1"),
        "dark": ("1200,2400", "0"),
        "phone": ("500,2400", "1"),
    }
    try:
        for name, (size, scheme) in looks.items():
            _take_picture(page, pictures / f"{name}.png", size, scheme)
    except NoBrowser as error:
        return Figure("pictures of the report", False, str(error))
    taken = [name for name in looks if (pictures / f"{name}.png").stat().st_size > 10_000]
    return Figure("pictures of the report", len(taken) == len(looks), f"{', '.join(taken)} in {pictures}")


def _take_picture(page: Path, picture: Path, size: str, scheme: str) -> None:
    """`scheme` is 0 for dark and 1 for light."""
    quiet = [word for word in ARGUMENTS if not word.startswith(("--blink-settings", "--remote", "about:"))]
    settings = f"--blink-settings=preferredColorScheme={scheme}"
    with tempfile.TemporaryDirectory(prefix="hondius-chromium-", ignore_cleanup_errors=True) as profile:
        options = [
            f"--user-data-dir={profile}",
            "--hide-scrollbars",
            f"--window-size={size}",
            f"--screenshot={picture}",
        ]
        subprocess.run(
            [executable(), *quiet, settings, *options, page.as_uri()], capture_output=True, check=True, timeout=300
        )
