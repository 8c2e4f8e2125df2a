"""The same commands in every world, from the first seed to the last export (O1)."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hondius.crawler.crawl_settings import write_settings
from hondius.opening import open_crawl, place_of
from hondius.operate.cli import main
from hondius.settings import Settings
from tests.journeys.scripted_site import Answer, Request, Script
from tests.use.small_crawl import make_crawl
from tests.use.worlds import MEMORY, WORLDS, new_place, served

SITE: Script = {
    "/robots.txt": Answer.robots("User-agent: *\nDisallow: /private\n"),
    "/": Answer.page("/1", "/2", "/private", "/gone"),
    "/1": Answer.page("/3"),
    "/2": Answer.redirect("/6"),
    "/3": Answer.page("/4"),
    "/4": Answer.page("/5"),
    "/6": Answer.page("/private"),
}
"""One path leads to each page, so that nothing depends on which comes first."""
Say = Callable[..., str]


@pytest.fixture(params=WORLDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        yield name


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """What a command says; it must end with `status`."""

    def call(*arguments: object, status: int = 0) -> str:
        capsys.readouterr()
        ended = main.run([str(argument) for argument in arguments])
        output, errors = capsys.readouterr()
        assert ended == status, errors
        return output if status == 0 else errors

    return call


def test_s1_a_crawl_is_stopped_continued_told_and_taken_anew(place: Path, say: Say) -> None:
    with served(SITE) as site:
        options = ["--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json"]
        begun = json.loads(say("crawl", "http://a.test/", "--into", place, *options, "--max-pages", 1))
        assert (begun["stop_reason"], begun["pages_this_run"]) == ("max_pages", 1)
        assert json.loads(say("status", place, "--json"))["queue"]["urls"] == 5
        say("pause", place, "a.test", "--for", "1h", "--reason", "they asked")
        assert "a.test\t" in say("pause", place)
        waiting = json.loads(say("resume", place, "--json", "--max-pages", 100))
        assert (waiting["stop_reason"], waiting["pages_this_run"]) == ("waiting", 0)
        say("unpause", place, "a.test")
        done = json.loads(say("resume", place, "--json"))
        assert (done["stop_reason"], done["states"]["blocked"], done["states"]["failed"]) == ("done", 1, 2)
        assert "queued again" in say("recrawl", place, "http://a.test/1")
        again = json.loads(say("resume", place, "--json"))
        assert again["pages_this_run"] == 1
        assert site.paths().count("/1") == 2
        say("blacklist", place, "b.test", "--reason", "for good")
        assert say("blacklist", place) == "b.test\tfor good\n"
    rows = [json.loads(line) for line in say("export", place, "--text").splitlines()]
    assert {row["state"] for row in rows if row["url"].endswith(("/private", "/gone", "/2"))} == {
        "blocked",
        "failed",
        "redirected",
    }
    assert all(row["text"] is not None for row in rows if row["state"] == "completed")


def test_o1_all_worlds_tell_the_same_of_the_same_crawl(tmp_path: Path, say: Say) -> None:
    told = []
    for number, world in enumerate(WORLDS):
        (root := tmp_path / str(number)).mkdir()
        with new_place(world, root) as name, served(SITE) as site:
            words = ["--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--concurrency", "1"]
            summary = say("crawl", "http://a.test/", "--into", name, *words)
            explained = [say("explain", name, f"http://a.test{path}") for path in ("/", "/3", "/private", "/unknown")]
            texts = [summary, say("status", name), *explained]
            told.append(([_timeless(text, name, site.port) for text in texts], _rows(say("export", name, "--body"))))
    for in_a_directory, *elsewhere in zip(*(texts for texts, _ in told), strict=True):
        for text in elsewhere:
            assert in_a_directory.splitlines() == text.splitlines()
    assert all(rows == told[0][1] for _, rows in told)


def _timeless(text: str, name: Path, port: int) -> str:
    """Without what differs from one run to the next: times, sizes, names of files and of the place."""
    text = text.replace(str(name), "PLACE").replace(str(port), "PORT")
    text = re.sub(r"hondius-[0-9-]+\.warc\.gz, [0-9,]+ bytes at [0-9,]+", "RECORD", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?Z", "TIME", text)
    return re.sub(r"[0-9.]+ (s|ms|MB|KB|pages/s)\b", "AMOUNT", text)


def _rows(exported: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in exported.splitlines()]
    return [{name: value for name, value in row.items() if name not in ("fetched_at", "warc")} for row in rows]


def test_o1_settings_are_shown_and_changed(place: Path, say: Say) -> None:
    make_crawl(place)
    with place_of(place).lock():
        assert "a running crawl does not read its settings again" in say(
            "config", place, "limits.max_pages=1", status=2
        )
    assert say("config", place, "politeness.delay=3") == "politeness.delay = 3.0 (was 1.0)\n"
    assert "politeness.delay = 3.0" in say("config", place).splitlines()


def test_d1_seeds_are_added_and_shown_with_what_became_of_them(place: Path, say: Say) -> None:
    with served(SITE) as site:
        options = ["--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json"]
        say("crawl", "http://a.test/", "--into", place, *options, "--max-pages", 1)
        with place_of(place).lock():
            assert ": 1 seed" in say("seeds", place, "http://b.test/6")
        assert "1 seed added, 1 already known" in say("seeds", place, "http://c.test/nothing", "http://b.test/6")
        assert say("seeds", place).splitlines()[1:] == ["http://b.test/6\tqueued", "http://c.test/nothing\tqueued"]
        say("resume", place, "--json", "--max-pages", 100)
    assert "http://c.test/nothing\tfailed\thttp_404" in say("seeds", place).splitlines()


def test_o1_p1_a_url_is_tried_politely_and_nothing_of_the_answer_is_kept(place: Path, say: Say) -> None:
    with served(SITE) as site:
        options = ["--delay", "1", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json"]
        say("crawl", "http://a.test/6", "--into", place, *options)
        before = say("export", place)
        tried = [json.loads(say("explain", place, f"http://a.test{path}", "--try", "--json")) for path in ("/1", "/6")]
        assert [row["tried"]["summary"] for row in tried] == ["the crawl would end it as completed"] * 2
        forbidden = json.loads(say("explain", place, "http://a.test/private", "--try", "--json"))
        assert forbidden["tried"]["summary"] == "the crawl would end it as blocked, robots"
        assert site.paths() == ["/6", "/1", "/6"]
        assert say("export", place) == before
        say("recrawl", place, "http://a.test/6")
        say("resume", place, "--json")
        arrived = [request.at for request in site.requests if request.path in ("/1", "/6")]
    assert len(arrived) == 4
    assert all(later - earlier >= 0.99 for earlier, later in pairwise(arrived))
    with open_crawl(place) as crawl:
        host = crawl.catalog.host("a.test")
    assert host is not None
    assert host.fetched == 5, "those of the trial are counted, too, and the sitemap that nobody named"


@pytest.mark.parametrize("command", ["crawl", "resume"])
def test_o1c_a_crawl_in_use_is_not_opened_twice(place: Path, say: Say, command: str) -> None:
    make_crawl(place)
    words = ["crawl", "http://a.test/", "--into", place] if command == "crawl" else ["resume", place]
    with place_of(place).lock():
        assert "is in use by process" in say(*words, status=2)


def test_o1_an_order_to_a_running_crawl_waits_for_it(place: Path, say: Say) -> None:
    make_crawl(place)
    with place_of(place).lock():
        assert "the running crawl of" in say("pause", place, "a.test")
    with open_crawl(place) as crawl:
        assert crawl.orders.has_any()
        assert crawl.catalog.host_orders() == []
    say("unpause", place, "a.test")
    with open_crawl(place) as crawl:
        assert not crawl.orders.has_any()


@pytest.mark.parametrize(
    "command", ["status", "export", "explain", "pause", "blacklist", "recrawl", "resume", "config", "seeds"]
)
def test_o1c_where_there_is_no_crawl_every_command_says_how_to_start_one(place: Path, say: Say, command: str) -> None:
    more = {"explain": ["http://a.test/"], "recrawl": ["http://a.test/"]}.get(command, [])
    assert f"{place} holds no crawl: start one with `hondius crawl URL --into" in say(command, place, *more, status=2)


def test_o1c_settings_that_cannot_be_read_are_refused(place: Path, say: Say) -> None:
    write_settings(place_of(place), Settings())
    place_of(place).write_settings(b"format = 99\n", are_secret=False)
    assert "newer Hondius" in say("status", place, status=2)


def test_u3_the_identity_of_a_crawl_does_not_change(place: Path, say: Say) -> None:
    make_crawl(place)
    assert "cannot change after the crawl" in say("resume", place, "--set", "identity.drop_www=true", status=2)


def test_a_crawl_in_memory_is_known_by_its_name_for_as_long_as_it_lasts(tmp_path: Path, say: Say) -> None:
    with new_place(MEMORY, tmp_path) as name:
        make_crawl(name)
        assert "not running" in say("status", name)
    assert "holds no crawl" in say("status", name, status=2)


def test_p1_requests_keep_their_distance(place: Path, say: Say) -> None:
    """The engine and politeness are those of any crawl."""
    arrived: list[float] = []

    def page(request: Request) -> Answer:
        arrived.append(request.at)
        return Answer.page("/1", "/2")

    with served({"/": page, "/1": page, "/2": page}) as site:
        options = ["--delay", "0.3", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json"]
        say("crawl", "http://a.test/", "--into", place, *options)
    assert len(arrived) == 3
    assert all(later - earlier >= 0.29 for earlier, later in pairwise(arrived))
