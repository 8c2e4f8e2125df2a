"""Messages of the commands: working advice, correct counts, clear sentences (O1, O1c, O5)."""

import asyncio
import gzip
import json
import re
import signal
import socket
import sys
from pathlib import Path

import pytest
from scripts.crawl_testweb import without_resume

from tests.journeys.scripted_site import Answer, Script, crawl, hondius, scripted_site, start_command, until

LINKS = [f"/{number}" for number in range(8)]
SITE: Script = {"/": Answer.page(*LINKS), **{link: Answer.page() for link in LINKS}}


@pytest.mark.defect("the advice after --max-pages is a resume that stops at once")
@pytest.mark.parametrize(
    ("limit", "raised"),
    [
        (("--max-pages", "2"), "--max-pages 4"),
        (("--max-bytes", "10"), r"--max-bytes \d\d\d"),
        (("--max-pages-per-host", "3"), "--max-pages-per-host 6"),
    ],
)
async def test_o1_the_advice_after_a_limit_names_it_raised(tmp_path: Path, limit: tuple[str, str], raised: str) -> None:
    async with scripted_site(SITE) as site:
        options = ("--delay", "0", "--set", "scope.sitemaps=false", "--resolve", f"*.test=127.0.0.1:{site.port}")
        ended = await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", *options, *limit)
        advised = re.search(r"^  hondius (resume .*)$", ended.out, re.M)
        assert advised is not None
        assert re.search(f"{raised}$", advised[1])
        asked = len(site.requests)
        await hondius(*advised[1].split())
        assert len(site.requests) > asked


def test_o1_a_web_that_is_gone_is_not_resumed() -> None:
    summary = "stopped: --max-pages was reached\n\nTry next:\n  x/bin/hondius status c\n  x/bin/hondius resume c\n"
    assert without_resume(summary).endswith("Try next:\n  x/bin/hondius status c\n")


