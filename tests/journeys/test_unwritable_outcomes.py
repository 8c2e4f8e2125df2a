"""A bug that is met when an outcome is written, or when a seed is taken, is that of one URL (F4, F5, F7)."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hondius.crawler.commit import apply_to_urls
from hondius.crawler.page import Links, Recorder
from hondius.crawler.seeds import make_source
from hondius.crawler.seeds.lines import LineReader
from hondius.crawler.seeds.source import SeedSource, Slice, read_slices
from hondius.errors import DiskFull, HondiusError
from hondius.model import INTERNAL, AnyEvent, Finished, HostState, RobotsCopy, SeedsTaken, State
from hondius.native import Identity, PanicException, QueuedUrl
from hondius.settings import Settings
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.archive.reading import RecordFiles
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog
from hondius.use.verify import verify_crawl
from tests.journeys.scripted_site import Answer, Request, Script, scripted_site
from tests.journeys.test_internal_failures import Patch, crawl_with_bug, ends, over
from tests.journeys.test_rereading_journeys import long_and_short

WEB: Script = {
    "/": Answer.page("/bad", "/good"),
    "/bad": Answer.page("/only", "/both"),
    "/good": Answer.page("/both"),
    "/only": Answer.page(),
    "/both": Answer.page("/"),
}
ENDS = {
    "http://a.test/": (State.COMPLETED, ""),
    "http://a.test/bad": (State.FAILED, INTERNAL),
    "http://a.test/good": (State.COMPLETED, ""),
    "http://a.test/only": (State.COMPLETED, ""),
    "http://a.test/both": (State.COMPLETED, ""),
}


def is_sound(directory: Path) -> bool:
    return not verify_crawl(directory, Settings()).problems


def refuse_records(monkeypatch: Patch, is_bad: Callable[[Any], bool], error: BaseException) -> None:
    """The archive cannot make a record of some fetches."""
    row = EmbeddedArchive._make_row

    def failing(archive: EmbeddedArchive, fetch: Any) -> Any:
        if is_bad(fetch):
            raise error
        return row(archive, fetch)

    monkeypatch.setattr(EmbeddedArchive, "_make_row", failing)


def refuse_events(monkeypatch: Patch, is_bad: Callable[[AnyEvent], bool], error: BaseException) -> None:
    """The log cannot encode some events."""
    append = EmbeddedLog.append

    def failing(log: EmbeddedLog, events: Sequence[AnyEvent], *more: Any, **named: Any) -> Any:
        if any(is_bad(event) for event in events):
            raise error
        return append(log, events, *more, **named)

    monkeypatch.setattr(EmbeddedLog, "append", failing)


def is_good_end_of(path: str) -> Callable[[AnyEvent], bool]:
    return lambda event: isinstance(event, Finished) and event.url.endswith(path) and event.cause != INTERNAL


@pytest.mark.parametrize("error", [ValueError("planted"), PanicException("planted")], ids=repr)
@pytest.mark.parametrize("where", ["archive", "log"])
async def test_f7_an_outcome_that_cannot_be_written_ends_its_url_alone(
    tmp_path: Path, monkeypatch: Patch, where: str, error: BaseException
) -> None:
    """What it links to is crawled all the same: pages that name it since have found it known."""
    if where == "archive":
        monkeypatch.setattr(sys.modules[EmbeddedArchive.__module__], "PIECE_BYTES", 1)  # what came before it is written
        refuse_records(monkeypatch, lambda fetch: fetch.fetched.href.endswith("/bad"), error)
    else:
        refuse_events(monkeypatch, is_good_end_of("/bad"), error)
    async with scripted_site(WEB) as site:
        async with crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
            assert await over(crawl) == "done"
            assert ends(crawl) == ENDS
            assert crawl.statistics.internal_failures == 1
            (row,) = [page for page in crawl.catalog.pages() if page["cause"] == INTERNAL]
            assert "planted" in row["detail"]
            assert row["status"] == 200
        assert site.paths().count("/bad") == 1
    assert is_sound(tmp_path)


async def test_f7_an_outcome_of_which_nothing_can_be_written_leaves_its_url_queued(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """Also its links are taken back, and are new to the next page that names them."""
    with monkeypatch.context() as planted:

        def is_bad(event: AnyEvent) -> bool:
            return isinstance(event, Finished) and event.url.endswith("/bad")

        refuse_events(planted, is_bad, ValueError("planted"))
        async with scripted_site(WEB) as site:
            async with crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
                await over(crawl)
                assert "http://a.test/bad" not in ends(crawl)
            planted.undo()
            async with crawl_with_bug(site, tmp_path) as crawl:
                assert await over(crawl) == "done"
                assert ends(crawl) == {**ENDS, "http://a.test/bad": (State.COMPLETED, "")}
    assert is_sound(tmp_path)


@pytest.mark.parametrize("where", ["archive", "log"])
async def test_x1_the_first_copy_of_a_page_that_could_not_be_written_takes_its_place(
    tmp_path: Path, monkeypatch: Patch, where: str
) -> None:
    same = Answer.page("/", head="the very same")
    web: Script = {"/": Answer.page("/1", "/2", "/3"), "/1": same, "/2": same, "/3": same}
    lost: list[str] = []

    def is_first(url: str) -> bool:
        if url[-1] in "123" and not lost:
            lost.append(url)
        return url in lost

    if where == "archive":
        refuse_records(monkeypatch, lambda fetch: is_first(fetch.fetched.href), ValueError("planted"))
    else:
        refuse_events(
            monkeypatch,
            lambda event: isinstance(event, Finished) and event.cause != INTERNAL and is_first(event.url),
            ValueError("planted"),
        )
    async with scripted_site(web) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        told = ends(crawl)
        assert [url for url, (_, cause) in told.items() if cause == INTERNAL] == lost
        kept = [page for page in crawl.catalog.pages() if page["url"][-1] in "123" and page["cause"] != INTERNAL]
        first, copy = sorted(kept, key=lambda page: page["state"] == State.DUPLICATE)
        assert (first["state"], first["cause"], first["copy_of"]) == (State.COMPLETED, "", None)
        assert (copy["state"], copy["cause"], copy["copy_of"]) == (State.DUPLICATE, "copy", first["url"])
        for page in kept:
            place = page["warc_file"], page["warc_offset"], page["warc_length"]
            fields, _, body = RecordFiles(EmbeddedDisk(tmp_path)).read(*place)
            original = fields.get("WARC-Refers-To-Target-URI", "")
            assert b"the very same" in body or (page is copy and original == first["url"])
    assert is_sound(tmp_path)


async def test_d5_a_page_that_could_not_be_written_and_is_found_closer_is_fetched_again(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """What it links to is in the log, one link below the longer path."""
    lost: list[float] = []

    def is_first(fetch: Any) -> bool:
        if fetch.fetched.href != "http://a.test/3":
            return False
        lost[:] = lost or [fetch.fetched.started_at]
        return fetch.fetched.started_at in lost

    refuse_records(monkeypatch, is_first, ValueError("planted"))
    async with (
        scripted_site(long_and_short()) as site,
        crawl_with_bug(site, tmp_path, "http://a.test/", max_depth=3) as crawl,
    ):
        assert await over(crawl) == "done"
        assert crawl.statistics.internal_failures == 1
        depths = {page["url"]: page["depth"] for page in crawl.catalog.pages()}
        assert (depths["http://a.test/3"], depths["http://a.test/4"]) == (2, 3)
        assert [path for path in site.paths("a.test") if path in ("/3", "/4")] == ["/3", "/3", "/4"]
    assert is_sound(tmp_path)


async def test_p1_what_is_known_of_a_host_and_cannot_be_written_ends_nothing(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    refuse_events(monkeypatch, lambda event: isinstance(event, HostState), ValueError("planted"))
    async with scripted_site(WEB) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        assert {cause for _, cause in ends(crawl).values()} == {""}
        assert crawl.statistics.internal_failures > 0


async def test_b3_a_host_whose_robots_txt_cannot_be_written_is_asked_for_nothing_more(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr("hondius.crawler.boundary.PREPARATION_WAIT", 0.05)

    def is_bad(event: AnyEvent) -> bool:
        return isinstance(event, RobotsCopy) and "bad" in event.origin

    refuse_events(monkeypatch, is_bad, ValueError("planted"))

    def next_page(request: Request) -> Answer:
        return Answer.page(f"http://{request.host}/{int(request.path[1:] or 0) + 1}", head=request.host)

    async with scripted_site({"good.test/": Answer.page(), **{f"/{n or ''}": next_page for n in range(50)}}) as site:
        async with crawl_with_bug(site, tmp_path, "http://good.test/", "http://bad.test/") as crawl:
            assert await over(crawl) == "done"
            told = ends(crawl)
        assert told["http://good.test/"] == (State.COMPLETED, "")
        assert [cause for url, (_, cause) in told.items() if "bad" in url].count(INTERNAL) == 1
        asked = [request.path for request in site.requests if request.host.startswith("bad")]
        assert asked.count("/robots.txt") == 1
        assert len(asked) < 10


@pytest.mark.parametrize("error", [DiskFull("planted"), HondiusError("planted"), OSError(5, "planted")], ids=repr)
async def test_s10_errors_of_the_disk_end_no_url(tmp_path: Path, monkeypatch: Patch, error: BaseException) -> None:
    left = iter([True])

    def once(event: AnyEvent) -> bool:
        return is_good_end_of("/bad")(event) and next(left, False)

    refuse_events(monkeypatch, once, error)
    async with scripted_site(WEB) as site:
        if isinstance(error, DiskFull):
            async with crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
                assert await over(crawl) == "done"
                assert {cause for _, cause in ends(crawl).values()} == {""}
        else:
            with pytest.raises(type(error)):
                async with crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
                    await asyncio.wait_for(crawl.run.run_until_over(), 40)


SEEDS = [f"http://h{number}.test/" for number in range(40)]


def names_seed_7(event: AnyEvent) -> bool:
    return "http://h7.test/" in str(getattr(event, "scope", "")) or (
        type(event).__name__ == "ScopeExtended" and "h7." in str(getattr(event, "href", ""))
    )


@pytest.mark.parametrize("where", ["admission", "log"])
async def test_d1_a_seed_that_meets_a_bug_ends_alone(tmp_path: Path, monkeypatch: Patch, where: str) -> None:
    """The others of its slice are crawled, and the log has the mark behind the last."""
    if where == "admission":
        of_seeds = Links.admit_seeds

        def failing(links: Links, seeds: Any, now: float) -> Any:
            listed = list(seeds)
            if any("h7." in url.href for url, _ in listed):
                raise ValueError("planted")
            return of_seeds(links, listed, now)

        monkeypatch.setattr(Links, "admit_seeds", failing)
    else:
        refuse_events(monkeypatch, names_seed_7, ValueError("planted"))
    async with scripted_site({}, Answer.page()) as site, crawl_with_bug(site, tmp_path, *SEEDS, scope="host") as crawl:
        assert await over(crawl) == "done"
        told = ends(crawl)
        assert {url for url, (_, cause) in told.items() if cause == INTERNAL} == {"http://h7.test/"}
        assert set(told) == set(SEEDS)
        assert crawl.catalog.unfinished_seeds() == []
        assert crawl.statistics.internal_failures == (1 if where == "admission" else 2)


def test_d1_a_line_that_meets_a_bug_is_skipped_and_told(tmp_path: Path, monkeypatch: Patch) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("http://a.test/\nhttp://bad.test/\nhttp://b.test/\n")
    read = LineReader.read

    def failing(reader: LineReader, line: bytes) -> Any:
        if b"bad" in line:
            raise ValueError("planted")
        return read(reader, line)

    monkeypatch.setattr(LineReader, "read", failing)
    source = SeedSource("seeds.txt")
    with file.open("rb", buffering=0) as opened:
        (some,) = read_slices(source, (), [("seeds.txt", opened)], Identity())
    assert [seed.url.href for seed in some.seeds] == ["http://a.test/", "http://b.test/"]
    assert source.skipped == 1
    ((place, error),) = source.bugs
    assert place == "seeds.txt, line 2"
    assert str(error) == "planted"


async def test_f3_seeds_that_cannot_be_read_further_leave_the_crawl_without_the_mark(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """It goes on with those that it has; the next start tells that some are missing."""
    wait = SeedSource.wait
    calls = iter(range(10))

    def failing(source: SeedSource) -> Any:
        if next(calls) >= 1:
            raise ValueError("planted")
        return wait(source)

    monkeypatch.setattr("tests.journeys.test_internal_failures.make_source", lambda seeds: make_source(seeds, size=10))
    monkeypatch.setattr(SeedSource, "wait", failing)
    async with scripted_site({}, Answer.page()) as site, crawl_with_bug(site, tmp_path, *SEEDS) as crawl:
        assert await over(crawl) == "done"
        assert len(ends(crawl)) == 10
        assert crawl.catalog.unfinished_seeds() == [("arguments", 10)]
        assert crawl.statistics.internal_failures == 1


async def test_f3_the_mark_is_in_no_frame_before_the_seeds_that_it_counts(tmp_path: Path, monkeypatch: Patch) -> None:
    """Whatever is killed between two frames, a log with the mark has an end or a place in the queue for each seed."""
    refuse_events(monkeypatch, names_seed_7, ValueError("planted"))
    async with scripted_site({}, Answer.page()) as site, crawl_with_bug(site, tmp_path, *SEEDS, scope="host") as crawl:
        assert await over(crawl) == "done"
    events = [event for frame in EmbeddedLog(EmbeddedDisk(tmp_path), read_only=True).read() for event in frame.events]
    marked = next(n for n, event in enumerate(events) if isinstance(event, SeedsTaken) and event.is_last)
    ended = next(n for n, event in enumerate(events) if isinstance(event, Finished) and "h7." in event.url)
    assert ended < marked


async def test_s2_an_end_that_the_catalog_cannot_show_is_internal_there_and_stops_nothing(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """The frame is durable by then: a bug here would stop every later start, too."""
    fetched = Recorder.record_fetched

    def too_large(recorder: Recorder, url: QueuedUrl, *rest: Any, **more: Any) -> Finished:
        event = fetched(recorder, url, *rest, **more)
        return msgspec.structs.replace(event, length=2**63) if url.href.endswith("/bad") else event

    monkeypatch.setattr(Recorder, "record_fetched", too_large)
    async with scripted_site(WEB) as site:
        async with crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
            assert await over(crawl) == "done"
            assert ends(crawl) == ENDS
            assert crawl.statistics.internal_failures == 1
        (tmp_path / "crawl.db").unlink()
        async with crawl_with_bug(site, tmp_path) as crawl:
            assert await over(crawl) == "done"
            assert ends(crawl) == ENDS
        assert site.paths().count("/bad") == 1
    report = verify_crawl(tmp_path, Settings())
    assert report.problems == 1, "verify reports the frame that holds it, and nothing else"
    assert "a frame of the log has impossible values" in "".join(report.format_lines())


async def test_f6_a_bug_in_what_an_end_says_of_its_host_stops_nothing(tmp_path: Path, monkeypatch: Patch) -> None:
    def failing(event: Finished) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(sys.modules[apply_to_urls.__module__], "make_visit", failing)
    async with scripted_site(WEB) as site, crawl_with_bug(site, tmp_path, "http://a.test/") as crawl:
        assert await over(crawl) == "done"
        assert len(ends(crawl)) == 5


async def test_f3_an_empty_last_slice_that_meets_a_bug_leaves_its_mark(tmp_path: Path, monkeypatch: Patch) -> None:
    left = iter([True])

    def is_first_mark(event: AnyEvent) -> bool:
        return isinstance(event, SeedsTaken) and event.is_last and next(left, False)

    def slices(seeds: Any) -> SeedSource:
        source = SeedSource("arguments", [Slice(seeds, is_last=False), Slice((), is_last=True)])
        source.wait()
        return source

    monkeypatch.setattr("tests.journeys.test_internal_failures.make_source", slices)
    refuse_events(monkeypatch, is_first_mark, ValueError("planted"))
    async with scripted_site({}, Answer.page()) as site, crawl_with_bug(site, tmp_path, *SEEDS) as crawl:
        assert await over(crawl) == "done"
        assert len(ends(crawl)) == len(SEEDS)
        assert crawl.catalog.unfinished_seeds() == []
