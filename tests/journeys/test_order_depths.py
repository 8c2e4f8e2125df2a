"""An order to fetch a page again does not change how deep the page is (D5, R4)."""

from pathlib import Path

import pytest

from hondius.crawler.idle_crawl import record_events
from hondius.model import RecrawlOrder
from hondius.opening import open_settings, place_of
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site


@pytest.mark.parametrize("is_running", [False, True])
@pytest.mark.parametrize("said", [0, 1])
async def test_d5_r4_a_page_keeps_its_depth_whatever_the_order_to_fetch_it_again_says(
    tmp_path: Path, said: int, is_running: bool
) -> None:
    """The catalog, which the command reads, may be older than the order. A URL that nobody knows becomes a root."""
    into = tmp_path / "c"
    script: Script = {f"a.test/{number}": Answer.page(f"/{number + 1}") for number in range(9)}
    async with scripted_site(script | {"a.test/root": Answer.page("/x"), "a.test/x": Answer.page()}) as site:
        ended = await crawl(site, into, "http://a.test/0", "--max-depth", "2")
        assert ended.status == 0, ended.error
        place = place_of(into)
        orders = [RecrawlOrder(("http://a.test/2",), said), RecrawlOrder(("http://a.test/root",))]
        if is_running:
            place.orders().post(orders, 1)
        else:
            assert record_events(place, open_settings(into), orders) == 2
        resumed = await hondius("resume", into)
        assert resumed.status == 0, resumed.error
        assert sorted(site.paths()[3:]) == ["/2", "/root", "/x"]
    depths = {url.rpartition("/")[2]: row["depth"] for url, row in (await export_rows(into)).items()}
    assert depths == {"0": 0, "1": 1, "2": 2, "root": 0, "x": 1}
