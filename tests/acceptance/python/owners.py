"""What owners allow (W1-W3): every signal alone and in conflict is kept, and left out of exports that it reserves.

Each case is a host of its own, so that a signal of robots.txt stands alone, too. What is expected is written down here,
not computed by the code that it judges.
"""

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.figure import Figure
from tests.journeys.scripted_site import Answer, Ended, Script, crawl, hondius, scripted_site

USES = ("search", "ai-input", "ai-train")
SEARCH, INPUT, TRAIN = USES
Header = tuple[str, str]


@dataclass(frozen=True)
class Case:
    name: str
    kept: tuple[str, ...]
    """The signals that the page must have."""
    reserved: tuple[str, ...] = ()
    robots: str = ""
    """Lines of the group of everyone."""
    headers: tuple[Header, ...] = ()
    head: str = ""
    tdmrep: str = ""
    """The file `/.well-known/tdmrep.json`; missing if it is empty."""


RESERVE_ALL = '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "http://p.test/"}]'
RESERVE_NONE = '[{"location": "/*", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]'

CASES = (
    Case("no signal", ()),
    Case("robots.txt Content-Signal", ("robots content-signal ai-train=no",), (TRAIN,), "Content-Signal: ai-train=no"),
    Case(
        "robots.txt Content-Signal, search=no",
        ("robots content-signal search=no",),
        (SEARCH,),
        "Content-Signal: search=no",
    ),
    Case("robots.txt Content-Usage", ("robots content-usage train-ai=n",), (TRAIN,), "Content-Usage: / train-ai=n"),
    Case("robots.txt Content-Usage of another path", (), (), "Content-Usage: /other/ train-ai=n"),
    Case("robots.txt License", ("robots rsl http://l.test/l.xml",), (INPUT, TRAIN), "License: http://l.test/l.xml"),
    Case(
        "Content-Usage header", ("header content-usage ai-use=n",), (INPUT,), headers=(("Content-Usage", "ai-use=n"),)
    ),
    Case(
        "Content-Signal header",
        ("header content-signal ai-input=no",),
        (INPUT,),
        headers=(("Content-Signal", "ai-input=no"),),
    ),
    Case("tdm-reservation header", ("header tdm-reservation 1",), (INPUT, TRAIN), headers=(("tdm-reservation", "1"),)),
    Case("tdm-policy header", ("header tdm-policy http://p.test/",), headers=(("tdm-policy", "http://p.test/"),)),
    Case("noai in X-Robots-Tag", ("header noai",), (INPUT, TRAIN), headers=(("X-Robots-Tag", "Hondius: noai"),)),
    Case("noai for another agent", (), headers=(("X-Robots-Tag", "otherbot: noai"),)),
    Case("noai in meta", ("meta noai",), (INPUT, TRAIN), head="<meta name=robots content='noai'>"),
    Case("noimageai in meta", ("meta noimageai",), (INPUT, TRAIN), head="<meta name=hondius content=noimageai>"),
    Case(
        "tdm-reservation in meta",
        ("meta tdm-reservation 1",),
        (INPUT, TRAIN),
        head="<meta name=tdm-reservation content=1>",
    ),
    Case("rel=license", ("link license http://l.test/by",), head="<link rel=license href=http://l.test/by>"),
    Case(
        "rel=license of RSL in Link",
        ("header rsl http://l.test/l.xml",),
        (INPUT, TRAIN),
        headers=(("Link", "<http://l.test/l.xml>; rel=license; type=application/rsl+xml"),),
    ),
    Case("unknown value", ("header tdm-reservation 7",), headers=(("tdm-reservation", "7"),)),
    Case(
        "conflict: robots.txt allows, the page does not",
        ("robots content-signal ai-train=yes", "meta noai"),
        (INPUT, TRAIN),
        "Content-Signal: ai-train=yes",
        head="<meta name=robots content=noai>",
    ),
    Case(
        "conflict: the page allows, robots.txt does not",
        ("robots content-usage train-ai=n", "header content-usage train-ai=y"),
        (TRAIN,),
        "Content-Usage: train-ai=n",
        (("Content-Usage", "train-ai=y"),),
    ),
    Case(
        "conflict: header 0, meta 1",
        ("header tdm-reservation 0", "meta tdm-reservation 1"),
        (INPUT, TRAIN),
        headers=(("tdm-reservation", "0"),),
        head="<meta name=tdm-reservation content=1>",
    ),
    Case(
        "tdmrep.json",
        ("tdmrep tdm-reservation 1", "tdmrep tdm-policy http://p.test/"),
        (INPUT, TRAIN),
        tdmrep=RESERVE_ALL,
    ),
    Case("tdmrep.json, its first match", ("tdmrep tdm-reservation 0",), tdmrep=RESERVE_NONE),
    Case("tdmrep.json of another path", (), tdmrep='[{"location": "/other/", "tdm-reservation": 1}]'),
    Case("tdmrep.json that is none", (), tdmrep="<html>"),
    Case("tdmrep.json that robots.txt forbids", (), (), "Disallow: /.well-known/", tdmrep=RESERVE_ALL),
    Case(
        "conflict: tdmrep.json 1, header 0",
        ("tdmrep tdm-reservation 1", "tdmrep tdm-policy http://p.test/", "header tdm-reservation 0"),
        (INPUT, TRAIN),
        headers=(("tdm-reservation", "0"),),
        tdmrep=RESERVE_ALL,
    ),
    Case(
        "conflict: tdmrep.json 0, header 1",
        ("tdmrep tdm-reservation 0", "header tdm-reservation 1"),
        (INPUT, TRAIN),
        headers=(("tdm-reservation", "1"),),
        tdmrep=RESERVE_NONE,
    ),
    Case(
        "conflict: tdmrep.json 0, robots.txt reserves",
        ("robots content-signal ai-train=no", "tdmrep tdm-reservation 0"),
        (TRAIN,),
        "Content-Signal: ai-train=no",
        tdmrep=RESERVE_NONE,
    ),
)
FORBIDDEN = "http://open.test/forbidden"
TDMREP = "/.well-known/tdmrep.json"


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-owners-") as name:
        yield from asyncio.run(_judge(Path(name) / "crawl"))