@pytest.mark.defect("a run that waits for a robots.txt that failed says that a host waits for its turn")
async def test_o1_a_run_that_waits_for_a_robots_txt_says_when_it_is_tried_next(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        options = ("--delay", "0", "--resolve", f"a.test=127.0.0.1:{closed.getsockname()[1]}")
        assert (await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", *options)).status == 1
        line = b""
        while not line:  # in the first second, a minute is left, and the run ends at once
            process = await start_command("resume", tmp_path / "c")
            assert process.stderr is not None
            line = await asyncio.wait_for(process.stderr.readline(), 30)
        process.send_signal(signal.SIGINT)
        await process.wait()
    assert re.search(rb"http://a.test: its robots.txt cannot be fetched: .*; next try in \d+\.\d s", line), line
    assert b"forecast" not in line


@pytest.mark.defect("explain tells odd things of paused hosts, limits, links that are kept out, and the time before")
async def test_o5_explain_says_what_is_so(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/old", "/x/1", "/x/2"), "/old": Answer.redirect("/new"), "/new": Answer.page()}
    into = tmp_path / "c"
    async with scripted_site(script, otherwise=Answer.page()) as site:
        await crawl(site, into, "http://a.test/", "--exclude", "/x/", "--max-pages-per-host", "1")
    await hondius("pause", into, "a.test")
    waiting = (await hondius("explain", into, "http://a.test/old")).out
    assert "5138" not in waiting
    assert re.search(r"not before +it is unpaused", waiting)
    assert "pages found, up to 1 are fetched" in waiting
    assert re.search(r"by a link +from http://a.test/ ", waiting)
    assert "links that lead out of the scope" in (await hondius("explain", into, "http://a.test/x/1")).out
    before = (await hondius("explain", into, "http://a.test/", "--at", "2001-01-01")).out
    assert "the crawl had not begun by then" in before
    assert "refused" not in before
    status = (await hondius("status", into)).out
    assert "waited on 1 origin" in status
    assert "waited on 0 origins" not in status


@pytest.mark.defect("the summary says that everything was crawled though URLs are too deep or on the blacklist")
async def test_f9_the_summary_names_what_was_left_out(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1", "http://b.test/"), "/1": Answer.page("/2", "/3")}
    options = ("--delay", "0", "--scope", "any", "--max-depth", "1", "--set", "scope.sitemaps=false")
    async with scripted_site(script, otherwise=Answer.page()) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        into = tmp_path / "c"
        await hondius("crawl", "http://a.test/", "--into", into, *options, *resolve, "--max-pages", "1")
        await hondius("blacklist", into, "b.test")
        ended = await hondius("resume", into, "--max-pages", "100")
    assert "everything in reach has been crawled but 2 URLs wait beyond --max-depth and 1 URL is on" in ended.out


@pytest.mark.defect("seeds that were taken become fewer in the next run, and status does not miss those that lack")
async def test_f5_how_many_seeds_were_taken_never_falls_and_status_tells_what_lacks(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page()}) as site:
        into = tmp_path / "c"
        arguments = ("crawl", "-", "--into", into, "--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}")
        for given, hosts in ((b"a b c", 3), (b"a", 3)):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "hondius", *map(str, arguments)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(b"".join(b"http://%c.test/\n" % name for name in given.replace(b" ", b"")))
            await until(lambda hosts=hosts: len({request.host for request in site.requests}) == hosts)  # type: ignore[misc]
            said = await asyncio.wait_for(process.stderr.readline(), 30)
            while b"seeds:" not in said:
                said = await asyncio.wait_for(process.stderr.readline(), 30)
            assert b"seeds: 3 taken" in said
            process.kill()
            await process.wait()
            status = await hondius("status", into)
            assert "only the first 3 seeds of standard input had been taken" in status.out


@pytest.mark.defect("a user agent without a product token is taken, and no robots.txt applies to it")
@pytest.mark.parametrize("agent", ["ünï", "(me)", " x", "my.bot/1.0"])
async def test_b1_a_user_agent_without_a_product_token_is_refused(tmp_path: Path, agent: str) -> None:
    ended = await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", "--user-agent", agent)
    assert ended.status == 2
    assert "MyBot/1.0" in ended.error
    assert not (tmp_path / "c").exists()


@pytest.mark.defect("orders without a host list instead, and lifting what does not hold tells a running crawl")
async def test_o1_an_order_without_its_host_is_wrong_use_and_an_empty_one_says_so(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site({"/": Answer.page("/slow"), "/slow": Answer("x", delay=60)}) as site:
        process = await start_command(
            *("crawl", "http://a.test/", "--into", into, "--delay", "0"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}"),
        )
        await until(lambda: "/slow" in site.paths())
        assert (await hondius("pause", into, "--for", "5m")).status == 2
        assert (await hondius("blacklist", into, "--lift")).status == 2
        assert "zzz.test was neither paused nor slowed down" in (await hondius("unpause", into, "zzz.test")).out
        assert "was not on the blacklist" in (await hondius("blacklist", into, "zzz.test", "--lift")).out
        assert "sent to the running crawl" in (await hondius("pause", into, "zzz.test")).out
        await until(lambda: not list((into / "control").iterdir()))
        assert "sent to the running crawl" in (await hondius("unpause", into, "zzz.test")).out
        process.send_signal(signal.SIGINT)
        await process.communicate()


@pytest.mark.defect("errors that name neither the file, the option nor the value")
async def test_o1c_errors_name_what_they_are_about(tmp_path: Path) -> None:
    settings = tmp_path / "hondius.toml"
    settings.write_text("format = 1\n[fetch]\nconcurrency = 0\n")
    assert f"{settings}: setting fetch.concurrency is 0" in (await hondius("status", tmp_path)).error
    settings.write_text("format = 1\n[fetch]\nqqqq = 0\n")
    assert "did you mean" not in (await hondius("status", tmp_path)).error
    proxy = await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", "--proxy", "me:secret@proxy:1")
    assert "--proxy '…@proxy:1'" in proxy.error
    assert "secret" not in proxy.error
    assert "--exclude 'a('" in (await hondius("crawl", "a.test", "--into", tmp_path / "c", "--exclude", "a(")).error
    assert (await hondius("testweb", "--directory", settings / "below")).status == 2
    assert "https://foo/" in (await hondius("url", "foo")).out
    assert (
        "unknown --format xml; choose from jsonl, csv" in (await hondius("export", tmp_path, "--format", "xml")).error
    )


@pytest.mark.defect("-o x.gz writes plain text, and no export says what it wrote")
async def test_s6_an_export_into_a_file_is_gzipped_by_its_name_and_says_what_it_wrote(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-time", "1h30m")
    rows = tmp_path / "rows.jsonl.gz"
    ended = await hondius("export", tmp_path / "c", "-o", rows)
    assert f"wrote 10 rows to {rows}" in ended.error
    assert len([json.loads(line) for line in gzip.decompress(rows.read_bytes()).splitlines()]) == 10


@pytest.mark.defect("what is kept and changed of the settings is told in riddles")
async def test_o1_settings_that_were_not_set_are_said_to_be_so(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        again = await crawl(site, tmp_path / "c", "http://a.test/", "--max-depth", "3", "--include", "/")
    assert "scope.max_depth = 3 (was not set)" in again.error
    assert "scope.include = ['/'] (was not set)" in again.error


@pytest.mark.defect("status counts fewer requests than the server and audit: robots.txt and redirects to the same URL")
async def test_o1_p7_status_audit_and_the_server_count_the_same_requests(tmp_path: Path) -> None:
    script: Script = {
        "/": Answer.page("/x?PHPSESSID=1", "/broken"),
        "/x?PHPSESSID=1": Answer.redirect("/x"),
        "/x": Answer.page(),
        "/broken": Answer(status=500),
        "/robots.txt": Answer.redirect("/elsewhere.txt"),
        "/elsewhere.txt": Answer.robots("User-agent: *\nAllow: /\n"),
    }
    into = tmp_path / "c"
    async with scripted_site(script) as site:
        await crawl(site, into, "http://a.test/", "--set", "politeness.retry_wait=0.1")
    sent = len(site.requests)
    assert f"{sent} requests" in (await hondius("status", into)).out
    assert f"{sent} requests" in (await hondius("audit", into)).out
    explained = (await hondius("explain", into, "http://a.test/x")).out
    assert "redirected, to the same URL by another name" in explained
    assert len(re.findall(r"^  request ", explained, re.M)) == 2
    assert (await hondius("verify", into)).status == 0


@pytest.mark.defect("an interrupt while modules are imported shows a traceback")
async def test_o1c_an_interrupt_before_anything_is_under_way_ends_it_without_a_word() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "import hondius.__main__, os; os.kill(os.getpid(), 2)"),
        stderr=asyncio.subprocess.PIPE,
    )
    _, error = await process.communicate()
    assert (process.returncode, error) == (130, b"")
