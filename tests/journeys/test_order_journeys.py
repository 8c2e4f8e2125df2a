"""One host paused, slowed and let go again while the crawl runs; and a host that is left alone because it fails."""

import json
import re
import time
from itertools import pairwise
from pathlib import Path

from tests.journeys.scripted_site import Answer, Script, crawl, hondius, scripted_site, start_command, until

CHAIN: Script = {f"/{n or ''}": Answer.page(f"/{n + 1}") for n in range(400)}


async def test_p1_a_paused_host_is_left_alone_and_goes_on_when_it_is_let_go(tmp_path: Path) -> None:
    async with scripted_site(CHAIN) as site:
        process = await start_command(
            "crawl", "http://a.test/", "http://b.test/", "--into", tmp_path / "c", "--delay", "0.1",
            "--resolve", f"*.test=127.0.0.1:{site.port}", "--max-pages", "100", "--json",
        )  # fmt: skip
        await until(lambda: len(site.paths("a.test")) >= 3)
        told = await hondius("pause", tmp_path / "c", "a.test", "--reason", "they called")
        assert "sent to the running crawl" in told.out, told.error
        before = len(site.paths("b.test"))
        await until(lambda: len(site.paths("b.test")) >= before + 12)
        paused_at = len(site.paths("a.test"))
        await until(lambda: len(site.paths("b.test")) >= before + 20)
        assert len(site.paths("a.test")) == paused_at
        await hondius("unpause", tmp_path / "c", "a.test")
        await until(lambda: len(site.paths("a.test")) >= paused_at + 3)
        process.terminate()
        await process.communicate()


