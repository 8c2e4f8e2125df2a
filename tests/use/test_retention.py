"""S9: bodies leave the archive when they are old; what revisits point to, what is pinned and what is indexed stays."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hondius.clock import SystemClock
from hondius.model import Rewritten
from hondius.moves import Move, decode_moves, encode_moves, has_whole_moves
from hondius.opening import open_crawl, place_of
from hondius.operate.cli import main
from hondius.ports import Place
from hondius.session.retention import Retained, retain
from hondius.settings import RetentionSettings, Settings
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import Crash
from hondius.stores.factory import EmbeddedPlace
from hondius.use.content import Contents
from hondius.use.rebuild import rebuild_views
from hondius.use.verify import verify_crawl
from tests.journeys.scripted_site import Answer, Script
from tests.use.small_crawl import SETTINGS
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place, served

DAY = 86_400.0
SECRET = "a body that must go"
NOISE = " ".join(sha256(str(number).encode()).hexdigest() for number in range(60))
"""It cannot be compressed much: a record without its body has two fields more, and may be longer than one with a short
body."""
SITE: Script = {
    "/": Answer("<title>home</title><a href=/old>o</a><a href=/pinned>p</a><a href=/copy>c</a>"),
    "/old": Answer(f"<title>old</title><p>{SECRET} {NOISE}"),
    "/pinned": Answer("<title>pinned</title><p>stays"),
    "/copy": Answer(f"<title>old</title><p>{SECRET} {NOISE}"),
}


def make_settings(days: float, **more: Any) -> Settings:
    return msgspec.structs.replace(SETTINGS, retention=RetentionSettings(body_days=days, **more))


def retain_later(place: Place, days: float, later: float = 40 * DAY, **more: Any) -> Retained:
    with place.lock():
        return retain(place, make_settings(days, **more), SystemClock().now() + later)


def read_bodies(name: Path) -> dict[str, bytes | None]:
    """By the last segment of the path."""
    bodies: dict[str, bytes | None] = {}
    with open_crawl(name) as crawl:
        contents = Contents(crawl)
        for page in crawl.catalog.pages():
            found = contents.read(page)
            bodies[page["url"].rpartition("/")[2]] = None if found is None else found.body
    return bodies


@pytest.fixture(params=WORLDS)
def crawled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        crawl_in_process(name, dict(SITE), "--set", "scope.sitemaps=false")
        yield name


def test_s9_old_bodies_go_and_pinned_ones_stay(crawled: Path) -> None:
    before = read_bodies(crawled)
    place = place_of(crawled)
    size = place.open_reader().size()
    retained = retain_later(place, 30, pinned=("/pinned$",))
    assert (retained.bodies, retained.files) == (3, 1)
    assert read_bodies(crawled) == {"": None, "old": None, "copy": None, "pinned": before["pinned"]}
    assert place.open_reader().size() == retained.bytes_after
    assert (retained.bytes_after or 0) < size
    with open_crawl(crawled) as crawl:
        removed = {page["url"].rpartition("/")[2]: page["body_removed_at"] for page in crawl.catalog.pages()}
        fetches = list(crawl.catalog.list_all_fetches())
    assert removed.pop("pinned") is None
    assert all(removed.values())
    assert sum(fetch["body_removed_at"] is not None for fetch in fetches) == 3


def test_s9_a_second_time_nothing_is_left_to_do(crawled: Path) -> None:
    place = place_of(crawled)
    assert retain_later(place, 30).files == 1
    assert retain_later(place, 30, 50 * DAY) == Retained()


def test_s9_young_bodies_stay(crawled: Path) -> None:
    before = read_bodies(crawled)
    assert retain_later(place_of(crawled), 30, 29 * DAY) == Retained()
    assert read_bodies(crawled) == before


def test_s9_a_body_stays_while_a_younger_fetch_has_the_same_content(crawled: Path) -> None:
    """The younger fetch is a revisit, which has no body of its own."""
    before = read_bodies(crawled)
    with open_crawl(crawled) as crawl:
        started = {fetch["key"]: fetch["started_at"] for fetch in crawl.catalog.list_all_fetches()}
        keys = {page["url"].rpartition("/")[2]: page["key"] for page in crawl.catalog.pages()}
    last = max(started[keys["old"]], started[keys["copy"]])
    place = place_of(crawled)
    with place.lock():
        retain(place, make_settings(30), last + 30 * DAY)  # the last of the two is just young enough
    after = read_bodies(crawled)
    assert (after["old"], after["copy"]) == (before["old"], before["copy"])
    assert after[""] is None


def test_s9_indexed_pages_keep_their_bodies(crawled: Path) -> None:
    pytest.importorskip("tantivy")
    before = read_bodies(crawled)
    assert main.run(["search", str(crawled), "home"]) == 0
    assert retain_later(place_of(crawled), 30) == Retained()
    assert read_bodies(crawled) == before
    assert retain_later(place_of(crawled), 30, keep_indexed=False).bodies == 4


def test_s9_the_command_says_what_it_removed(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["retain", str(crawled)]) == 2
    assert "retention.body_days" in capsys.readouterr().err
    assert main.run(["config", str(crawled), "retention.body_days=0"]) == 0
    capsys.readouterr()
    assert main.run(["retain", str(crawled), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes_after"] is None
    assert read_bodies(crawled)["old"] is not None, "a dry run changes nothing"
    assert main.run(["retain", str(crawled), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["bodies"], told["files"]) == (4, 1)
    assert 0 < told["bytes_after"] < told["bytes_before"]
    assert main.run(["retain", str(crawled)]) == 0
    assert "no body is older than 0 days" in capsys.readouterr().out
    assert main.run(["explain", str(crawled), "http://a.test/old"]) == 0
    assert "by retention.body_days" in capsys.readouterr().out


def test_s9_a_crawl_without_bodies_verifies_rebuilds_and_continues(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, dict(SITE), "--set", "scope.sitemaps=false")
        retain_later(place_of(name), 30, pinned=("/pinned$",))
        expected = read_bodies(name)
        assert_clean(name)
        rebuild_views(name, SETTINGS)
        assert_clean(name)
        assert read_bodies(name) == expected
        for path in (name / "warc").iterdir():
            data = path.read_bytes()
            assert SECRET.encode() not in (gzip.decompress(data) if path.suffix == ".gz" else data)
        resume_in_process(name, "/new")
        assert_clean(name)
        assert read_bodies(name)["new"] == b"<title>/new"
        assert len(list((name / "warc").glob("*.warc.gz"))) == 2


def test_s9_what_a_consumer_reads_from_the_log_is_found_at_its_new_place(tmp_path: Path) -> None:
    import hondius

    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, dict(SITE), "--set", "scope.sitemaps=false")
        retain_later(place_of(name), 30, pinned=("/pinned$",))
        with hondius.open(name) as crawl:
            bodies = {page.url.rpartition("/")[2]: page.body for page in crawl.pages(consumer="reader")}
    assert bodies["pinned"] == b"<title>pinned</title><p>stays"
    assert bodies["old"] is None


def assert_clean(name: Path) -> None:
    report = verify_crawl(name, SETTINGS)
    assert report.clean, list(report.format_lines())


def resume_in_process(name: Path, path: str, *options: str) -> None:
    """Adds one page to the crawl."""
    with served({path: Answer(f"<title>{path}")}) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        words = ["resume", str(name), f"http://a.test{path}", "--delay", "0", "--resolve", resolve, "--json"]
        assert main.run([*words, *options]) == 0


def test_s9_a_run_removes_old_bodies_at_its_end_once_a_day(crawled: Path) -> None:
    resume_in_process(crawled, "/new", "--body-days", "0")
    assert not any(read_bodies(crawled).values())
    resume_in_process(crawled, "/newer")
    assert {path for path, body in read_bodies(crawled).items() if body} == {"newer"}, "once a day"


class DyingDisk(EmbeddedDisk):
    """The process dies before a write operation."""

    def __init__(self, directory: Path, operations: int) -> None:
        super().__init__(directory)
        self.left = operations

    def _count(self) -> None:
        if self.left == 0:
            raise Crash
        self.left -= 1

    def append(self, path: str, data: bytes) -> None:
        self._count()
        super().append(path, data)

    def sync(self, path: str) -> None:
        self._count()
        super().sync(path)

    def remove(self, path: str) -> None:
        self._count()
        super().remove(path)

    def replace(self, path: str, *content: Any, **options: Any) -> None:
        self._count()
        super().replace(path, *content, **options)


def test_s9_a_kill_between_any_two_writes_loses_nothing(crawl: Path, tmp_path: Path) -> None:
    """Until `retain` survives, each round kills it one operation later; the next start must find all in order."""
    before = read_bodies(crawl)
    stays = {path: body for path, body in before.items() if path == "image"}
    survived = False
    for operations in range(60):
        copy = tmp_path / f"killed-{operations}"
        shutil.copytree(crawl, copy)
        try:
            retain_later(EmbeddedPlace(copy, DyingDisk(copy, operations)), 30, pinned=("/image$",))
            survived = True
        except Crash:
            pass
        found = read_bodies(copy)
        assert all(found[path] == body for path, body in stays.items())
        retain_later(place_of(copy), 30, pinned=("/image$",))
        assert_clean(copy)
        assert {path for path, body in read_bodies(copy).items() if body} == set(stays)
        assert len(list((copy / "warc").glob("*.warc.gz"))) == 1
        shutil.rmtree(copy)
        if survived:
            break
    assert survived
    assert operations > 5


def make_event(moves: Sequence[Move], change: Callable[[bytes], bytes] = bytes, count: int | None = None) -> Rewritten:
    return Rewritten(1.0, "a.warc.gz", "b.warc.gz", len(moves) if count is None else count, change(encode_moves(moves)))


def test_s9_moves_of_a_strange_log_are_bounded() -> None:
    moves = [Move(1, 2, 3, 0), Move(2**60, 5, 6, 1)]
    assert list(decode_moves(make_event(moves))) == moves
    assert not has_whole_moves(make_event(moves, lambda data: data[:-3]))
    assert not has_whole_moves(make_event(moves, count=1))
    assert not has_whole_moves(make_event(moves, count=3))
    assert not has_whole_moves(make_event(moves, count=-1))
    assert not has_whole_moves(make_event(moves, lambda data: b"no" + data))
