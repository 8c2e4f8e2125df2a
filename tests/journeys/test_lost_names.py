"""A name that does not resolve any more (N1, P5), and what `resume` says of the option that caused it."""

from pathlib import Path

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site


async def test_n1_p5_a_wrong_resolve_costs_no_url_of_a_host_that_has_answered(tmp_path: Path) -> None:
    """They wait, and are fetched when the address is right again. A host that never answered fails at once."""
    script: Script = {"/": Answer.page(*(f"/{number}" for number in range(20)), "http://never.test/")}
    async with scripted_site(script, Answer("a page")) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "2", "--scope", "any")
        before = (tmp_path / "c" / "hondius.toml").read_text()
        wrong = await hondius(
            "resume", tmp_path / "c", "--max-pages", "100", "--resolve", "x.test=127.0.0.1:1", "--json"
        )
        assert wrong.status == 0, wrong.error
        assert wrong.figures["stop_reason"] == "waiting"
        assert wrong.figures["queued"] >= 18
        assert "settings changed by this command: " in wrong.error
        assert f"fetch.resolve = ['x.test=127.0.0.1:1'] (was ['*.test=127.0.0.1:{site.port}'])" in wrong.error
        rows = await export_rows(tmp_path / "c")
        assert {url for url, row in rows.items() if row["cause"] == "dns_nxdomain"} == {"http://never.test/"}
        (tmp_path / "c" / "hondius.toml").write_text(before.replace("max_pages = 2\n", "max_pages = 100\n"))
        right = await hondius("resume", tmp_path / "c", "--json")
    assert right.status == 0, right.error
    assert set(site.paths("a.test")) == {"/", *(f"/{number}" for number in range(20))}
