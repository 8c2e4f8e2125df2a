"""S7: the OpenSearch sink, against a real HTTP server that does what `_bulk` does, in every world."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.errors import BadSetting, HondiusError
from hondius.model import PageFilter
from hondius.opening import open_crawl, place_of
from hondius.operate.cli import main
from hondius.settings.search import SearchSettings
from hondius.use.search.opensearch import OpenSearchSink, open_server, sink
from tests.journeys.scripted_site import Answer, Request, Script
from tests.use.opensearch_server import BulkServer, act_and_hang_up, answer_with, hang_up, serve_bulk
from tests.use.searched_site import UTF8, make_html, make_site
from tests.use.worlds import WORLDS, crawl_in_process, new_place, served


@pytest.fixture(params=WORLDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        yield name


@pytest.fixture
def server() -> Iterator[BulkServer]:
    with serve_bulk() as state:
        yield state


class Pauses(list[float]):
    """Notes pauses instead of making them."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def make_sink(
    name: Path, server: BulkServer, pauses: Pauses | None = None, environment: dict[str, str] | None = None
) -> OpenSearchSink:
    settings = SearchSettings(opensearch=server.url, opensearch_index="pages")
    opened = open_server(settings, environment or {})
    return OpenSearchSink(place_of(name), opened, wait=Pauses() if pauses is None else pauses)


def list_searchable(name: Path) -> dict[str, str]:
    with open_crawl(name) as crawl:
        selected = PageFilter(states=("completed", "duplicate"), kinds=("page",), noindex=False)
        return {row["key"].hex(): row["url"] for row in crawl.catalog.pages(selected)}


def list_sent(server: BulkServer) -> dict[str, str]:
    return {name: document["url"] for name, document in server.documents.items()}


def test_s7_pages_are_sent_under_their_keys_once(place: Path, server: BulkServer) -> None:
    crawl_in_process(place, make_site())
    expected = list_searchable(place)
    assert make_sink(place, server).run() == len(expected)
    assert list_sent(server) == expected
    (japanese,) = [document for document in server.documents.values() if document["url"].endswith("/ja")]
    assert japanese["title"] == "地図帳"
    assert "東京都の書店" in japanese["text"]
    assert (japanese["language"], japanese["host"], japanese["is_copy"]) == ("ja", "a.test", False)
    assert {path for path, _ in server.requests} == {"/pages/_bulk"}
    before = len(server.requests)
    assert make_sink(place, server).run() == 0
    assert len(server.requests) == before


def test_s7_a_server_that_is_busy_or_breaks_off_is_asked_again_with_growing_pauses(
    place: Path, server: BulkServer
) -> None:
    crawl_in_process(place, make_site())
    server.faults.extend([answer_with(429), answer_with(503), hang_up, act_and_hang_up, answer_with(200, b"<html>")])
    pauses = Pauses()
    sent = make_sink(place, server, pauses).run()
    assert sent == len(list_searchable(place))
    assert list_sent(server) == list_searchable(place)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_s7_single_pages_that_the_server_had_no_room_for_are_sent_again(place: Path, server: BulkServer) -> None:
    crawl_in_process(place, make_site())
    expected = list_searchable(place)
    server.busy_ids = set(list(expected)[:3])
    assert make_sink(place, server).run() == len(expected)
    assert list_sent(server) == expected


def test_s7_a_page_that_the_server_refuses_is_reported_and_holds_up_no_other(
    place: Path, server: BulkServer, caplog: pytest.LogCaptureFixture
) -> None:
    crawl_in_process(place, make_site())
    server.is_refused = lambda document: document["url"].endswith("/zh")
    sending = make_sink(place, server)
    with caplog.at_level(logging.WARNING, "hondius.search"):
        sending.run()
    assert sending.refused == 1
    assert "/zh for ever: 400 mapper_parsing_exception" in caplog.text
    assert set(list_searchable(place).values()) - set(list_sent(server).values()) == {"http://a.test/zh"}
    assert make_sink(place, server).run() == 0


