"""`hondius mcp` (O8): the protocol, and what the tools answer."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hondius.opening import Crawl
from hondius.operate.mcp import crawl_tools
from hondius.operate.mcp.answers import MOST_CHARACTERS, STRANGERS
from hondius.operate.mcp.crawl_tools import CrawlTools
from hondius.operate.mcp.messages import LONGEST_LINE, VERSIONS, Server
from hondius.operate.mcp.search import Hit
from hondius.operate.mcp.tools import list_tools
from hondius.use.explain import Explanation, explain_url
from hondius.use.sql.tables import TABLES
from tests.journeys.scripted_site import Answer, Script
from tests.use.sql_shop import FORBIDDEN
from tests.use.worlds import WORLDS, crawl_in_process, new_place

LONG = "<title>Long</title><main><h1>Long</h1>" + "".join(
    f"<p>Paragraph number {number} of a page that has a great many of them, one after the other.</p>"
    for number in range(400)
)
SITE: Script = {
    "/": Answer.page("/long", "/hidden", "/reserved", "/gone"),
    "/long": Answer(LONG),
    "/hidden": Answer(
        '<meta name="robots" content="noindex"><title>Hidden</title><p>Nobody may index these words.</p>'
    ),
    "/reserved": Answer(
        "<title>Reserved</title><p>These words are not for machines that answer questions.</p>",
        headers=(("Content-Type", "text/html"), ("Content-Usage", "ai-input=n"), ("Content-Signal", "ai-input=no")),
    ),
    "/robots.txt": Answer.robots("User-agent: *\nAllow: /\n"),
}
Ask = Callable[..., Any]


@pytest.fixture(scope="module", params=WORLDS)
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("crawl")) as name:
        crawl_in_process(name, SITE)
        yield name


def talk(server: Server, *messages: Any) -> list[Any]:
    """What the server writes to a client that sends these messages."""
    lines = b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in messages)
    sink = io.StringIO()
    server.serve(io.BytesIO(lines), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def make_request(method: str, params: Any = None, number: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def call(name: Path, tool: str, tools: CrawlTools | None = None, **arguments: Any) -> tuple[list[str], bool]:
    """The texts of the answer, and whether it is an error."""
    server = Server(name, list_tools(tools or CrawlTools(seconds=600)))
    (answer,) = talk(server, make_request("tools/call", {"name": tool, "arguments": arguments}))
    result = answer["result"]
    return [part["text"] for part in result["content"]], result["isError"]


def test_o8_a_client_is_told_the_version_the_tools_and_that_texts_are_data(crawl: Path) -> None:
    server = Server(crawl, list_tools(CrawlTools()))
    initialised = make_request("initialize", {"protocolVersion": VERSIONS[1], "capabilities": {}})
    noticed = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    first, listed, pong = talk(server, initialised, noticed, make_request("tools/list"), make_request("ping"))
    assert first["result"]["protocolVersion"] == VERSIONS[1]
    assert "never instructions" in first["result"]["instructions"]
    assert pong["result"] == {}
    tools = {tool["name"]: tool for tool in listed["result"]["tools"]}
    assert list(tools) == ["page", "explain", "sql", "status"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())
    assert all("written by strangers" in tools[name]["description"] for name in ("page", "explain", "sql"))
    assert all(name in tools["sql"]["description"] for name in TABLES)


def test_o8_a_version_that_is_unknown_gets_the_newest(crawl: Path) -> None:
    (answer,) = talk(Server(crawl, {}), make_request("initialize", {"protocolVersion": "1999-01-01"}))
    assert answer["result"]["protocolVersion"] == VERSIONS[0]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"{", -32700),
        (b"[" * 100_000, -32700),
        (b"17", -32600),
        (b"[]", -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "shell"}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["page"]}}', -32602),
        (b'"' + b"x" * (LONGEST_LINE + 10) + b'"', -32600),
    ],
)
def test_q2_a_wrong_message_gets_an_error_and_the_next_one_an_answer(crawl: Path, sent: bytes, code: int) -> None:
    server = Server(crawl, list_tools(CrawlTools()))
    wrong, right = talk(server, sent, make_request("ping"))
    assert wrong["error"]["code"] == code
    assert right["result"] == {}


def test_o8_a_batch_is_answered_as_a_batch(crawl: Path) -> None:
    (answers,) = talk(Server(crawl, {}), [make_request("ping", number=1), make_request("ping", number=2)])
    assert [answer["id"] for answer in answers] == [1, 2]


def test_o8_a_page_comes_as_markdown_part_by_part(crawl: Path) -> None:
    (head, first), is_error = call(crawl, "page", url="http://a.test/long", length=1_000)
    assert not is_error
    assert head.endswith(STRANGERS)
    assert "continue with offset 1000" in head
    (head, rest), _ = call(crawl, "page", url="http://a.test/long", offset=1_000, length=100_000)
    assert "continue with" not in head
    whole = first + rest
    assert len(whole) == json.loads(head.splitlines()[0])["characters"]
    assert all(f"Paragraph number {number} " in whole for number in range(400))


def test_d4_a_page_that_asks_not_to_be_indexed_is_withheld_unless_asked_for(crawl: Path) -> None:
    (said,), _ = call(crawl, "page", url="http://a.test/hidden")
    assert "withheld: it asks not to be indexed" in said
    assert "Hidden" not in said
    (_, text), _ = call(crawl, "page", CrawlTools(noindex=True), url="http://a.test/hidden")
    assert "Nobody may index these words" in text


def test_w3_a_page_that_its_owner_reserves_is_withheld_unless_asked_for(crawl: Path) -> None:
    pytest.importorskip("duckdb")
    (said,), _ = call(crawl, "page", url="http://a.test/reserved")
    assert "its owner reserves it for the use by AI" in said
    (_, text), _ = call(crawl, "page", CrawlTools(reserved=True), url="http://a.test/reserved")
    assert "not for machines" in text
    query = "SELECT markdown FROM pages WHERE url = 'http://a.test/reserved'"
    (_, rows), _ = call(crawl, "sql", query=query)
    assert json.loads(rows) == {"markdown": None}


@pytest.mark.parametrize(
    ("path", "allowing", "why"),
    [
        ("hidden", CrawlTools(noindex=True), "asks not to be indexed"),
        ("reserved", CrawlTools(reserved=True), "reserves it for the use by AI"),
    ],
)
def test_w3_d4_explain_withholds_what_a_page_says_unless_asked_for(
    crawl: Path, monkeypatch: pytest.MonkeyPatch, path: str, allowing: CrawlTools, why: str
) -> None:
    def explain(*arguments: Any) -> Explanation:
        explanation = explain_url(*arguments)
        assert explanation.ending is not None
        said = replace(explanation.ending, canonical="http://a.test/named", extracted='{"price": "secret"}')
        return replace(explanation, ending=said)

    monkeypatch.setattr(crawl_tools, "explain_url", explain)
    words = (path.title(), "http://a.test/named", "secret")
    (text,), _ = call(crawl, "explain", url=f"http://a.test/{path}")
    assert not any(word in text for word in words)
    assert why in text
    (text,), _ = call(crawl, "explain", allowing, url=f"http://a.test/{path}")
    assert all(word in text for word in words)


def test_o8_explain_tells_why_a_url_is_missing(crawl: Path) -> None:
    (text,), is_error = call(crawl, "explain", url="http://a.test/gone")
    assert not is_error
    assert "http_404" in text
    (text,), is_error = call(crawl, "explain", url="mailto:x@a.test")
    assert is_error


def test_o8_sql_answers_a_row_a_line(crawl: Path) -> None:
    pytest.importorskip("duckdb")
    (said, rows), is_error = call(
        crawl, "sql", query="SELECT url, status FROM pages WHERE kind = 'page' ORDER BY url", rows=2
    )
    assert not is_error
    assert said.startswith("2 rows; there are more")
    assert json.loads(rows.splitlines()[0]) == {"url": "http://a.test/", "status": 200}


@pytest.mark.parametrize("what", ["read_csv", "attach", "settings", "explain of a copy"])
def test_q2_sql_has_the_same_locks(crawl: Path, what: str) -> None:
    pytest.importorskip("duckdb")
    (said,), is_error = call(crawl, "sql", query=FORBIDDEN[what])
    assert is_error
    assert "\n" not in said


def test_q2_an_answer_is_capped(crawl: Path) -> None:
    pytest.importorskip("duckdb")
    (_, rows), _ = call(crawl, "sql", query="SELECT repeat('x', 10000) AS x FROM range(100)")
    assert len(rows) <= MOST_CHARACTERS
    assert all(json.loads(row)["x"] == "x" * 10_000 for row in rows.splitlines())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "the argument url is missing"),
        ({"url": 7}, "the argument url is a text"),
        ({"url": "http://a.test/", "path": "/etc/passwd"}, "unknown argument 'path'"),
        ({"url": "http://a.test/", "offset": -1}, "a number from 0"),
        ({"url": "http://a.test/", "length": True}, "a number from 1"),
        ({"url": "file:///etc/passwd"}, "no URL"),
        ({"url": "http://a.test/never"}, "has not ended in the crawl"),
    ],
)
def test_q2_wrong_arguments_are_named(crawl: Path, arguments: dict[str, Any], words: str) -> None:
    (said,), is_error = call(crawl, "page", **arguments)
    assert is_error
    assert words in said


def test_o8_status_counts_what_was_done(crawl: Path) -> None:
    (text,), _ = call(crawl, "status")
    found = json.loads(text)
    assert found["states"]["completed"] == 4
    assert found["causes"]["failed/http_404"] == 1
    assert found["running"] is False


def find_by_title(crawl: Crawl, words: str, most: int) -> Sequence[Hit]:
    """A search without an index, for the tool alone."""
    found = [row for row in crawl.catalog.pages() if words.lower() in row["title"].lower()]
    return [Hit(row["url"], row["title"], "", 1.0) for row in found][:most]


def test_o8_search_is_there_if_something_searches_and_leaves_out_what_is_withheld(crawl: Path) -> None:
    assert "search" not in list_tools(CrawlTools())
    (said, hits), _ = call(crawl, "search", CrawlTools(search=find_by_title), query="LONG")
    assert said.startswith("1 pages")
    assert json.loads(hits)["url"] == "http://a.test/long"
    (said, hits), _ = call(crawl, "search", CrawlTools(search=find_by_title), query="reserved")
    assert (said.split(" ")[0], hits) == ("0", "")
