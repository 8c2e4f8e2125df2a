"""`explain` tells everything known of a URL, and what would become of one that is not (O5)."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hondius.crawler.crawl_settings import write_settings
from hondius.crawler.idle_crawl import record_events
from hondius.model import AnyEvent, Blacklisted, Failed, Finished, HostState, RobotsCopy, State
from hondius.native import Identity
from hondius.opening import open_crawl, open_settings, place_of
from hondius.operate.cli import main
from hondius.use.explain import Explanation, explain_url
from hondius.use.explain.explanation import Step
from tests.journeys.scripted_site import Answer, Script
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

PAGE = "http://a.test/page?b=1&a=2&utm_source=x"
SITE: Script = {
    "/robots.txt": Answer.robots("User-agent: *\nCrawl-delay: 3\nDisallow: /private\n"),
    "/": Answer.page("/page?b=1&a=2&utm_source=x", "/private/x", "/old", "/broken", "/t/t/t/t/t", "http://b.test/"),
    "/page?b=1&a=2&utm_source=x": Answer.page("/far", "/copy"),
    "/old": Answer.redirect("/new"),
    "/new": Answer.page("/original"),
    "/broken": Answer("broken", 500),
}
SAME = Answer("<title>t</title>the same words")


@pytest.fixture(scope="module", params=WORLDS)
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Ended: everything but what lies deeper than two links."""
    script: Script = {**SITE, "/far": Answer.page("/farther"), "/copy": SAME, "/original": SAME}
    with new_place(request.param, tmp_path_factory.mktemp("done")) as name:
        crawl_in_process(name, script, "--max-depth", "2")
        yield name


@pytest.fixture(params=WORLDS)
def begun(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """One page was fetched, and its links are queued."""
    with new_place(request.param, tmp_path) as name:
        crawl_in_process(name, SITE, "--max-pages", "1")
        yield name


def explain_text(directory: Path, text: str) -> Explanation:
    with open_crawl(directory) as crawl:
        return explain_url(crawl, text)


def test_o5_a_page_is_explained_from_its_seed_to_its_place_in_the_archive(done: Path) -> None:
    told = explain_text(done, "http://A.test/x/../page?b=1&a=2&utm_source=y#top")
    assert told.summary == "it ended: completed, status 200"
    assert [(finding.url, finding.via, finding.depth) for finding in told.discovery] == [
        (PAGE, "link", 1),
        ("http://a.test/", "seed", 0),
    ]
    assert told.ending is not None
    assert (told.ending.state, told.ending.title, told.ending.links, told.ending.new_links) == ("completed", "t", 2, 2)
    assert told.ending.warc is not None
    with open_crawl(done) as opened:
        place = told.ending.warc
        assert opened.archive.read(place.file, place.offset, place.length)[0]["warc-target-uri"] == PAGE
    (request,) = told.requests
    assert (request.outcome, request.status, request.warc) == ("completed", 200, told.ending.warc)
    assert request.content_hash == told.ending.content_hash
    assert [sent.ended for sent in told.sent] == [False, True]
    assert told.queue is not None
    assert (told.queue.state, told.queue.told_by, told.queue.priority_class) == ("finished", "catalog", 6)
    assert told.scope is not None
    assert (told.scope.scope, told.scope.refused, told.scope.blacklisted) == ("host", None, None)
    assert told.robots is not None
    assert (told.robots.allowed, told.robots.outcome, told.robots.crawl_delay) == (True, "parsed", 3.0)
    assert told.host is not None
    assert told.host.fetched > 0


def test_u2_every_step_that_changed_something_is_told(done: Path) -> None:
    text = "http://A.test/%70age?b=1&a=2&utm_source=y&sessionid=0123456789abcdef"
    identity = explain_text(done, text).identity
    steps = identity.steps
    assert [step.name for step in steps] == ["href", "rfc3986", "sort_query", "drop_tracking", "drop_session"]
    assert steps[0].before == text
    assert [step.before for step in steps[1:]] == [step.after for step in steps[:-1]]
    assert steps[-1].after == identity.key_form == "http://a.test/page?a=2&b=1"
    assert identity.key == Identity().parse(text).key.hex()
    assert explain_text(done, "http://a.test/page?a=1").identity.steps == []
    assert explain_text(done, "http://a.test/?").identity.steps == [
        Step("rfc3986", "http://a.test/?", "http://a.test/")
    ]


def test_o5_redirects_are_part_of_the_path(done: Path) -> None:
    told = explain_text(done, "http://a.test/new")
    assert [finding.via for finding in told.discovery] == ["redirect", "link", "seed"]
    old = explain_text(done, "http://a.test/old").ending
    assert old is not None
    assert (old.state, old.redirect_to) == ("redirected", "http://a.test/new")


def test_x3_a_copy_names_its_original(done: Path) -> None:
    endings = [explain_text(done, f"http://a.test/{name}").ending for name in ("copy", "original")]
    assert {ending.copy_of for ending in endings if ending} & {"http://a.test/copy", "http://a.test/original"}
    assert len({ending.content_hash for ending in endings if ending}) == 1


def test_b3_a_blocked_url_is_told_with_line_and_rule(done: Path) -> None:
    told = explain_text(done, "http://a.test/private/x")
    assert told.summary == "it ended: blocked, robots"
    assert told.robots is not None
    assert (told.robots.allowed, told.robots.line, told.robots.rule) == (False, 3, "Disallow: /private")
    assert told.ending is not None
    assert told.ending.rule_line == 3
    assert told.requests == []


def test_f6_a_trap_is_told_with_its_reason(done: Path) -> None:
    told = explain_text(done, "http://a.test/t/t/t/t/t")
    assert told.summary == "it ended: refused, repeated_segments"
    assert told.scope is not None
    assert told.scope.refused == "repeated_segments"


def test_p5_every_try_of_a_failed_url_is_told(done: Path) -> None:
    told = explain_text(done, "http://a.test/broken")
    assert told.summary == "it ended: failed, http_500"
    assert [request.outcome for request in told.requests] == ["retried"] * 3 + ["failed"]


def test_d5_a_url_that_is_too_deep_is_parked(done: Path) -> None:
    told = explain_text(done, "http://a.test/farther")
    assert told.summary == "it is parked: it is deeper than --max-depth"
    assert told.queue is not None
    assert told.queue.told_by == "URL store"
    assert [finding.depth for finding in told.discovery] == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("text", "prospect"),
    [
        ("http://a.test/never-seen", "a link to it would be admitted"),
        ("http://a.test/private/y", "a link to it would be admitted, but robots.txt forbids the request"),
        ("http://a.test/file.zip", "a link to it would be refused: extension"),
        ("http://a.test/" + "x" * 2000, "a link to it would be refused: too_long"),
    ],
)
def test_o5_an_unknown_url_is_told_what_would_become_of_it(done: Path, text: str, prospect: str) -> None:
    told = explain_text(done, text)
    assert told.summary == f"it is unknown to the crawl; {prospect}"
    assert (told.discovery, told.ending, told.requests) == ([], None, [])


