"""P4: hosts whose robots.txt does not come keep no other host waiting."""

from pathlib import Path

from tests.journeys.scripted_site import Answer, Request, Script, hondius, scripted_site, start_command, until

PLACES = 16
"""Hosts that are prepared at once with a concurrency of 4."""


async def test_p4_hosts_whose_robots_txt_does_not_come_delay_new_hosts_by_seconds(tmp_path: Path) -> None:
    silent = [f"silent{number}.test" for number in range(2 * PLACES)]
    healthy = [f"healthy{number}.test" for number in range(5)]
    script: Script = {f"{name}/robots.txt": Answer(delay=3_600) for name in silent}
    seeds = tmp_path / "seeds"
    seeds.write_text("".join(f"http://{name}/\n" for name in silent + healthy))

    def page(request: Request) -> Answer:
        return Answer.page(head=request.host)

    async with scripted_site(script, page) as site:
        process = await start_command(
            *("crawl", "--seeds", seeds, "--into", tmp_path / "c", "--resolve", f"*.test=127.0.0.1:{site.port}"),
            *("--delay", "0", "--set", "fetch.concurrency=4", "--set", "scope.sitemaps=false"),
            *("--set", "politeness.address_concurrency=100"),
        )
        await until(lambda: len(site.requests) >= PLACES, seconds=60)
        await until(lambda: {name for name in healthy if site.paths(name)} == set(healthy), seconds=25)
        process.terminate()
        await process.communicate()
        explained = await hondius("explain", tmp_path / "c", f"http://{silent[0]}/", "--json")
    assert [site.paths(name) for name in silent] == [[]] * len(silent)
    robots = explained.figures["robots"]
    assert robots["outcome"] == "unreachable", robots
    assert "called off" in robots["detail"], robots