async def _judge(directory: Path) -> list[Figure]:
    async with scripted_site(_make_script()) as site:
        urls = [_url_of(number) for number in range(len(CASES))]
        # The guessed sitemaps are missing here; without them, each reserved row is a case.
        options = ("--set", "usage.tdmrep=true", "--set", "scope.sitemaps=false")
        ended = await crawl(site, directory, *urls, FORBIDDEN, *options)
    if ended.status:
        return [Figure("the crawl of all signals", False, ended.error[-300:])]
    rows = {row["url"]: row for row in await _export(directory)}
    exported = {use: {row["url"] for row in await _export(directory, "--for", use)} for use in USES}
    figures = [_judge_case(number, rows, exported) for number in range(len(CASES))]
    asked = [request.path for request in site.requests if request.path == "/forbidden"]
    figures.append(Figure("a grant permits no request that robots.txt forbids", not asked, f"{len(asked)} requests"))
    files = Counter(request.host for request in site.requests if request.path == TDMREP)
    wanted = {f"h{number}.test" for number, case in enumerate(CASES) if "/.well-known/" not in case.robots} | {
        "open.test"
    }
    figures.append(
        Figure(
            "one request for tdmrep.json a host, none that robots.txt forbids",
            set(files) == wanted and set(files.values()) == {1},
            f"{files.total()} requests to {len(files)} hosts",
            f"{len(wanted)} requests to {len(wanted)} hosts",
        )
    )
    return [*figures, await _judge_counts(directory), await _judge_audit(directory)]


def _make_script() -> Script:
    script: Script = {}
    for number, case in enumerate(CASES):
        host = f"h{number}.test"
        script[f"{host}/robots.txt"] = Answer.robots(f"User-agent: *\n{case.robots}\nAllow: /\n")
        if case.tdmrep:
            script[f"{host}{TDMREP}"] = Answer(case.tdmrep, headers=(("Content-Type", "application/json"),))
        headers = (("Content-Type", "text/html"), *case.headers)
        script[f"{host}/"] = Answer(f"<title>{number}</title>{case.head}<p>page {number}", headers=headers)
    script["open.test/robots.txt"] = Answer.robots(
        "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\nDisallow: /forbidden\n"
    )
    return script


def _url_of(number: int) -> str:
    return f"http://h{number}.test/"


async def _export(directory: Path, *options: str) -> list[dict[str, object]]:
    ended = await hondius("export", directory, *options)
    assert ended.status == 0, ended.error
    return [json.loads(line) for line in ended.out.splitlines()]


def _judge_case(number: int, rows: dict[object, dict[str, object]], exported: dict[str, set[object]]) -> Figure:
    case, url = CASES[number], _url_of(number)
    usage = rows[url]["usage"]
    kept = tuple(str(usage).split("\n")) if usage is not None else ()
    left_out = tuple(use for use in USES if url not in exported[use])
    verdicts = ", ".join(f"{use} {'left out' if use in left_out else 'exported'}" for use in USES)
    measured = f"{'; '.join(kept) or 'nothing'}: {verdicts}"
    expected = f"{'; '.join(case.kept) or 'nothing'}; left out for {', '.join(case.reserved) or 'no use'}"
    return Figure(case.name, (kept, left_out) == (case.kept, case.reserved), measured, expected)


async def _judge_counts(directory: Path) -> Figure:
    """Pages by signal; a page with two reserving signals counts for both."""
    ended: Ended = await hondius("export", directory, "--for", TRAIN, "-o", directory.parent / "train.jsonl")
    reserved = [case for case in CASES if TRAIN in case.reserved]
    line = next((line for line in ended.error.splitlines() if "left out" in line), ended.error[-200:])
    expected = f"left out {len(reserved)} pages that are reserved for {TRAIN}"
    return Figure(
        "pages left out for ai-train, by signal", expected in line and "meta noai (2)" in line, line, expected
    )


async def _judge_audit(directory: Path) -> Figure:
    number = next(number for number, case in enumerate(CASES) if case.name == "noai in meta")
    ended = await hondius("audit", directory, "--site", f"h{number}.test")
    line = next((line.strip() for line in ended.out.splitlines() if "for ai-train" in line), ended.error[-200:])
    return Figure("the owner sees it in audit --site", "reserved on 1 of 1" in line, line, "reserved on 1 of 1")
