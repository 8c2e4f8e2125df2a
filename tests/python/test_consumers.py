"""O2: a named consumer is a cursor into the log."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import hondius
from hondius.errors import HondiusError, WrongUse
from hondius.model import Finished
from hondius.opening import place_of
from hondius.operate.cli import main
from hondius.position import Cursor, Position
from hondius.python import consumers
from tests.journeys.scripted_site import Answer, Request, Script
from tests.python.shop import BLUE, HOME, RED, SITE
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place, served


@pytest.fixture(params=WORLDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        yield name


@pytest.fixture
def shop(place: Path) -> Path:
    """One that the test may change."""
    crawl_in_process(place, SITE)
    return place


def in_commit_order(name: Path) -> list[str]:
    """The URLs of pages with content, as the log has them."""
    with closing(place_of(name).open_log(read_only=True)) as log:
        ends = [event for frame in log.read() for event in frame.events if isinstance(event, Finished)]
    good = ("completed", "duplicate")
    return [end.url for end in ends if end.state in good and end.kind == "page" and not end.noindex]


def test_o2_pages_come_once_in_commit_order(shop: Path) -> None:
    expected = in_commit_order(shop)
    assert len(expected) == 4
    with hondius.open(shop) as crawl:
        pages = list(crawl.pages(consumer="indexer"))
        assert [page.url for page in pages] == expected
        assert all(page.markdown for page in pages if page.url == RED)
        assert list(crawl.pages(consumer="indexer")) == []
        assert [page.url for page in crawl.pages(consumer="another")] == expected
    with hondius.open(shop) as crawl:
        assert list(crawl.pages(consumer="indexer")) == []
    assert place_of(shop).open_consumers().list() == ["another", "indexer"]


def test_o2_a_page_is_acknowledged_by_taking_the_next(shop: Path) -> None:
    expected = in_commit_order(shop)
    for number in range(len(expected)):
        with hondius.open(shop) as crawl:
            taken = []
            for page in crawl.pages(consumer="indexer"):
                taken.append(page.url)
                if len(taken) == 2:
                    break
            assert taken == expected[number : number + 2]


def test_o2_a_page_whose_work_failed_comes_again(shop: Path) -> None:
    expected = in_commit_order(shop)

    def index(crawl: "hondius.python.opened.OpenedCrawl") -> None:
        for number, _ in enumerate(crawl.pages(consumer="indexer")):
            if number == 2:
                raise RuntimeError("the index is full")

    with hondius.open(shop) as crawl, pytest.raises(RuntimeError):
        index(crawl)
    with hondius.open(shop) as crawl:
        assert [page.url for page in crawl.pages(consumer="indexer")] == expected[2:]


def test_o2_the_saved_position_is_never_ahead_of_what_was_acknowledged(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "SAVE_PAGES", 1)
    expected, saved = in_commit_order(shop), place_of(shop).open_consumers()
    with hondius.open(shop) as crawl:
        for number, page in enumerate(crawl.pages(consumer="indexer")):
            assert page.url == expected[number]
            cursor = saved.position("indexer")
            with hondius.open(shop) as other:  # as after a kill
                if cursor is not None:
                    place_of(shop).open_consumers().save("copy", cursor)
                left = [page.url for page in other.pages(consumer="copy")]
            assert left[: len(expected) - number] == expected[number:]
            saved.remove("copy")


def test_o2_a_page_that_ended_twice_is_seen_twice_as_it_was_each_time(place: Path) -> None:
    answers = iter(("<title>first</title>one", "<title>second</title>two"))
    script: Script = {"/": lambda request: Answer(next(answers))}
    with served(script) as site:
        options = ["--delay", "0", "--resolve", f"*.test=127.0.0.1:{site.port}", "--json"]
        assert main.run(["crawl", HOME, "--into", str(place), *options]) == 0
        assert main.run(["recrawl", str(place), HOME]) == 0
        assert main.run(["resume", str(place), "--json"]) == 0
    with hondius.open(place) as crawl:
        pages = list(crawl.pages(consumer="indexer"))
        assert [(page.title, page.text) for page in pages] == [("first", "one"), ("second", "two")]
        assert pages[0] != pages[1]
        assert [fetch.status for fetch in crawl[HOME].history] == [200, 200]


HOLDER = """
import sys, hondius
with hondius.open(sys.argv[1]) as crawl:
    for page in crawl.pages(consumer="indexer"):
        print(page.url, flush=True)
        sys.stdin.read()
