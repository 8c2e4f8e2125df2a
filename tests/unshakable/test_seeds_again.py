"""The hint for a failed seed works: the same command or `resume` with the suggested option retries it (O1, F5)."""

import asyncio
import signal
import socket
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Request, Script, crawl, hondius, scripted_site, start_command

SITE: Script = {"/": Answer.page("/1"), "/1": Answer.page()}


@pytest.mark.defect("a refused address: the command with the advised --allow-private sent nothing")
@pytest.mark.parametrize("command", ["crawl", "resume"])
async def test_o1_a_seed_whose_address_was_refused_is_tried_again_when_it_is_allowed(
    tmp_path: Path, command: str
) -> None:
    async with scripted_site(SITE) as site:
        seed, into = f"http://127.0.0.1:{site.port}/", tmp_path / "c"
        refused = await hondius("crawl", seed, "--into", into, "--delay", "0")
        assert refused.status == 1
        assert "--allow-private" in refused.out
        assert not site.requests
        again = ("crawl", seed, "--into", into) if command == "crawl" else ("resume", into)
        allowed = await hondius(*again, "--allow-private", "127.0.0.0/8")
        assert allowed.status == 0, allowed.out
        assert site.paths() == ["/", "/1"]
        assert "2 pages" in allowed.out
        assert (await hondius("verify", into)).status == 0
        requests = len(site.requests)
        await hondius(*again, "--allow-private", "127.0.0.0/8")
        assert len(site.requests) == requests


@pytest.mark.defect("a login: the command with the advised --header sent nothing")
async def test_o1_a_seed_that_asked_for_a_login_is_tried_again_with_a_header(tmp_path: Path) -> None:
    def answer(request: Request) -> Answer:
        return Answer.page() if request.headers.get("authorization") == "Basic YTpi" else Answer(status=401)

    async with scripted_site({"/": answer}) as site:
        assert (await crawl(site, tmp_path / "c", "http://a.test/")).status == 1
        again = await crawl(site, tmp_path / "c", "http://a.test/", "--header", "a.test|Authorization: Basic YTpi")
        assert again.status == 0, again.out
        assert again.figures["pages"] == 1
        assert again.figures["failed_seeds"] == []


@pytest.mark.defect("an unknown host: the command with the advised --resolve sent nothing")
async def test_o1_a_seed_of_an_unknown_host_is_tried_again_with_an_address(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        unknown = await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", "--delay", "0", "--json")
        assert unknown.status == 1
        again = await hondius("resume", tmp_path / "c", "--resolve", f"a.test=127.0.0.1:{site.port}", "--json")
        assert again.status == 0, again.out
        assert site.paths() == ["/", "/1"]


@pytest.mark.defect("a host whose robots.txt failed waited though the settings had changed")
async def test_o1_a_robots_txt_that_could_not_be_had_is_asked_for_at_once_with_other_settings(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        resolve = ("--resolve", f"a.test=127.0.0.1:{port}")
        failed = await hondius("crawl", "http://a.test/", "--into", tmp_path / "c", "--delay", "0", *resolve)
        assert failed.status == 1
    async with scripted_site(SITE) as site:
        moved = ("--resolve", f"a.test=127.0.0.1:{site.port}")
        again = await hondius("resume", tmp_path / "c", *moved, patience=30)
        assert again.status == 0, again.out
        assert site.paths() == ["/", "/1"]
        assert (await hondius("audit", tmp_path / "c")).status == 0


@pytest.mark.defect("a type that was refused stayed refused with the advised setting")
async def test_o1_a_seed_of_a_type_that_was_refused_is_tried_again_when_it_is_wanted(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer("{}", headers=(("Content-Type", "application/json"),))}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        wanted = ("--set", 'scope.content_types=["application/json"]')
        again = await crawl(site, tmp_path / "c", "http://a.test/", *wanted)
        assert again.status == 0, again.out
        assert again.figures["pages"] == 1


@pytest.mark.defect("after a start without room and `resume`, the same command did not know its seed")
async def test_f5_the_same_command_takes_its_seeds_after_a_start_that_died_and_a_resume(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}", "--delay", "0", "--json")
        command: tuple[str | Path, ...] = ("crawl", "http://a.test/", "--into", tmp_path / "c", *resolve)
        process = await start_command(*command, "--set", "stores.free_bytes=999999999999999")
        assert process.stderr is not None
        while b"paused" not in await asyncio.wait_for(process.stderr.readline(), 30):
            pass
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.wait(), 30)
        resumed = await hondius("resume", tmp_path / "c", "--set", "stores.free_bytes=0")
        assert resumed.status == 2
        assert "same command" in resumed.error
        again = await hondius(*command, "--set", "stores.free_bytes=0")
        assert again.status == 0, again.error
        assert again.figures["pages"] == 2
