"""The contract of `NearIndex`, for every adapter."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from hondius.errors import BrokenView
from hondius.model import Finished, Frame, State
from hondius.native import Identity, Reader
from hondius.ports import NearIndex
from hondius.position import START, Position
from hondius.stores.factory import EmbeddedPlace, MemoryPlace
from hondius.stores.near.index import open_index

LOG = 12
READER = Reader(Identity(), agent_token="hondius")
Open = Callable[[], NearIndex]


def _in_memory(root: Path) -> Open:
    place = MemoryPlace("a crawl", root)
    return lambda: place.open_near(similarity=0.7)


ADAPTERS: dict[str, Callable[[Path], Open]] = {
    "directory": lambda root: lambda: EmbeddedPlace(root).open_near(similarity=0.7),
    "in memory": _in_memory,
}


@pytest.fixture(params=ADAPTERS)
def open_near(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Each call opens the same index."""
    return ADAPTERS[request.param](tmp_path)


def make_sketch(topic: int, changed: int = 0) -> bytes:
    """Of a text of 300 words, of which the first ones are changed."""
    random = Random(topic)
    words = [f"word{random.randrange(5_000)}" for _ in range(300)]
    words[:changed] = [f"other{number}" for number in range(changed)]
    sketch = READER.read(" ".join(words).encode(), url="http://a.test/", content_type="text/plain").sketch
    assert sketch is not None
    return sketch


def make_key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def make_end(number: int, **changes: object) -> Finished:
    url = f"http://a.test/{number}"
    end = Finished(make_key(number), url, url, "a.test", State.COMPLETED, "", sketch=make_sketch(number))
    return msgspec.structs.replace(end, **changes)


def make_frame(sequence: int, *ends: Finished, partition: int = 0) -> Frame:
    return Frame(sequence, 1.0, ends, LOG, partition=partition)


def test_x2_near_copies_of_pages_in_the_log_are_found(open_near: Open) -> None:
    with closing(open_near()) as index:
        assert index.position == START
        index.apply([make_frame(1, *(make_end(number) for number in range(20)))])
    with closing(open_near()) as index:
        assert (index.position, index.log) == (Position((1,)), LOG)
        for number in range(20):
            assert index.find(make_key(99), make_sketch(number, 4)) == (False, make_key(number))
            assert index.find(make_key(number), make_sketch(number, 4)) == (False, None), "a page is no copy of itself"
        assert index.find(make_key(99), make_sketch(99)) == (True, None)
        assert index.find_damages() == []


def test_x3_only_canonical_members_have_near_copies(open_near: Open) -> None:
    others = [
        make_end(1, near_of=make_key(7)),
        make_end(2, state=State.DUPLICATE),
        make_end(3, kind="sitemap"),
        make_end(4, sketch=None),
        make_end(5, sketch=b"too short"),
    ]
    with closing(open_near()) as index:
        index.apply([make_frame(1, *others)])
        for number in range(1, 6):
            assert index.find(make_key(99), make_sketch(number)) == (True, None)


def test_x2_a_page_that_no_frame_has_yet_has_near_copies_until_it_is_forgotten(open_near: Open) -> None:
    with closing(open_near()) as index:
        index.remember(make_key(1), make_sketch(1))
        assert index.find(make_key(2), make_sketch(1, 4)) == (False, make_key(1))
        index.forget(make_key(1))
        assert index.find(make_key(2), make_sketch(1, 4)) == (True, None)


def test_x2_a_frame_that_was_applied_changes_nothing(open_near: Open) -> None:
    with closing(open_near()) as index:
        index.apply([make_frame(1, make_end(1)), make_frame(2, make_end(2))])
        index.apply([make_frame(1, make_end(3))])
        assert index.find(make_key(99), make_sketch(3)) == (True, None)
        index.apply([make_frame(1, make_end(4), partition=1)])
        assert index.position == Position((2, 1))
        assert index.find(make_key(99), make_sketch(4)) == (False, make_key(4))


def test_x4_a_damaged_index_is_a_broken_view(tmp_path: Path) -> None:
    with closing(open_index(tmp_path / "near", 0.7)) as index:
        index.apply([make_frame(1, make_end(1))])
    (tmp_path / "near" / "manifest").write_bytes(b"damaged")
    with pytest.raises(BrokenView, match="near is damaged"):
        open_index(tmp_path / "near", 0.7)


def test_x2_a_stranger_text_is_only_near_from_the_similarity_on(tmp_path: Path) -> None:
    with closing(open_index(tmp_path / "near", 1.0)) as index:
        index.apply([make_frame(1, make_end(1))])
        assert index.find(make_key(2), make_sketch(1)) == (False, make_key(1))
        assert index.find(make_key(2), make_sketch(1, 60)) == (True, None)
