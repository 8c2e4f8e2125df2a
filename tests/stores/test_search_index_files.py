"""S7: the search index as files: damage, other versions, links of strangers, places that cannot be written."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hondius.stores.search import documents
from hondius.stores.search.embedded import EmbeddedSearchIndex
from tests.contracts.test_search_index import FIRST, find, make_page, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with closing(EmbeddedSearchIndex(tmp_path, is_writable=True)) as index:
        write(index, [make_page(1, "atlas")])
    return tmp_path


def list_segments(root: Path, suffix: str) -> list[Path]:
    return sorted((root / "search").glob(f"*{suffix}"))


def cut(root: Path) -> None:
    for path in list_segments(root, ".idx"):
        os.truncate(path, 10)


def remove_words(root: Path) -> None:
    for path in list_segments(root, ".term"):
        path.unlink()


def spoil_list(root: Path) -> None:
    (root / "search" / "meta.json").write_text("{")


def link_away(root: Path) -> None:
    path = list_segments(root, ".store")[0]
    path.rename(root / "elsewhere")
    path.symlink_to(root / "elsewhere")


@pytest.mark.parametrize("damage", [cut, remove_words, spoil_list, link_away])
def test_s7_a_damaged_index_is_none_and_is_begun_anew(root: Path, damage: Callable[[Path], None]) -> None:
    damage(root)
    with closing(EmbeddedSearchIndex(root, is_writable=True)) as index:
        assert index.refresh() is None
        write(index, [make_page(2, "atlas")])
        assert find(index, "atlas") == [2]


def test_s7_an_index_of_another_version_is_begun_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(EmbeddedSearchIndex(root, is_writable=True)) as index:
        assert index.refresh() == FIRST
    with monkeypatch.context() as patch:
        patch.setattr(documents, "VERSION", "0.0")
        with closing(EmbeddedSearchIndex(root, is_writable=True)) as index:
            write(index, [make_page(2, "atlas")])
    with closing(EmbeddedSearchIndex(root, is_writable=True)) as index:
        assert index.refresh() is None
        write(index, [make_page(3, "atlas")])
        assert find(index, "atlas") == [3]


def test_q2_a_link_in_place_of_the_index_is_refused(root: Path) -> None:
    (root / "search").rename(root / "elsewhere")
    (root / "search").symlink_to(root / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        EmbeddedSearchIndex(root, is_writable=True)


def test_s7_where_nothing_can_be_written_a_temporary_index_continues_the_one_that_is_there(root: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    index = EmbeddedSearchIndex(root, is_writable=False)
    assert index.is_temporary
    assert (index.refresh(), find(index, "atlas")) == (FIRST, [1])
    write(index, [make_page(2, "atlas")])
    assert sorted(find(index, "atlas")) == [1, 2]
    index.close()
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
    shutil.rmtree(root / "search")
    with closing(EmbeddedSearchIndex(root, is_writable=False)) as empty:
        assert empty.refresh() is None
        write(empty, [make_page(3, "atlas")])
        assert find(empty, "atlas") == [3]
    assert not (root / "search").exists()
