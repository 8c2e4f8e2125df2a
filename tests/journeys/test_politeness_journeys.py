"""Politeness as the server sees it, also across restarts; and who is never contacted."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from tests.journeys.scripted_site import (
    Answer,
    Request,
    Script,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)


async def test_p1_a_second_lies_between_two_requests_also_across_kill_9(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1"), "/1": Answer.page("/2"), "/2": Answer.page()}
    async with scripted_site(script) as site:
        process = await start_command(
            "crawl", "http://a.test/", "--into", tmp_path / "c", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json"
        )
        await until(lambda: len(site.requests) >= 2)
        process.kill()
        await process.communicate()
        ended = await hondius("resume", tmp_path / "c", "--json")
    assert ended.figures["stop_reason"] == "done"
    gaps = [second.at - first.at for first, second in pairwise(site.requests)]
    assert min(gaps) >= 1.0


async def test_p1_a_request_that_a_kept_connection_swallows_is_sent_again_at_the_next_turn_p7(tmp_path: Path) -> None:
    """A server that closes each connection at its second request, also where robots.txt is the one that is swallowed.
    Nobody is to blame: no try is counted, though the crawl allows none."""

    def answered_once(then: Answer) -> Callable[[Request], Answer]:
        return lambda request: then if request.number == 1 else Answer(swallowed=True)

    script: Script = {
        "/": answered_once(Answer.page("/1", "/2", "http://b.test/")),
        "/1": answered_once(Answer.page()),
        "/2": answered_once(Answer.page()),
        "/robots.txt": answered_once(Answer.robots("")),
        "b.test/robots.txt": Answer.redirect("http://a.test/again.txt"),
        "/again.txt": answered_once(Answer.robots("")),
    }
    options = ("--set", "politeness.retries=0", "--set", "scope.sitemaps=false")
    async with scripted_site(script) as site:
        seeds = ("http://a.test/", "http://b.test/")
        ended = await crawl(site, tmp_path / "c", *seeds, *options, delay="0.1")
        audited = await hondius("audit", tmp_path / "c", "--json")
    assert ended.figures["pages"] == 6
    assert {row["state"] for row in (await export_rows(tmp_path / "c")).values()} <= {"completed", "duplicate"}
    for host in ("a.test", "b.test"):
        times = [request.at for request in site.requests if request.host == host]
        assert min(second - first for first, second in pairwise(times)) >= 0.1
    assert audited.figures["requests"] == len(site.requests)
    assert audited.status == 0, audited.out
    assert sum(request.number > 1 for request in site.requests) == 2


async def test_p2_retry_after_is_obeyed(tmp_path: Path) -> None:
    def busy_once(request: Request) -> Answer:
        first = sum(earlier.path == "/" for earlier in site.requests) == 1
        return Answer(status=503, headers=(("Retry-After", "3"),)) if first else Answer.page()

    async with scripted_site({"/": busy_once}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", delay="0.1")
    refused, after = [request.at for request in site.requests if request.path == "/"]
    assert after - refused >= 3.0


async def test_p2_retry_after_is_obeyed_also_for_robots_txt(tmp_path: Path) -> None:
    busy = Answer(status=429, headers=(("Retry-After", "7200"),))
    async with scripted_site({"/robots.txt": busy, "/": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", delay="0.1")
        explained = await hondius("explain", tmp_path / "c", "http://a.test/", "--json")
    assert len(site.requests) == 1
    host = explained.figures["host"]
    assert host["not_before"] - host["at"] > 7_000


async def test_p5_a_failing_url_is_tried_four_times_and_a_missing_one_once(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/broken", "/missing"), "/broken": Answer(status=500)}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    assert site.paths().count("/broken") == 4
    assert site.paths().count("/missing") == 1


async def test_p6_the_user_agent_names_hondius_and_the_contact(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--contact", "ops@example.test")
    agents = {request.headers["user-agent"] for request in site.requests}
    assert len(agents) == 1
    assert agents.pop().startswith("Hondius/")


async def test_n2_loopback_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page()}) as site:
        url = f"http://127.0.0.1:{site.port}/"
        await hondius("crawl", url, "--into", tmp_path / "refused", "--json")
        assert site.requests == []
        allowed = await hondius("crawl", url, "--into", tmp_path / "allowed", "--allow-private", "127.0.0.1", "--json")
    row = (await export_rows(tmp_path / "refused"))[url]
    assert (row["state"], row["cause"]) == ("failed", "address_refused")
    assert allowed.figures["pages"] == 1


async def test_a_name_under_test_without_override_fails_closed(tmp_path: Path) -> None:
    await hondius("crawl", "http://nowhere.test/", "--into", tmp_path / "c", "--json")
    row = (await export_rows(tmp_path / "c"))["http://nowhere.test/"]
    assert (row["state"], row["cause"]) == ("failed", "dns_nxdomain")


async def test_a_host_can_be_blacklisted_while_the_crawl_runs(tmp_path: Path) -> None:
    script: Script = {f"/{n or ''}": Answer.page(f"/{n + 1}") for n in range(200)}
    async with scripted_site(script) as site:
        process = await start_command(
            "crawl",
            "http://a.test/",
            "--into",
            tmp_path / "c",
            "--delay",
            "0.1",
            "--resolve",
            f"*.test=127.0.0.1:{site.port}",
        )
        await until(lambda: len(site.paths()) >= 2)
        told = await hondius("blacklist", tmp_path / "c", "a.test", "--reason", "asked us to")
        assert told.status == 0, told.error
        await asyncio.wait_for(process.communicate(), 30)
    assert len(site.paths()) < 100
    rows = await export_rows(tmp_path / "c")
    assert ("refused", "blacklisted") in {(row["state"], row["cause"]) for row in rows.values()}
    listed = await hondius("blacklist", tmp_path / "c")
    assert listed.out == "a.test\tasked us to\n"


async def test_a_blacklisted_host_is_not_even_asked_for_its_robots(tmp_path: Path) -> None:
    """Neither for a page, nor for a sitemap outside the scope, nor as the target of another's robots.txt."""
    script: Script = {
        "a.test/robots.txt": Answer.robots("Sitemap: http://b.test/map.xml\nSitemap: http://c.test/map.xml\n"),
        "c.test/robots.txt": Answer.redirect("http://d.test/robots.txt"),
        "/": Answer.page("/1"),
        "/1": Answer.page(),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        asked_before = len(site.requests)
        for host in ("b.test", "d.test"):
            assert (await hondius("blacklist", tmp_path / "c", host)).status == 0
        site.requests.clear()
        ended = await hondius("resume", tmp_path / "c", "--max-pages", "100", "--json")
    assert asked_before > 0
    assert ended.figures["stop_reason"] == "done"
    assert {request.host for request in site.requests} == {"a.test", "c.test"}
    audited = await hondius("audit", tmp_path / "c")
    assert audited.status == 0, audited.out


async def test_b3_the_first_page_too_waits_for_the_crawl_delay_of_its_robots(tmp_path: Path) -> None:
    script: Script = {"/robots.txt": Answer.robots("User-agent: *\nCrawl-delay: 1\n"), "/": Answer.page()}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false", delay="0.1")
    robots, page = site.requests
    assert page.at - robots.at >= 1.0
    assert (await hondius("audit", tmp_path / "c")).status == 0


async def test_p3_hosts_that_share_an_address_are_spaced_at_the_send(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page()}) as site:
        seeds = [f"http://h{number}.test/" for number in range(8)]
        await crawl(site, tmp_path / "c", *seeds, "--set", "scope.sitemaps=false", delay="0.05")
    audited = await hondius("audit", tmp_path / "c", "--json")
    assert audited.status == 0, audited.out
    gaps = next(tally for tally in audited.figures["tallies"] if tally["kind"] == "address_gap")
    assert gaps["checked"] == len(site.requests) - 1


