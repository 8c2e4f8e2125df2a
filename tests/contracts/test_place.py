"""The contract of `Place` and of `Lock`, for every world."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.clock import SystemClock
from hondius.crawler.commit import Outcome, append_outcome, apply_to_urls
from hondius.errors import BrokenView, DirectoryInUse
from hondius.model import Archived, Discovered, Frame, HostState
from hondius.native import Identity
from hondius.ports import Place, UrlStore, find_position
from hondius.position import Position
from hondius.stores.factory import EmbeddedPlace, MemoryPlace

PLACES: dict[str, Callable[[Path], Place]] = {
    "embedded": EmbeddedPlace,
    "in memory": lambda root: MemoryPlace("memory:contract", root),
    "embedded, two partitions": lambda root: EmbeddedPlace(root, partitions=2),
    "in memory, two partitions": lambda root: MemoryPlace("memory:contract", root, partitions=2),
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return PLACES[request.param](tmp_path)


def opened_urls(place: Place) -> UrlStore:
    return place.open_urls(capacity=1_000, memory=1 << 24)


def test_o1_a_crawl_is_there_once_it_has_settings(place: Place) -> None:
    assert not place.exists("choose another")
    assert not place.has_settings
    place.write_settings(b"format = 1\n", are_secret=True)
    assert place.exists("choose another")
    assert place.read_settings(100) == b"format = 1\n"


def test_a_note_is_what_was_written_last(place: Place) -> None:
    assert place.read_note("queue.json", 100) is None
    place.write_note("queue.json", b"{}")
    place.write_note("queue.json", b"{1}")
    assert place.read_note("queue.json", 100) == b"{1}"


def test_s1_one_writer_at_a_time_holds_the_lock(place: Place) -> None:
    assert place.holder() is None
    with place.lock():
        assert place.holder() == os.getpid()
        with pytest.raises(DirectoryInUse, match="is in use by process"):
            place.lock()
        with pytest.raises(DirectoryInUse):
            place.lock(shared=True)
    assert place.holder() is None
    lock = place.lock()
    lock.close()
    lock.close()
    assert place.holder() is None


def test_s10_readers_share_the_lock_and_keep_writers_out(place: Place) -> None:
    place.lock().close()
    with place.lock(shared=True), place.lock(shared=True), pytest.raises(DirectoryInUse):
        place.lock()
    place.lock().close()


def test_s1_whoever_opens_the_log_next_reads_what_was_appended(place: Place) -> None:
    assert place.changed_at() == 0.0
    log = place.open_log()
    frame = log.append([HostState("a.test", 1.0, 2.0)], 5.0)
    log.close()
    again = place.open_log(read_only=True)
    assert list(again.read()) == [frame]
    assert again.place == place.name
    assert place.changed_at() > 0.0


def test_s2_the_view_and_the_catalog_show_the_frames_that_were_applied(place: Place) -> None:
    view, catalog = place.open_views()
    state = HostState("a.test", 1.0, 2.0)
    for one in {id(view): view, id(catalog): catalog}.values():
        one.apply([Frame(1, 1.0, (state,), 7)])
    reader = place.open_catalog()
    for one in (view, catalog, reader):
        assert (one.host("a.test"), one.position, one.log) == (state, Position((1,)), 7)
    reader.close()
    catalog.close()
    view.close()
    again = place.open_views()
    assert [one.host("a.test") for one in again] == [state, state]
    for one in again:
        one.close()


def test_s2_a_view_that_is_discarded_is_empty(place: Place) -> None:
    view, catalog = place.open_views()
    view.apply([Frame(1, 1.0, (HostState("a.test", 1.0, 2.0),))])
    view.close()
    catalog.close()
    place.discard(view.name)
    anew, _ = place.open_views()
    assert anew.position.frames == 0
    anew.close()


def test_o5_a_scratch_catalog_has_nothing_of_the_crawls(place: Place) -> None:
    _, catalog = place.open_views()
    catalog.apply([Frame(1, 1.0, (HostState("a.test", 1.0, 2.0),))])
    with place.open_scratch_catalog() as scratch:
        assert scratch.host("a.test") is None
        scratch.apply([Frame(1, 1.0, (HostState("b.test", 1.0, 2.0),))])
        assert scratch.host("b.test") is not None
    assert catalog.host("b.test") is None
    catalog.close()


def test_o1_a_scratch_place_has_nothing_of_the_crawls_and_leaves_nothing(place: Place) -> None:
    place.open_log().append([HostState("a.test", 1.0, 2.0)], 5.0)
    place.write_settings(b"format = 1\n", are_secret=False)
    with place.open_scratch_place() as scratch:
        assert not scratch.has_settings
        log = scratch.open_log()
        assert list(log.read()) == []
        log.append([HostState("b.test", 1.0, 2.0)], 6.0)
        log.close()
        scratch.attempts().begin()
        opened_urls(scratch).close()
        elsewhere = scratch.directory
    assert not elsewhere.exists()
    assert place.attempts().next_number == 1
    assert len(list(place.open_log(read_only=True).read())) == 1


def test_u4_whoever_opens_the_url_store_next_finds_what_was_applied(place: Place) -> None:
    log = place.open_log()
    urls = opened_urls(place)
    url = Identity().parse("http://a.test/")
    found = urls.admit(
        [(url.href, url.key)], None, depth=0, priority=0.5, discovered_at=1.0, max_depth=None, via="seed"
    )
    for frame in append_outcome(log, urls, Outcome(discoveries=[found]), 1.0):
        apply_to_urls(urls, frame)
    urls.close()
    again = opened_urls(place)
    assert find_position(again) == log.end
    assert log.end.frames == 1
    assert again.state(url.key) == "queued"
    again.close()
    place.discard("urls")
    anew = opened_urls(place)
    assert anew.state(url.key) is None
    anew.close()


def test_s3_what_no_frame_tells_of_is_cut_off_the_archive(place: Place) -> None:
    archive = place.open_archive({}, operator="", clock=SystemClock())
    assert archive.append([]).durable == []
    archive.close()
    assert place.open_reader().size() == 0


def test_p1_attempts_of_runs_are_numbered(place: Place) -> None:
    attempts = place.attempts()
    assert (attempts.number, list(attempts.newest()), attempts.last(9.0)) == (0, [], [])
    path = attempts.begin()
    assert (place.directory / path).read_bytes() == b""
    assert attempts.number == 1
    following = place.attempts()
    assert (following.number, following.next_number) == (0, 2)
    following.begin()
    assert following.number == 2


def test_o1_a_directory_without_a_catalog_or_a_url_store_says_so(tmp_path: Path) -> None:
    place = EmbeddedPlace(tmp_path)
    with pytest.raises(BrokenView, match="is missing"):
        place.open_catalog()
    with pytest.raises(BrokenView, match="is missing"):
        place.open_urls(capacity=1_000, memory=1 << 24, must_exist=True)


def test_events_that_are_no_rows_move_the_position_too(place: Place) -> None:
    _, catalog = place.open_views()
    catalog.apply([Frame(1, 1.0, (Discovered(b"", 0), Archived("x.warc.gz", 7)))])
    assert catalog.archived() == {"x.warc.gz": 7}
    catalog.close()
