"""What owners allow, from their sites to exports (W1-W3)."""

import asyncio
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

import hondius as hondius_package
from tests.journeys.scripted_site import Answer, Request, Script, crawl, export_rows, hondius, scripted_site

HTML = ("Content-Type", "text/html")


def answer(*headers: tuple[str, str], head: str = "") -> Answer:
    return Answer(f"<title>t</title>{head}<p>words beside {headers}", headers=(HTML, *headers))


PAGES: dict[str, Answer] = {
    "/plain": answer(),
    "/usage": answer(("Content-Usage", "train-ai=n, search=y")),
    "/signal": answer(("Content-Signal", "ai-input=no")),
    "/tdm": answer(("tdm-reservation", "1"), ("tdm-policy", "https://a.test/policy.json")),
    "/tag": answer(("X-Robots-Tag", "otherbot: noimageai, hondius: noai")),
    "/meta": answer(head="<meta name=robots content=noai><meta name=Hondius content=noimageai>"),
    "/meta-tdm": answer(head="<meta name=tdm-reservation content=1><meta name=tdm-policy content=/p.json>"),
    "/link": answer(head="<link rel=license href=/cc><a rel=license href=https://c.test/by>by</a>"),
    "/header-link": answer(("Link", "</rsl.xml>; rel=license; type=application/rsl+xml")),
    "/conflict": answer(("tdm-reservation", "0"), head="<meta name=tdm-reservation content=1>"),
    "/other": answer(("X-Robots-Tag", "otherbot: noai")),
}
SIGNALS: dict[str, list[str]] = {
    "/plain": [],
    "/usage": ["header content-usage train-ai=n", "header content-usage search=y"],
    "/signal": ["header content-signal ai-input=no"],
    "/tdm": ["header tdm-reservation 1", "header tdm-policy https://a.test/policy.json"],
    "/tag": ["header noai"],
    "/meta": ["meta noai", "meta noimageai"],
    "/meta-tdm": ["meta tdm-reservation 1", "meta tdm-policy /p.json"],
    "/link": ["link license http://a.test/cc", "link license https://c.test/by"],
    "/header-link": ["header rsl http://a.test/rsl.xml"],
    "/conflict": ["header tdm-reservation 0", "meta tdm-reservation 1"],
    "/other": [],
}
RESERVED: dict[str, set[str]] = {
    "search": set(),
    "ai-input": {"/signal", "/tdm", "/tag", "/meta", "/meta-tdm", "/header-link", "/conflict"},
    "ai-train": {"/usage", "/tdm", "/tag", "/meta", "/meta-tdm", "/header-link", "/conflict"},
}
START = Answer.page(*PAGES)
URLS = {f"http://a.test{path}": path for path in PAGES}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of pages of which each has one kind of signal, or several in conflict; no robots.txt."""

    async def run() -> Path:
        directory = tmp_path_factory.mktemp("usage") / "c"
        async with scripted_site({"/": START, **PAGES}) as site:
            ended = await crawl(site, directory, "http://a.test/")
        assert ended.status == 0, ended.error
        return directory

    return asyncio.run(run())


async def test_w1_w2_each_signal_of_a_page_is_kept_and_exported(crawled: Path) -> None:
    rows = await export_rows(crawled)
    assert {path: rows[url]["usage"] for url, path in URLS.items()} == {
        path: "\n".join(signals) or None for path, signals in SIGNALS.items()
    }


@pytest.mark.parametrize("use", RESERVED)
async def test_w3_what_is_reserved_for_a_use_is_left_out_and_counted(crawled: Path, use: str) -> None:
    ended = await hondius("export", crawled, "--format", "jsonl", "--for", use)
    assert ended.status == 0, ended.error
    exported = {json.loads(line)["url"] for line in ended.out.splitlines()}
    assert {path for url, path in URLS.items() if url not in exported} == RESERVED[use]
    if RESERVED[use]:
        assert f"left out {len(RESERVED[use])} pages that are reserved for {use}" in ended.error
        assert "meta noai" in ended.error
        assert "header tdm-reservation" in ended.error
    else:
        assert "left out" not in ended.error


async def test_w3_an_unknown_use_is_refused_in_one_line(crawled: Path) -> None:
    ended = await hondius("export", crawled, "--for", "fun")
    assert (ended.status, ended.error.count("\n")) == (2, 1)
    assert "search, ai-input, ai-train" in ended.error


def test_w3_python_reads_the_signals_and_leaves_out_what_is_reserved(crawled: Path) -> None:
    with hondius_package.open(crawled) as opened:
        assert opened["http://a.test/tdm"].usage == SIGNALS["/tdm"]
        pages = opened.pages(purpose="ai-train")
        assert {URLS.get(page.url, "/") for page in pages} == {"/", *PAGES} - RESERVED["ai-train"]
        left_out = pages.count_left_out()
        consumed = {URLS.get(page.url, "/") for page in opened.pages(consumer="trainer", purpose="ai-train")}
    assert left_out.pages == len(RESERVED["ai-train"])
    assert left_out.by_signal["meta tdm-reservation"] == 2
    assert consumed == {"/", *PAGES} - RESERVED["ai-train"]


async def test_w3_explain_shows_the_signals_and_what_they_mean(crawled: Path) -> None:
    shown = (await hondius("explain", crawled, "http://a.test/conflict")).out
    assert "header tdm-reservation 0" in shown
    assert "reserved by meta tdm-reservation 1" in shown
    facts = json.loads((await hondius("explain", crawled, "http://a.test/usage", "--json")).out)
    assert facts["ending"]["usage"]["uses"] == {"search": "allowed", "ai-input": "unstated", "ai-train": "reserved"}
    assert "reserved" not in (await hondius("explain", crawled, "http://a.test/plain")).out


async def test_w3_the_owner_of_a_site_sees_what_was_understood(crawled: Path, tmp_path: Path) -> None:
    ended = await hondius("audit", crawled, "--site", "a.test", "--html", tmp_path / "page.html")
    assert ended.status == 0, ended.error
    total, pages = len(PAGES) + 1, (tmp_path / "page.html").read_text()
    assert f"reserved on {len(RESERVED['ai-train'])} of {total} fetched pages" in ended.out
    assert "header tdm-reservation 1" in pages


async def test_w2_a_metadata_record_of_the_archive_has_the_signals(crawled: Path) -> None:
    found: dict[str, tuple[str, str]] = {}
    responses: dict[str, str] = {}
    for file in (crawled / "warc").glob("*.warc.gz"):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                uri = record.rec_headers.get_header("WARC-Target-URI")
                if record.rec_type == "response":
                    responses[uri] = record.rec_headers.get_header("WARC-Record-ID")
                if record.rec_type == "metadata":
                    concurrent = record.rec_headers.get_header("WARC-Concurrent-To")
                    found[uri] = (concurrent, record.content_stream().read().decode())
    for url, path in URLS.items():
        concurrent, fields = found[url]
        assert concurrent == responses[url]
        assert [line for line in fields.splitlines() if "usage: " in line] == [
            f"usage: {line}" for line in SIGNALS[path]
        ]


async def test_w3_a_copy_brings_no_reserved_original_into_an_archive(tmp_path: Path) -> None:
    """A revisit record refers to the record of its original, which is copied with it unless it is reserved."""
    body = "<title>t</title><a href=/copy>the same words</a>"
    script: Script = {"/": Answer(body, headers=(HTML, ("tdm-reservation", "1"))), "/copy": Answer(body)}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    found: dict[str, set[str]] = {}
    for use in ("search", "ai-train"):
        file = tmp_path / f"{use}.warc.gz"
        ended = await hondius("export", tmp_path / "c", "--for", use, "--state", "duplicate", "-o", file)
        assert ended.status == 0, ended.error
        with file.open("rb") as stream:
            found[use] = {record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(stream)}
    assert found["search"] >= {"http://a.test/", "http://a.test/copy"}
    assert "http://a.test/copy" in found["ai-train"]
    assert "http://a.test/" not in found["ai-train"]


@pytest.mark.parametrize("suffix", ["warc.gz", "wacz"])
async def test_d4_a_copy_brings_no_noindex_original_into_an_archive(tmp_path: Path, suffix: str) -> None:
    """Its record has its URL and its headers. With `--noindex` it is copied."""
    body = "<title>t</title><a href=/copy>the same words</a>"
    script: Script = {"/": Answer(body, headers=(HTML, ("X-Robots-Tag", "noindex"))), "/copy": Answer(body)}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    found: dict[tuple[str, ...], set[str | None]] = {}
    for options in ((), ("--noindex",)):
        file = tmp_path / f"{len(options)}.{suffix}"
        ended = await hondius("export", tmp_path / "c", "--state", "duplicate", *options, "-o", file)
        assert ended.status == 0, ended.error
        found[options] = read_targets(file)
    assert found["--noindex",] >= {"http://a.test/", "http://a.test/copy"}
    assert "http://a.test/copy" in found[()]
    assert "http://a.test/" not in found[()]


def read_targets(file: Path) -> set[str | None]:
    """The URLs of the records of a WARC or WACZ file."""
    data = file.read_bytes()
    if file.suffix == ".wacz":
        with zipfile.ZipFile(file) as package:
            names = [name for name in package.namelist() if name.startswith("archive/")]
            data = b"".join(package.read(name) for name in names)
    return {record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(io.BytesIO(data))}


@pytest.mark.parametrize("form", ["csv", "markdown"])
async def test_w2_every_format_shows_the_signals_and_leaves_out_what_is_reserved(
    crawled: Path, tmp_path: Path, form: str
) -> None:
    output = tmp_path / "export"
    ended = await hondius("export", crawled, "--format", form, "--for", "ai-train", "-o", output)
    assert ended.status == 0, ended.error
    files = [output] if output.is_file() else [path for path in output.rglob("*") if path.is_file()]
    text = "".join(file.read_text() for file in files)
    assert "header content-signal ai-input=no" in text
    assert "tdm-reservation 1" not in text


async def test_w2_a_rebuilt_catalog_has_the_signals(crawled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(crawled, copy)
    (copy / "crawl.db").unlink()
    rebuilt = await hondius("rebuild", copy)
    assert rebuilt.status == 0, rebuilt.error
    assert await export_rows(copy) == await export_rows(crawled)


ROBOTS = """User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: /open/ train-ai=y
License: https://a.test/license.xml
Disallow: /closed/
"""


async def test_w1_signals_of_robots_txt_belong_to_the_pages_of_their_path_and_never_widen_it(tmp_path: Path) -> None:
    script: Script = {
        "/robots.txt": Answer.robots(ROBOTS),
        "/": Answer.page("/open/x", "/closed/x"),
        "/open/x": answer(("Content-Usage", "train-ai=y")),
        "/closed/x": answer(),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert sorted(site.paths()) == ["/", "/open/x"]
    rows = await export_rows(tmp_path / "c")
    everywhere = ["robots content-signal search=yes", "robots content-signal ai-train=no"]
    license_ = ["robots rsl https://a.test/license.xml"]
    assert rows["http://a.test/"]["usage"].split("\n") == [*everywhere, *license_]
    assert rows["http://a.test/open/x"]["usage"].split("\n") == [
        *everywhere,
        "robots content-usage train-ai=y",
        *license_,
        "header content-usage train-ai=y",
    ]
    assert (rows["http://a.test/closed/x"]["state"], rows["http://a.test/closed/x"]["usage"]) == ("blocked", None)
    assert list(await export_rows(tmp_path / "c", "--for", "ai-train")) == ["http://a.test/closed/x"]
    explained = (await hondius("explain", tmp_path / "c", "http://a.test/open/x")).out
    assert "Content-Usage: /open/ train-ai=y" in explained
    audited = json.loads((await hondius("audit", tmp_path / "c", "--site", "a.test", "--json")).out)
    assert "License: https://a.test/license.xml" in json.dumps(audited)


async def test_w2_an_unchanged_page_keeps_its_signals_and_gets_those_of_the_304(tmp_path: Path) -> None:
    def page(request: Request) -> Answer:
        if request.headers.get("if-none-match"):
            return Answer(status=304, headers=(("Content-Usage", "search=n"),))
        return answer(("ETag", '"v1"'), ("tdm-reservation", "1"))

    script: Script = {"/robots.txt": Answer.robots("User-agent: *\nContent-Signal: ai-train=no\n"), "/": page}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        first = (await export_rows(tmp_path / "c"))["http://a.test/"]
        await hondius("recrawl", tmp_path / "c", "http://a.test/")
        ended = await hondius("resume", tmp_path / "c", "--json")
        assert ended.status == 0, ended.error
    again = (await export_rows(tmp_path / "c"))["http://a.test/"]
    kept = ["robots content-signal ai-train=no", "header tdm-reservation 1"]
    assert first["usage"].split("\n") == kept
    assert again["status"] == 304
    assert again["usage"].split("\n") == [*kept, "header content-usage search=n"]


@pytest.mark.parametrize("where", ["robots", "header"])
async def test_w2_w3_every_answer_with_a_body_has_its_signals_whatever_its_status(tmp_path: Path, where: str) -> None:
    """The body of an error or a redirect is in the archive, and is reserved like that of a page."""
    signal = (("Content-Signal", "ai-train=no"),) if where == "header" else ()
    paths = {"/404": 404, "/410": 410, "/403": 403, "/redirect": 302, "/loop": 302, "/image": 200, "/500": 500}
    script: Script = {"/": Answer.page(*paths)}
    if where == "robots":
        script["/robots.txt"] = Answer.robots("User-agent: *\nContent-Signal: ai-train=no\n")
    for path, status in paths.items():
        target = {"/redirect": "/", "/loop": path}.get(path)
        location = (("Location", target),) if target else ()
        kind = ("Content-Type", "image/png") if path == "/image" else HTML
        script[path] = Answer(f"words of {path}", status, headers=(kind, *location, *signal))
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "politeness.retries=0")
    rows = await export_rows(tmp_path / "c")
    usage = {path: rows[f"http://a.test{path}"]["usage"] for path in paths}
    assert usage == dict.fromkeys(paths, f"{where} content-signal ai-train=no")
    file = tmp_path / "train.warc.gz"
    ended = await hondius("export", tmp_path / "c", "--for", "ai-train", "-o", file)
    assert ended.status == 0, ended.error
    with file.open("rb") as stream:
        exported = {record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(stream)}
    assert not exported & {f"http://a.test{path}" for path in paths}


HEADERS: dict[str, tuple[str, str]] = {
    "header content-usage train-ai=n": ("Content-Usage", "train-ai=n"),
    "header tdm-reservation 1": ("tdm-reservation", "1"),
    "header tdm-policy https://a.test/p.json": ("tdm-policy", "https://a.test/p.json"),
    "header noai": ("X-Robots-Tag", "noai"),
    "header noimageai": ("X-Robots-Tag", "hondius: noimageai"),
}


async def test_w1_w2_errors_and_redirects_have_every_signal_of_their_headers(tmp_path: Path) -> None:
    """Also in the metadata records of the archive."""
    answers = {"/gone": (410, ()), "/moved": (301, (("Location", "/"),)), "/busy": (503, ())}
    script: Script = {"/": Answer.page(*answers)}
    for path, (status, more) in answers.items():
        script[path] = Answer("words", status, headers=(HTML, *more, *HEADERS.values()))
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "politeness.retries=0")
    rows = await export_rows(tmp_path / "c")
    records: dict[str, list[list[str]]] = {}
    for file in (tmp_path / "c" / "warc").glob("*.warc.gz"):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "metadata":
                    fields = record.content_stream().read().decode().splitlines()
                    signals = [field.removeprefix("usage: ") for field in fields if field.startswith("usage: ")]
                    records.setdefault(record.rec_headers.get_header("WARC-Target-URI"), []).append(signals)
    for path in answers:
        url = f"http://a.test{path}"
        assert set(rows[url]["usage"].split("\n")) == set(HEADERS), path
        assert [set(signals) for signals in records[url]] == [set(HEADERS)]
    assert rows["http://a.test/"]["usage"] is None


@pytest.mark.parametrize("header", [("Content-Signal", "search=no"), ("X-Robots-Tag", "noindex"), ("X-Other", "x")])
async def test_w3_d4_a_page_is_left_out_as_a_copy_only_if_its_original_is_exported(
    tmp_path: Path, header: tuple[str, str]
) -> None:
    """A copier that is fetched first must not erase the page that it copied."""
    body = "<title>t</title><p>The words that both pages have."
    script: Script = {
        "copier.test/": Answer(body, headers=(HTML, header)),
        "victim.test/": Answer(body, headers=(HTML,)),
    }
    directory = tmp_path / "c"
    async with scripted_site(script) as site:
        await crawl(site, directory, "http://copier.test/")
        ended = await hondius("resume", directory, "http://victim.test/")
        assert ended.status == 0, ended.error
    assert (await export_rows(directory))["http://victim.test/"]["copy_of"] == "http://copier.test/"
    expected = {"http://copier.test/" if header[0] == "X-Other" else "http://victim.test/"}
    ended = await hondius("export", directory, "--for", "search", "--format", "markdown", "-o", tmp_path / "m")
    assert ended.status == 0, ended.error
    assert {path.parent.name for path in (tmp_path / "m").rglob("*.md")} == {url.split("/")[2] for url in expected}
    with hondius_package.open(directory) as opened:
        assert {page.url for page in opened.pages(copies=False, purpose="search")} == expected
        consumed = opened.pages(consumer="c", copies=False, purpose="search")
        assert {page.url for page in consumed} == expected