"""


def test_o2_a_consumer_is_for_one_process_until_it_is_killed(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as place:
        crawl_in_process(place, SITE)
    first, *_ = in_commit_order(place)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == first
        with hondius.open(place) as crawl:
            with pytest.raises(WrongUse, match=f"consumer indexer is in use by process {holder.pid}; stop it"):
                next(iter(crawl.pages(consumer="indexer")))
            assert next(iter(crawl.pages(consumer="another"))).url == first
        holder.kill()
    with hondius.open(place) as crawl:
        assert next(iter(crawl.pages(consumer="indexer"))).url == first


def test_o2_a_consumer_filters(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        assert [page.url for page in crawl.pages(consumer="german", language="de")] == [BLUE]
        assert list(crawl.pages(consumer="german")) == []


def test_o2_a_consumer_follows_a_crawl_until_it_ends(place: Path) -> None:
    """A page is served only when the consumer has seen the one before: so it was seen while the crawl ran."""
    seen: list[str] = []
    changed = threading.Condition()

    def answer(request: Request) -> Answer:
        number = int(request.path[1:] or 0)
        with changed:
            assert changed.wait_for(lambda: len(seen) >= number or failed.is_set(), 20)
        return Answer.page(f"/{number + 1}") if number < 5 else Answer.page()

    script: Script = {f"/{number or ''}": answer for number in range(6)}

    def consume() -> None:
        while not place_of(place).has_settings or place_of(place).holder() is None:
            failed.wait(0.01)
        try:
            with hondius.open(place) as crawl:
                for page in crawl.pages(consumer="indexer", follow=True):
                    with changed:
                        seen.append(page.url)
                        changed.notify_all()
        except HondiusError:
            failed.set()
            raise

    failed = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        consumed = thread.submit(consume)
        crawl_in_process(place, script)
        consumed.result(20)
    assert seen == [f"http://a.test/{number or ''}" for number in range(6)]


def test_o2_following_ends_when_the_crawl_is_closed(shop: Path) -> None:
    crawl = hondius.open(shop)
    with place_of(shop).lock(), ThreadPoolExecutor(1) as thread:  # as if a crawl ran
        following = thread.submit(lambda: [page.url for page in crawl.pages(consumer="indexer", follow=True)])
        while (saved := place_of(shop).open_consumers().position("indexer")) is None or saved.frame is not None:
            threading.Event().wait(0.01)
        assert not following.done()
        crawl.close()
        assert following.result(20) == in_commit_order(shop)


async def test_o2_a_consumer_is_iterated_over_with_async_for(shop: Path) -> None:
    expected = in_commit_order(shop)
    async with hondius.open_async(shop) as crawl:
        async for page in crawl.pages(consumer="indexer"):
            assert page.url == expected[0]
            break
    async with hondius.open_async(shop) as crawl:
        assert [page.url async for page in crawl.pages(consumer="indexer", follow=True)] == expected


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a b", "x" * 101, "ü"])
def test_o2_a_bad_name_is_refused(shop: Path, name: str) -> None:
    with hondius.open(shop) as crawl, pytest.raises(WrongUse, match="no name of a consumer"):
        crawl.pages(consumer=name)


@pytest.mark.parametrize("name", ["search", "opensearch", "sink.show"])
def test_o2_a_name_that_hondius_uses_itself_is_refused(shop: Path, name: str) -> None:
    reserved = "Hondius uses search, opensearch and names that begin with sink. itself"
    with hondius.open(shop) as crawl, pytest.raises(WrongUse, match=reserved):
        crawl.pages(consumer=name)
    for make in (hondius.crawl, hondius.crawl_sync):
        with pytest.raises(WrongUse, match=reserved):
            make("http://a.test/", into=shop, consumer=name)


@pytest.mark.parametrize("make", [hondius.crawl, hondius.crawl_sync])
def test_o2_a_bad_name_is_refused_before_anything_is_written(tmp_path: Path, make: Callable[..., object]) -> None:
    with pytest.raises(WrongUse, match="no name of a consumer"):
        make("http://a.test/", into=tmp_path / "c", consumer="a b")
    assert not (tmp_path / "c").exists()


def test_o2_a_cursor_of_another_log_is_refused_with_help(shop: Path) -> None:
    saved = place_of(shop).open_consumers()
    with closing(place_of(shop).open_log(read_only=True)) as log:
        identity = log.identity
    for cursor in (Cursor(identity + 1), Cursor(identity, Position((10_000,)))):
        saved.save("indexer", cursor)
        with hondius.open(shop) as crawl, pytest.raises(HondiusError, match=r"consumers .* --remove indexer"):
            list(crawl.pages(consumer="indexer"))
    saved.remove("indexer")
    with hondius.open(shop) as crawl:
        assert list(crawl.pages(consumer="indexer"))


def test_o2_after_kill_9_every_page_has_come_at_least_once(tmp_path: Path) -> None:
    shop = tmp_path / "crawl"
    crawl_in_process(shop, SITE)
    program = (
        "import hondius, os, signal, sys\n"
        "with hondius.open(sys.argv[1]) as crawl:\n"
        "    for page in crawl.pages(consumer='indexer'):\n"
        "        os.write(1, page.url.encode() + b'\\n')\n"
        "        if page.url == sys.argv[2]: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    expected = in_commit_order(shop)
    killed = subprocess.run([sys.executable, "-c", program, shop, expected[2]], capture_output=True, check=False)
    assert (killed.returncode, killed.stdout.decode().split()) == (-9, expected[:3])
    rest = subprocess.run([sys.executable, "-c", program, shop, ""], capture_output=True, check=True)
    assert {*killed.stdout.decode().split(), *rest.stdout.decode().split()} == set(expected)
    assert expected[2] in rest.stdout.decode().split()


def test_o2_a_damaged_cursor_says_what_to_do(tmp_path: Path) -> None:
    shop = tmp_path / "crawl"
    crawl_in_process(shop, SITE)
    (shop / "consumers").mkdir()
    for text in (b"", b"{}", b'{"log":1,"position":{"sequences":[-1]}}', msgspec.json.encode({"log": "x"})):
        (shop / "consumers" / "indexer.json").write_bytes(text)
        with hondius.open(shop) as crawl, pytest.raises(HondiusError, match="is damaged: put it back"):
            crawl.pages(consumer="indexer")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_o2_a_consumer_needs_a_place_that_can_be_written(tmp_path: Path) -> None:
    shop = tmp_path / "crawl"
    crawl_in_process(shop, SITE)
    shop.chmod(0o500)
    try:
        with hondius.open(shop) as crawl, pytest.raises(WrongUse, match="omit `consumer`"):
            crawl.pages(consumer="indexer")
    finally:
        shop.chmod(0o700)