async def test_p1_a_host_is_slowed_down_also_where_the_crawl_has_no_delay(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1"), "/1": Answer.page("/2"), "/2": Answer.page()}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        done = await hondius("pause", tmp_path / "c", "a.test", "--delay", "0.7")
        assert done.status == 0, done.error
        shown = await hondius("pause", tmp_path / "c")
        assert "0.7 s between two requests" in shown.out
        ended = await hondius("resume", tmp_path / "c", "--max-pages", "10", "--json")
    assert ended.figures["stop_reason"] == "done"
    last = [request.at for request in site.requests if request.path in ("/1", "/2")]
    assert min(later - earlier for earlier, later in pairwise(last)) >= 0.7


async def test_p1_a_pause_of_a_crawl_that_rests_holds_when_it_goes_on(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/1"), "/1": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        await hondius("pause", tmp_path / "c", "a.test", "--for", "2h")
        ended = await hondius("resume", tmp_path / "c", "--max-pages", "10", "--json")
        assert ended.figures["stop_reason"] == "waiting"
        assert ended.figures["paused"] == ["a.test"]
        assert "/1" not in site.paths()
        await hondius("unpause", tmp_path / "c", "a.test")
        ended = await hondius("resume", tmp_path / "c", "--json")
    assert ended.figures["stop_reason"] == "done"
    assert "/1" in site.paths()


async def test_p4_five_failures_open_the_circuit_and_the_rest_waits(tmp_path: Path) -> None:
    links = [f"/{n}" for n in range(20)]
    script: Script = {"/": Answer.page(*links), **{link: Answer(status=500) for link in links}}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert ended.figures["stop_reason"] == "waiting"
    assert len(site.paths()) == 6
    told = (await hondius("status", tmp_path / "c")).out
    assert re.search(
        r"a\.test is left alone for .+, until 20.+Z: its circuit is open after 5 failures in a row", told
    ), told
    [circuit] = (await hondius("status", tmp_path / "c", "--json")).figures["open_circuits"]
    assert (circuit["host"], circuit["failures"]) == ("a.test", 5)
    assert circuit["until"] > time.time() + 20


async def test_o1_the_display_names_hosts_whose_circuit_is_open(tmp_path: Path) -> None:
    links = [f"/{n}" for n in range(20)]
    script: Script = {
        "bad.test/": Answer.page(*links),
        **{f"bad.test{link}": Answer(status=500) for link in links},
        "slow.test/": Answer(Answer.page().body, delay=8.0),
    }
    async with scripted_site(script) as site:
        ended = await hondius(
            *("crawl", "http://bad.test/", "http://slow.test/", "--into", tmp_path / "c", "--delay", "0"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}", "--max-time", "12"),
        )
    assert re.search(r"left alone bad\.test for .+ \(its circuit is open: 5 failures in a row\)", ended.error), (
        ended.error
    )


async def test_o1b_urls_beyond_the_depth_are_counted_as_parked(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page("/3"), "/2": Answer.page("/4", "/5")}
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--max-depth", "1")
    assert ended.figures["parked"] == 3
    assert (await hondius("status", tmp_path / "c", "--json")).figures["parked"] == 3


async def test_o1c_orders_that_would_do_nothing_are_refused(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/1"), "/1": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    await hondius("blacklist", tmp_path / "c", "a.test")
    for arguments, advice in (
        (("pause", tmp_path / "c", "*.test"), "more than one host"),
        (("recrawl", tmp_path / "c", "http://a.test/"), "on the blacklist"),
        (("recrawl", tmp_path / "c", "http://b.test/"), "has not been fetched yet"),
        (("recrawl", tmp_path / "c", "--refused", "nosuch"), "no URL was refused for nosuch"),
    ):
        ended = await hondius(*arguments)
        assert ended.status == 2, arguments
        assert advice in ended.error


async def test_o1_a_crawl_that_ends_because_its_hosts_are_paused_says_so(tmp_path: Path) -> None:
    directory = tmp_path / "a crawl"
    async with scripted_site({"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}) as site:
        await crawl(site, directory, "http://a.test/", "--max-pages", "1")
        await hondius("pause", directory, "a.test", "--reason", "they called")
        ended = await hondius("resume", directory, "--max-pages", "10")
    assert "3 URLs on 1 origin wait, and the next request is due when a host is unpaused" in ended.out
    paused = (
        f"a.test: not contacted until it is unpaused (they called); `hondius unpause '{directory}' a.test` ends this"
    )
    assert paused in ended.out
    status = await hondius("status", directory)
    assert "3 URLs waited on 1 origin (1 resting); the next request is due when a host is unpaused" in status.out
    assert paused in status.out


async def test_o1_what_waits_is_told_of_a_crawl_that_runs_and_of_one_that_was_killed(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page(*(f"/{n}" for n in range(30)))}, Answer.page()) as site:
        process = await start_command(
            "crawl", "http://a.test/", "--into", tmp_path / "c", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json",
        )  # fmt: skip
        await until(lambda: len(site.paths()) >= 3)
        status = await hondius("status", tmp_path / "c")
        assert "running (process" in status.out
        assert "URLs waited on 1 origin" in status.out
        process.kill()
        await process.communicate()
        killed = json.loads((await hondius("status", tmp_path / "c", "--json")).out)
    assert killed["running"] is None
    assert 20 <= killed["queue"]["urls"] <= 30


async def test_q2_a_file_that_no_command_can_have_written_ends_neither_the_crawl_nor_its_log(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}
    strange = (
        ["wanted", ["http://a.test/1"], 2**40],
        ["wanted", ["http://[", ""], 0],
        ["new_seeds", [["http://a.test/9", -5.0], ["http://a.test/8", 1e308]]],
        ["host_order", "b.test", 0, 1e308, None, ""],
        ["blacklisted", ".", "all", -1e300],
    )
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        (tmp_path / "c" / "control").mkdir(exist_ok=True)
        for number, order in enumerate(strange):
            (tmp_path / "c" / "control" / f"{number:020}.json").write_text(json.dumps(order))
        ended = await hondius("resume", tmp_path / "c", "--max-pages", "100", "--json")
    assert (ended.status, ended.figures["stop_reason"]) == (0, "done"), ended.error
    assert sorted(site.paths()) == ["/", "/1", "/2"]
    assert list((tmp_path / "c" / "control").glob("*.json")) == []
    warnings = (tmp_path / "c" / "crawl.log").read_text()
    assert len(re.findall("is not an order of Hondius", warnings)) == 4
    for command in ("verify", "audit", "rebuild", "status"):
        done = await hondius(command, tmp_path / "c")
        assert done.status == 0, done.error