async def test_p4_links_of_a_stranger_that_fail_do_not_open_the_circuit_of_a_host(tmp_path: Path) -> None:
    """Another site links to eight URLs that fail at a host: the host's own pages answer, and are all fetched."""
    broken = [f"http://v.test/cgi?x={number}" for number in range(8)]
    script: Script = {f"v.test/cgi?x={number}": Answer(status=500) for number in range(8)}
    script |= {f"v.test/{number}": Answer.page(f"/{number + 1}") for number in range(30)}
    script |= {"evil.test/": Answer.page(*broken), "v.test/": Answer.page("/0")}
    options = ("--scope", "any", "--set", "scope.sitemaps=false", "--set", "politeness.retries=0")
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://evil.test/", "http://v.test/", *options, delay="0.05")
    own = [request.path for request in site.requests if request.host == "v.test" and "cgi" not in request.path]
    assert {f"/{number}" for number in range(31)} <= set(own)
    assert ended.figures["stop_reason"] == "done"


async def test_p4_new_hosts_that_never_answer_leave_places_to_a_host_that_does(tmp_path: Path) -> None:
    """With four places, eight hosts that nobody has met hang; the one that has answered goes on meanwhile."""
    stuck = [f"http://s{number}.test/" for number in range(8)]
    script: Script = {f"s{number}.test/": Answer(delay=60.0) for number in range(8)}
    script |= {f"ok.test/{number}": Answer.page(f"/{number + 1}") for number in range(12)}
    script |= {"ok.test/": Answer.page("/0", *stuck)}
    options = ("--scope", "any", "--set", "scope.sitemaps=false", "--concurrency", "1", "--max-time", "8s")
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://ok.test/", *options, delay="0.05")
    asked = [request.path for request in site.requests if request.host == "ok.test"]
    assert {f"/{number}" for number in range(12)} <= set(asked)
    assert any(request.host.startswith("s") for request in site.requests)