def test_s7_a_page_that_is_gone_is_deleted(place: Path, server: BulkServer) -> None:
    visits = []

    def serve(request: Request) -> Answer:
        visits.append(request.path)
        if visits.count("/a") > 1:
            return Answer("gone", 404)
        return Answer(make_html("A", "en", "It has words of its own, and they are many."), headers=(UTF8,))

    script: Script = {"/": Answer.page("/a"), "/a": serve}
    crawl_in_process(place, script)
    make_sink(place, server).run()
    assert "http://a.test/a" in list_sent(server).values()
    with served(script) as web:
        assert main.run(["recrawl", str(place), "http://a.test/a"]) == 0
        words = ["resume", str(place), "--delay", "0", "--resolve", f"*.test=127.0.0.1:{web.port}", "--json"]
        assert main.run(words) == 0
    make_sink(place, server).run()
    assert list_sent(server) == list_searchable(place)
    assert "http://a.test/a" not in list_sent(server).values()


def test_s7_a_server_that_takes_nothing_ends_the_sink_and_nothing_is_lost(place: Path, server: BulkServer) -> None:
    crawl_in_process(place, make_site())
    sending = make_sink(place, server)
    sending.patience = 0.0
    server.faults.extend([answer_with(503)] * 50)
    with pytest.raises(HondiusError, match=r"takes no pages \(status 503\): nothing is lost, and `.* --send`"):
        sending.run()
    server.faults.clear()
    assert make_sink(place, server).run() == len(list_searchable(place))
    assert list_sent(server) == list_searchable(place)


def test_s7_credentials_come_from_the_environment_and_are_in_no_message(
    place: Path, server: BulkServer, caplog: pytest.LogCaptureFixture
) -> None:
    crawl_in_process(place, {"/": Answer.page()})
    server.user = "crawler:open sesame"
    wrong = {"HONDIUS_OPENSEARCH_USER": "crawler", "HONDIUS_OPENSEARCH_PASSWORD": "hunter22"}
    with caplog.at_level(logging.DEBUG):
        with pytest.raises(HondiusError, match="refuses the credentials") as refused:
            make_sink(place, server, environment=wrong).run()
        server.faults.append(answer_with(503))
        right = {"HONDIUS_OPENSEARCH_USER": "crawler", "HONDIUS_OPENSEARCH_PASSWORD": "open sesame"}
        assert make_sink(place, server, environment=right).run() == 1
    for secret in ("hunter22", "open sesame", "Basic "):
        assert secret not in caplog.text + str(refused.value)


@pytest.mark.parametrize(
    ("address", "environment", "said"),
    [
        ("127.0.0.1:9200", {}, "no URL of a server"),
        ("ftp://a.test/", {}, "no URL of a server"),
        ("http://a.test:99999/", {}, "no URL of a server"),
        ("http://user:hunter22@a.test/", {}, "password in it"),
        ("http://a.test/", {"HONDIUS_OPENSEARCH_USER": "crawler"}, "PASSWORD is not"),
    ],
)
def test_s7_bad_settings_of_the_server_are_refused(address: str, environment: dict[str, str], said: str) -> None:
    with pytest.raises(BadSetting, match=said) as refused:
        open_server(SearchSettings(opensearch=address), environment)
    assert "hunter22" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "Pages", "a/b", "_all", "../x", "a\n"])
def test_s7_a_bad_name_of_the_index_is_refused(name: str) -> None:
    with pytest.raises(BadSetting, match="no name of an index"):
        open_server(SearchSettings(opensearch="http://a.test/", opensearch_index=name), {})


def test_s7_pages_are_sent_while_crawling(place: Path, server: BulkServer) -> None:
    crawl_in_process(place, make_site(), "--opensearch", server.url)
    assert list_sent(server) == list_searchable(place)
    assert {path for path, _ in server.requests} == {"/hondius/_bulk"}


def test_s7_requests_have_a_limited_size(place: Path, server: BulkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl_in_process(place, make_site())
    monkeypatch.setattr(sink, "MOST_BYTES", 1)
    make_sink(place, server).run()
    assert list_sent(server) == list_searchable(place)
    assert max(lines for _, lines in server.requests) == 2
