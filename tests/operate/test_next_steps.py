"""What a new user reads: advice that works, and a reason for every end (O1, O1c, O5, F9)."""

import re
import socket
from pathlib import Path

from hondius.operate.cli.queue import format_queue
from hondius.session.queue import Queue
from tests.journeys.scripted_site import Answer, Ended, Script, ScriptedSite, hondius, scripted_site

LINKS = [f"/{number}" for number in range(5)]
SITE: Script = {"/": Answer.page(*LINKS), **{link: Answer.page() for link in LINKS}}


async def crawl(site: ScriptedSite, into: Path, *arguments: str) -> Ended:
    options = ("--delay", "0", "--set", "scope.sitemaps=false", "--resolve", f"a.test=127.0.0.1:{site.port}")
    return await hondius("crawl", "http://a.test/", "--into", into, *options, *arguments)


async def test_o1_a_limit_below_what_is_done_is_told_and_the_advice_goes_on(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", "--max-pages", "4")
        ended = await hondius("resume", tmp_path / "c", "--max-pages", "1")
        assert "stopped: --max-pages was reached: it is 1, and this crawl has 4 pages" in ended.out
        assert ended.out.endswith(f"hondius resume {tmp_path / 'c'} --max-pages 8\n")
        exact = await hondius("resume", tmp_path / "c", "--max-pages", "4")
        assert "stopped: --max-pages was reached\n" in exact.out


async def test_o1_after_max_depth_the_advice_is_a_resume_that_goes_deeper(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1"), "/1": Answer.page("/2"), "/2": Answer.page()}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "--max-depth", "1")
        advised = re.search(r"^  hondius (resume .* --max-depth 2)$", ended.out, re.M)
        assert advised is not None
        deeper = await hondius(*advised[1].split())
        assert "/2" in site.paths()
        assert "hondius verify" in deeper.out


async def test_f9_a_seed_that_failed_is_told_also_where_the_time_was_over(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        refuses = ("--resolve", f"b.test=127.0.0.1:{closed.getsockname()[1]}")
        async with scripted_site({"/robots.txt": Answer(delay=10)}) as site:
            ended = await crawl(site, tmp_path / "c", "http://b.test/", *refuses, "--max-time", "2s")
    assert ended.status == 1
    assert "stopped: nothing could be fetched before --max-time was reached\n" in ended.out
    assert "http://b.test: no server listens there" in ended.out


async def test_f9_a_run_that_had_no_time_for_an_answer_says_so(tmp_path: Path) -> None:
    async with scripted_site({"/robots.txt": Answer(delay=10)}) as site:
        ended = await crawl(site, tmp_path / "c", "--max-time", "1s")
    assert ended.status == 0
    assert "stopped: --max-time was reached before any page was fetched: allow more time\n" in ended.out


async def test_o5_explain_tells_include_from_exclude(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(SITE) as site:
        await crawl(site, into, "--include", "/[12]", "--exclude", "/2")
    for path, reason in (("/3", "no --include pattern matches it"), ("/2", "an --exclude pattern matches it")):
        explained = (await hondius("explain", into, f"http://a.test{path}")).out
        assert f"a link to it would be refused: excluded ({reason})" in explained
        assert re.search(rf"^  host +excluded \({reason}\)$", explained, re.M)
        assert "out of the scope, or that --include or --exclude refuses" in explained


async def test_o5_explain_names_its_budgets_for_what_they_are(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", "--set", "scope.max_hosts_per_domain=30")
    explained = (await hondius("explain", tmp_path / "c", "http://a.test/")).out
    assert "host names found: 1 (up to 600 are kept, up to 30 are contacted)" in explained
    assert "fetches in a row without new content: 0 (from 50 on the shape is refused)" in explained


async def test_o1_orders_say_what_is_left_of_them(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(SITE) as site:
        await crawl(site, into)
    assert "the order applies if it does later" in (await hondius("pause", into, "nohost.test")).out
    lifted = (await hondius("unpause", into, "nohost.test")).out
    assert "kept" not in lifted
    assert "this crawl has not contacted nohost.test so far; there is no order for it any more" in lifted
    for listing, empty in (("blacklist", f"the blacklist of {into} is empty"), ("pause", "no host is paused")):
        shown = await hondius(listing, into)
        assert (shown.status, shown.out) == (0, "")
        assert empty in shown.error


async def test_o5_explain_tells_what_was_cut_off_and_names_no_size_that_it_does_not_know(tmp_path: Path) -> None:
    into = tmp_path / "c"
    nofollow = Answer.page("/hidden", head="<meta name=robots content=nofollow>")
    script: Script = {"/": Answer.page("/500", "/big", "/x"), "/500": Answer("x" * 300, 500), "/x": nofollow}
    async with scripted_site({**script, "/big": Answer("y" * 3000)}) as site:
        ended = await crawl(site, into, "--set", "fetch.page_cap=1024")
    assert "1 page was longer than fetch.page_cap in this run" in ended.out
    assert "0 B" not in (await hondius("explain", into, "http://a.test/500")).out
    assert "1.0 KB, cut off at fetch.page_cap" in (await hondius("explain", into, "http://a.test/big")).out
    assert (
        "links that say nofollow, or are on a page that does"
        in (await hondius("explain", into, "http://a.test/hidden")).out
    )


async def test_o1c_a_misspelled_command_is_one_sentence_after_the_other() -> None:
    ended = await hondius("crawll")
    assert ended.status == 2
    assert "'recrawl'? See `hondius --help`\n" in ended.error


async def test_f2_words_for_priorities_are_read_below_a_heading_too(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("url\nhttp://a.test/1\thigh\nhttp://a.test/2\tsoon\n")
    async with scripted_site({"/robots.txt": Answer(status=503)}) as site:
        ended = await hondius(
            *("crawl", "--seeds", seeds, "--into", tmp_path / "c", "--delay", "0"),
            *("--resolve", f"a.test=127.0.0.1:{site.port}"),
        )
    assert "line 3: 'http://a.test/2\\tsoon' (its priority 'soon' must be" in ended.error
    explained = (await hondius("explain", tmp_path / "c", "http://a.test/1")).out
    assert re.search(r"priority +0\.850", explained)


def test_o1_status_says_what_hosts_that_sleep_are() -> None:
    queue = Queue(at=1.0, urls=5, hosts=3, ready=1, resting=0, asleep=2, next_at=None, parked=0, spent={})
    (line,) = format_queue(queue, now=2.0)
    assert line.endswith("5 URLs waited on 3 origins (1 ready, 2 not scheduled yet)")


def test_o1_status_of_a_stopped_crawl_does_not_say_that_a_request_is_due() -> None:
    queue = Queue(at=1.0, urls=5, hosts=3, ready=3, resting=0, asleep=0, next_at=1.5, parked=0, spent={})
    (stopped,) = format_queue(queue, now=2.0, is_running=False)
    (running,) = format_queue(queue, now=2.0)
    assert stopped.endswith("; the next request is sent when the crawl is resumed")
    assert running.endswith("; the next request is due")
