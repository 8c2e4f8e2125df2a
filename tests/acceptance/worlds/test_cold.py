"""The part `cold`: its keys are those of the crawler, and its figures can be missed."""

from hondius.native import Identity, Reader
from tests.acceptance.worlds.cold.figures import judged
from tests.acceptance.worlds.cold.web import COLD_LINKS, HOST, ColdWeb

SEEN = {
    "pages": 100,
    "known": 100 * COLD_LINKS,
    "new": 1_200,
    "bytes_read": 10_000_000,
    "longest_callback_seconds": 0.01,
    "longest_callback": "<Handle>",
    "beats": 1_000,
    "late_beats": 0,
    "latest_beat_seconds": 0.02,
}


def test_a_page_names_urls_of_the_store_by_the_keys_that_the_store_has() -> None:
    web = ColdWeb(2_000)
    known = {key for first in range(0, 2_000, 12) for _, key in web.links(first, 2_000)}
    assert len(known) == 2_000
    page = Reader(Identity(), agent_token="test").read(web.page(7), url=f"http://{HOST}/7", content_type="text/html")
    old = {link.key for link in page.links} & known
    assert 0.9 * COLD_LINKS < len(old) <= COLD_LINKS
    assert page.links_found == COLD_LINKS + 12


def test_each_figure_can_be_missed() -> None:
    assert all(figure.met for figure in judged(1_000, SEEN))
    missing = ({"known": 0}, {"bytes_read": 0}, {"longest_callback_seconds": 0.06}, {"late_beats": 2}, {"beats": 0})
    for missed in missing:
        assert [figure.met for figure in judged(1_000, SEEN | missed)].count(False) == 1
