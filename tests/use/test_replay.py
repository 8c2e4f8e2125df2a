"""A crawl in a browser, from its archive, in every world (O1)."""

import asyncio
import contextlib
import gzip
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.opening import open_crawl
from hondius.operate.cli import main
from hondius.use.replay.requests import BadRequest, Request, parse_request
from hondius.use.replay.responses import Response, cut_range
from hondius.use.replay.server import LARGEST_HEAD, THREADS, Limits, ReplayServer, listen
from hondius.use.replay.site import ReplaySite
from hondius.use.replay.timestamps import format_stamp, parse_stamp
from tests.journeys.scripted_site import Answer, Script
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

PORT = 8080
HOST = {"host": f"127.0.0.1:{PORT}"}
PAGE = (
    "<title>One</title><link rel=stylesheet href=/s.css><script>alert(1)</script>"
    "<a href=/two>two</a><a href=/moved>moved</a><iframe src=/two></iframe>"
)
SITE: Script = {
    "/": Answer(PAGE),
    "/two": Answer("<p>two", headers=(("Content-Type", "text/html"), ("Set-Cookie", "a=b"), ("Refresh", "0;url=/x"))),
    "/copy": Answer(PAGE),
    "/moved": Answer.redirect("/two"),
    "/packed": Answer(
        gzip.compress(b"<p>packed"), headers=(("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
    ),
    "/secret": Answer("<meta name=robots content=noarchive>gone"),
    "/s.css": Answer("a { b: url(i.png) }", headers=(("Content-Type", "text/css"),)),
    "/i.png": Answer(bytes(range(100)), headers=(("Content-Type", "image/png"),)),
}
SEEDS = ("/", "/copy", "/packed", "/secret")


@pytest.fixture(scope="module", params=WORLDS)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReplaySite]:
    with new_place(request.param, tmp_path_factory.mktemp("replay")) as name:
        crawl_in_process(name, SITE, *(f"http://a.test{path}" for path in SEEDS[1:]), "--requisites")
        with open_crawl(name) as crawl:
            yield ReplaySite(crawl, port=PORT)


def get(site: ReplaySite, target: str, method: str = "GET", **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return site.answer(Request(method, target, HOST | named))


def find_source(site: ReplaySite, url: str) -> str:
    """The address in the frame of its view."""
    view = get(site, f"/view/2026/{url}")
    if view.status == 302:
        view = get(site, dict(view.headers)["Location"])
    found = re.search(r'<iframe[^>]* src="([^"]+)"', view.body.decode())
    assert found is not None
    return found[1]


def test_o1_the_start_page_lists_pages_and_finds_them_by_the_start_of_their_address(site: ReplaySite) -> None:
    text = get(site, "/").body.decode()
    assert [url in text for url in ("a.test/two", "a.test/packed", "i.png", "s.css")] == [True, True, False, False]
    found = get(site, "/?prefix=a.test/t").body.decode()
    assert ("a.test/two" in found, "a.test/packed" in found, "1 page at this address" in found) == (True, False, True)
    assert "No archived page" in get(site, "/?prefix=http://b.test/").body.decode()


def test_o1_a_page_is_shown_in_a_frame_that_leads_nowhere_else(site: ReplaySite) -> None:
    nearest = get(site, "/view/2026/http://a.test/two")
    assert nearest.status == 302
    view = get(site, dict(nearest.headers)["Location"])
    policy = dict(view.headers)["Content-Security-Policy"]
    assert f"frame-src http://127.0.0.1:{PORT}/page/ http://127.0.0.1:{PORT}/view/;" in policy
    assert "1 visit" in view.body.decode()


def test_o1_an_archived_answer_is_rewritten_and_confined(site: ReplaySite) -> None:
    answer = get(site, find_source(site, "http://a.test/"))
    headers, text = dict(answer.headers), answer.body.decode()
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-forms; default-src 'none'; script-src 'none'; connect-src 'none'; ")
    assert "allow-same-origin" not in policy
    assert re.search(r'<link rel=stylesheet href="/asset/key-[^/]+/\d{14}/http://a.test/s.css">', text)
    assert re.search(r'<a href="/view/\d{14}/http://a.test/two">', text)
    assert re.search(r'<iframe src="/frame/key-[^/]+/\d{14}/http://a.test/two">', text)
    assert headers["Memento-Datetime"].endswith("GMT")


def test_o1_only_harmless_headers_of_the_original_are_sent(site: ReplaySite) -> None:
    names = {name for name, _ in get(site, find_source(site, "http://a.test/two")).headers}
    assert names.isdisjoint({"Set-Cookie", "set-cookie", "Refresh", "refresh", "Link", "Location"})


def test_o1_copies_redirects_and_coded_bodies_are_replayed(site: ReplaySite) -> None:
    assert b"<title>One" in get(site, find_source(site, "http://a.test/copy")).body
    assert b"<p>packed" in get(site, find_source(site, "http://a.test/packed")).body
    moved = get(site, "/page/2026/http://a.test/moved")
    assert (moved.status, dict(moved.headers)["Location"].endswith("/http://a.test/two")) == (302, True)
    viewed = get(site, "/view/2026/http://a.test/moved")
    assert dict(viewed.headers)["Location"].startswith("/view/")


def test_o1_styles_and_images_are_replayed_and_ranges_cut(site: ReplaySite) -> None:
    sheet = get(site, "/asset/2026/http://a.test/s.css")
    assert re.search(rb'url\("/asset/key-[^/]+/\d{14}/http://a.test/i.png"\)', sheet.body)
    image = get(site, "/asset/2026/http://a.test/i.png", range="bytes=10-19")
    assert (image.status, image.body) == (206, bytes(range(10, 20)))
    assert dict(image.headers)["Content-Range"] == "bytes 10-19/100"
    assert get(site, "/asset/2026/http://a.test/i.png").body == bytes(range(100))


def test_o1_the_calendar_has_the_visits_of_a_url(site: ReplaySite) -> None:
    text = get(site, "/calendar/http://a.test/").body.decode()
    assert ("1 visit in this crawl" in text, 'class="month"' in text) == (True, True)


def test_o1_what_is_not_archived_says_so(site: ReplaySite) -> None:
    for target, status, words in (
        ("/view/2026/http://b.test/", 404, "is not in this crawl"),
        ("/calendar/http://b.test/", 404, "is not in this crawl"),
        ("/view/2026/mailto:a", 400, "is no URL"),
        ("/view/never/http://a.test/", 404, "neither"),
        ("/other", 404, "neither"),
    ):
        answer = get(site, target)
        assert (answer.status, words in answer.body.decode()) == (status, True), target


def test_o1_another_site_that_opened_a_page_of_the_replay_learns_nothing_from_its_window(site: ReplaySite) -> None:
    view = dict(get(site, "/view/2026/http://a.test/two").headers)["Location"]
    for target in ("/", view):
        assert dict(get(site, target).headers)["Cross-Origin-Opener-Policy"] == "same-origin"
    for target in (find_source(site, "http://a.test/two"), "/asset/20261115000000/http://a.test/no-such-page"):
        headers = dict(get(site, target).headers)
        assert "sandbox" in headers["Content-Security-Policy"]
        assert "Cross-Origin-Opener-Policy" not in headers, "a browser does not show it with a sandbox"


def test_o1_a_link_within_the_frame_moves_the_page_around_it(site: ReplaySite) -> None:
    frame = {"sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site"}
    bounce = site.answer(Request("GET", "/view/2026/http://a.test/two", HOST | frame))
    assert "top.location.replace(location.href)" in bounce.body.decode()
    opened = get(site, "/page/2026/http://a.test/two", sec_fetch_dest="document")
    assert dict(opened.headers)["Location"].startswith("/view/")


def test_q2_requests_of_others_are_refused(site: ReplaySite) -> None:
    source = find_source(site, "http://a.test/two")
    assert site.answer(Request("GET", "/", {"host": "evil.test"})).status == 421
    assert site.answer(Request("GET", "/", {})).status == 421
    assert get(site, "/", method="POST").status == 405
    assert get(site, source, service_worker="script").status == 403
    assert get(site, "/asset/2026/http://a.test/i.png", sec_fetch_site="cross-site").status == 403
    assert get(site, "/", sec_fetch_site="cross-site", sec_fetch_dest="image").status == 403
    assert get(site, source, sec_fetch_site="cross-site").status == 200


def test_q2_only_archived_pages_may_share_fonts(site: ReplaySite) -> None:
    source = find_source(site, "http://a.test/two")
    assert ("Access-Control-Allow-Origin", "null") in get(site, source, origin="null").headers
    for target, origin in ((source, "http://evil.test"), ("/page/2026/http://a.test/two", "null"), ("/", "null")):
        assert "Access-Control-Allow-Origin" not in dict(get(site, target, origin=origin).headers), target


def test_o1_one_damaged_record_is_the_failure_of_its_page_alone(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, SITE)
        with open_crawl(name) as crawl:
            site = ReplaySite(crawl, port=PORT)
            row = crawl.catalog.page(site._visits.parse("http://a.test/two").key)  # type: ignore[union-attr]
            assert row is not None
            warc = name / "warc" / row["warc_file"]
            data = bytearray(warc.read_bytes())
            data[row["warc_offset"] + 20 : row["warc_offset"] + 60] = bytes(40)
            warc.write_bytes(data)
            damaged = get(site, "/page/2026/http://a.test/two")
            assert (damaged.status, "cannot be read" in damaged.body.decode()) == (502, True)
            assert get(site, "/page/2026/http://a.test/").status == 200


def test_o1_many_requests_are_answered_at_once_by_a_real_server(site: ReplaySite) -> None:
    async def ask(port: int, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        return answer

    async def serve() -> list[bytes]:
        with listen(0) as listener:
            port = listener.getsockname()[1]
            server = ReplayServer(listener, site.answer)
            await server.start()
            head = f"Host: 127.0.0.1:{PORT}\r\nConnection: close\r\n\r\n"
            plain = [f"GET /asset/2026/http://a.test/i.png HTTP/1.1\r\n{head}".encode()] * 60
            others = [
                f"HEAD / HTTP/1.1\r\n{head}".encode(),
                b"NONSENSE\r\n\r\n",
                b"GET / HTTP/1.1\r\nX: " + b"x" * (LARGEST_HEAD + 10) + b"\r\n\r\n",
            ]
            answers = await asyncio.gather(*(ask(port, request) for request in plain + others))
            await server.close()
            return list(answers)

    *images, head, nonsense, long = asyncio.run(serve())
    assert all(answer.startswith(b"HTTP/1.1 200 OK") and answer.endswith(bytes(range(100))) for answer in images)
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert head.endswith(b"\r\n\r\n")
    assert nonsense.startswith(b"HTTP/1.1 400 ")
    assert long.startswith(b"HTTP/1.1 431 ")


def test_o1_clients_that_do_not_read_neither_delay_the_end_nor_take_all_memory() -> None:
    body, held = bytes(8 * 1024 * 1024), []

    async def serve() -> bytes:
        with listen(0) as listener, contextlib.ExitStack() as clients:

            def answer(request: Request) -> Response:
                held.append(server._memory.held)
                return Response(200, (), b"small" if request.target == "/small" else body)

            server = ReplayServer(listener, answer, Limits(response_bytes=2 * len(body), patience=0.05))
            await server.start()
            port = listener.getsockname()[1]
            for _ in range(40):
                deaf = clients.enter_context(socket.socket())
                deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                deaf.connect(("127.0.0.1", port))
                deaf.sendall(b"GET / HTTP/1.1\r\n\r\n")
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /small HTTP/1.1\r\nConnection: close\r\n\r\n")
            small = await asyncio.wait_for(reader.read(), 120.0)
            writer.close()
            await asyncio.wait_for(server.close(), 60.0)
            return small

    assert asyncio.run(serve()).endswith(b"\r\n\r\nsmall")
    assert len(held) == 41
    assert max(held) < (2 + THREADS) * len(body)


def test_a_bug_is_the_failure_of_one_request(site: ReplaySite) -> None:
    def fail(request: Request) -> Response:
        raise RuntimeError(request.target)

    with listen(0) as listener:
        server = ReplayServer(listener, fail)
        assert server._answer_safely(Request("GET", "/")).status == 500


def test_scripts_run_only_if_they_are_wanted(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, SITE)
        with open_crawl(name) as crawl:
            policy = dict(get(ReplaySite(crawl, port=PORT, scripts=True), "/page/2026/http://a.test/").headers)[
                "Content-Security-Policy"
            ]
    assert policy.startswith(
        "sandbox allow-forms allow-scripts; default-src 'none'; script-src http://127.0.0.1:8080/ "
    )
    assert "allow-same-origin" not in policy
    assert policy.endswith("; require-trusted-types-for 'script'; trusted-types default")


def test_o1_where_scripts_run_a_guard_comes_first_and_other_documents_have_none(tmp_path: Path) -> None:
    xml = (("Content-Type", "application/xhtml+xml"),)
    script: Script = {
        "/": Answer("<!-- a --><!doctype html><a href=/x>x</a><iframe srcdoc='<p>x'></iframe>"),
        "/x": Answer("<html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>", headers=xml),
    }
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, script)
        with open_crawl(name) as crawl:
            site = ReplaySite(crawl, port=PORT, scripts=True)
            text = get(site, find_source(site, "http://a.test/")).body.decode()
            plain = get(ReplaySite(crawl, port=PORT), "/page/2026/http://a.test/").body.decode()
            xhtml = get(site, find_source(site, "http://a.test/x"))
    assert text.startswith("<!doctype html><script>")
    assert "srcdoc='&lt;script&gt;" in text
    assert "<script>" not in plain
    assert "script-src 'none'" in dict(xhtml.headers)["Content-Security-Policy"]


def test_times_are_read_as_web_archives_write_them() -> None:
    assert format_stamp(1_794_717_278.5) == "20261115043438"
    assert parse_stamp("20261115043438") == 1_794_717_278.0
    assert parse_stamp("2026") == parse_stamp("20260101000000")
    for text in ("", "20", "20261", "2026131", "20261301", "٢٠٢٦", "2026111504343800"):
        assert parse_stamp(text) is None, text


def test_ranges_that_cannot_be_cut_are_refused_or_ignored() -> None:
    whole = Response(200, (), b"0123456789")
    assert cut_range(whole, "bytes=-3").body == b"789"
    assert cut_range(whole, "bytes=7-").body == b"789"
    assert cut_range(whole, "bytes=20-").status == 416
    for text in ("bytes=-", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"):
        assert cut_range(whole, text) is whole, text


def test_requests_are_checked_before_they_are_answered() -> None:
    for head in (
        b"",
        b"GET /",
        b"GET / HTTP/2",
        b"GET x HTTP/1.1",
        b"GET / HTTP/1.1\r\nno colon",
        b"GET / HTTP/1.1\r\n a: b",
        b"GET / HTTP/1.1\r\nHost: evil.test\r\nHost: 127.0.0.1",
        b"GET / HTTP/1.1\r\nContent-Length: 50\r\ncontent-length: 0",
    ):
        with pytest.raises(BadRequest):
            parse_request(head)


def test_o1_wrong_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["replay", str(tmp_path / "nothing")]) == 2
    assert "holds no crawl" in capsys.readouterr().err
    with new_place(DIRECTORY, tmp_path) as name, listen(0) as taken:
        crawl_in_process(name, SITE)
        assert main.run(["replay", str(name), "--port", str(taken.getsockname()[1])]) == 2
        assert "choose another with --port" in capsys.readouterr().err