def test_o5_of_a_url_outside_the_scope_nobody_knows_whether_a_page_links_to_it(done: Path) -> None:
    told = explain_text(done, "http://b.test/")
    assert told.summary == "it is not stored; a link to it would be refused: scope"
    assert any("are not stored individually" in note for note in told.notes)


@pytest.mark.parametrize("world", WORLDS)
def test_d3_links_that_were_not_read_are_told_of_the_page_and_of_what_may_be_among_them(
    world: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with new_place(world, tmp_path) as name:
        _links_that_were_not_read(name, capsys)


def _links_that_were_not_read(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "".join(f"<a href={n}>" for n in range(10_002))
    script: Script = {"/": Answer(body)}
    arguments = ("--set", f"fetch.page_cap={len(body)}", "--max-depth", "0")
    crawl_in_process(directory, script, *arguments)
    capsys.readouterr()
    unknown = explain_text(directory, "http://a.test/10001")
    assert unknown.summary.startswith("it is unknown to the crawl")
    read = "only the first 10,000 links of a page are read (see fetch.page_cap)"
    assert f"{read}, and these pages have more: http://a.test/ (10,002)" in unknown.notes
    assert main.run(["explain", str(directory), "http://a.test/"]) == 0
    assert "the last 2 of them were only counted, not read: fetch.page_cap limits them" in capsys.readouterr().out
    assert explain_text(directory, "http://a.test/2").notes == []


def test_o5_what_is_no_url_is_told_why(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain_text(done, "mailto:a@b.test").identity.reason == "not_http"
    for text in ("mailto:a@b.test", "http://[", "\udcff"):
        assert main.run(["explain", str(done), text]) == 2
        output, errors = capsys.readouterr()
        assert not output
        assert "no URL that can be crawled" in errors
        assert len(errors.splitlines()) == 1


# ---- what waits --------------------------------------------------------------------------------------


def test_o5_a_queued_url_is_told_by_the_url_store(begun: Path) -> None:
    told = explain_text(begun, PAGE)
    assert told.summary == "it is queued"
    assert told.queue is not None
    assert told.queue.told_by == "URL store"
    assert told.queue.waiting_in_origin is not None
    assert told.queue.waiting_in_origin >= 4
    assert told.queue.priority == pytest.approx(156.5 / 256)
    assert [finding.via for finding in told.discovery] == ["link", "seed"]
    assert told.notes == []


def test_f1_every_queued_url_is_told_its_own_place_in_line(begun: Path) -> None:
    paths = ("/page?b=1&a=2&utm_source=x", "/private/x", "/old", "/broken")
    queues = [explain_text(begun, f"http://a.test{path}").queue for path in paths]
    places = [queue.before for queue in queues if queue is not None and queue.before is not None]
    assert len(set(places)) == len(paths)
    assert max(places) < (queues[0].waiting_in_origin or 0 if queues[0] else 0)


def test_o5_while_the_crawl_runs_catalog_and_log_are_asked_and_it_says_so(begun: Path) -> None:
    before = {path: path.read_bytes() for path in begun.rglob("*") if path.is_file() and path.name != "lock"}
    with place_of(begun).lock():
        told = explain_text(begun, PAGE)
        unknown = explain_text(begun, "http://a.test/unknown")
    assert told.queue is not None
    assert (told.queue.state, told.queue.told_by) == ("queued", "log")
    assert [finding.via for finding in told.discovery] == ["link", "seed"]
    assert "the crawl is running" in told.notes[0]
    assert unknown.summary == "it is unknown to the crawl; a link to it would be admitted"
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("begun", [DIRECTORY], indirect=True)
def test_o5_a_missing_url_store_is_told_and_not_made(begun: Path) -> None:
    (begun / "urls").rename(begun / "elsewhere")
    told = explain_text(begun, PAGE)
    assert told.summary == "it is queued"
    assert "rebuild" in told.notes[0]
    assert not (begun / "urls").exists()


def test_p2_what_a_url_waits_for_is_told(begun: Path) -> None:
    later = 4_000_000_000.0
    url = Identity().parse(PAGE)
    settings = open_settings(begun)
    events: list[AnyEvent] = [
        HostState("a.test", 1.0, later, back_off=8.0, fetched=3, seconds=6.0, crawl_delay=3.0, consecutive_failures=2),
        Failed(url.key, url.href, url.host, "http_503", "", 2, 1.0, later + 5),
        RobotsCopy("http://a.test", 1.0, "unreachable", 503, later + 9, failing_since=1.0, failures=1),
    ]
    record_events(place_of(begun), settings, events)
    polite = msgspec.structs.replace(settings, politeness=msgspec.structs.replace(settings.politeness, delay=1.0))
    write_settings(place_of(begun), polite)
    told = explain_text(begun, PAGE)
    assert told.queue is not None
    assert told.queue.tries == 2
    assert told.queue.waits == [
        "its robots.txt cannot be reached and will be retried",
        "its host may not be contacted yet",
        "it failed and will be retried",
    ]
    assert told.queue.not_before == later + 9
    assert told.host is not None
    assert (told.host.delay, told.host.back_off, told.host.average_response) == (8.0, 8.0, 2.0)
    assert told.robots is not None
    assert (told.robots.allowed, told.robots.outcome) == (None, "unreachable")


def test_o5_the_blacklist_is_told_beside_the_scope(begun: Path) -> None:
    record_events(place_of(begun), open_settings(begun), [Blacklisted("test", "they asked", 1.0)])
    told = explain_text(begun, "http://b.test/")
    assert told.scope is not None
    assert (told.scope.refused, told.scope.blacklisted) == ("scope", "test")
    assert told.scope.blacklisted_because == "they asked"
    assert "blacklist" in told.summary


def test_o5_an_end_that_the_catalog_has_not_heard_of_is_read_from_the_log(begun: Path) -> None:
    url = Identity().parse(PAGE)
    with closing(place_of(begun).open_log()) as log:
        ended = Finished(url.key, url.href, url.key_form, url.host, State.FAILED, "http_404", status=404)
        log.append([ended], 2.0)
    told = explain_text(begun, PAGE)
    assert told.summary == "it ended: failed, http_404"
    assert not any("behind the log" in note for note in told.notes), "the URL store has caught up"


# ---- the command -------------------------------------------------------------------------------------


def test_o5_machines_get_one_object(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["explain", str(done), PAGE, "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["ending"]["state"] == "completed"
    assert told["identity"]["key"] == Identity().parse(PAGE).key.hex()
    assert told["discovery"][-1]["via"] == "seed"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (PAGE, ["completed", "a seed", "drop_tracking", "class 6", "allowed", "inside, and no trap"]),
        ("http://a.test/private/x", ["forbidden", "line 3: Disallow: /private"]),
        ("http://a.test/broken", ["retried, http_500", "failed, http_500"]),
        ("http://a.test/old", ["redirect to", "http://a.test/new"]),
        ("http://a.test/t/t/t/t/t", ["refused, repeated_segments (a trap: path segments repeat)"]),
        ("http://a.test/", ["led to", "http://a.test/private/x"]),
        ("http://a.test/farther", ["parked", "deeper than --max-depth"]),
        ("http://b.test/", ["outside the scope", "was not requested yet", "not seen"]),
    ],
)
def test_o5_people_can_read_it(done: Path, capsys: pytest.CaptureFixture[str], url: str, shown: list[str]) -> None:
    assert main.run(["explain", str(done), url]) == 0
    output = capsys.readouterr().out
    for expected in shown:
        assert expected in output


def test_f6_o5_a_shape_that_is_too_rare_to_be_counted_is_not_told_as_none(
    done: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["explain", str(done), "http://a.test/x/y"]) == 0
    assert "its URLs       too few to be counted, of 10,000 allowed" in capsys.readouterr().out


def test_o1c_a_directory_without_a_crawl_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["explain", str(tmp_path), "http://a.test/"]) == 2
    assert "holds no crawl" in capsys.readouterr().err
