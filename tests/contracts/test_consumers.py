"""The contract of `Consumers`, for every adapter."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from hondius.errors import Broken, DiskFull, WrongUse
from hondius.ports import Consumers
from hondius.position import Cursor, Position
from hondius.stores.consumers.files import ConsumerFiles
from hondius.stores.consumers.memory import MemoryConsumers
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import SimulatedDisk

FIRST = Cursor(2**62, Position((3,)), Position((4,)), 7)
SECOND = Cursor(2**62, Position((5, 9)))


def _in_memory() -> Callable[[], Consumers]:
    saved: dict[str, Cursor] = {}
    return lambda: MemoryConsumers(saved)


def _simulated() -> Callable[[], Consumers]:
    disk = SimulatedDisk()
    return lambda: ConsumerFiles(disk)


ADAPTERS: dict[str, Callable[[Path], Callable[[], Consumers]]] = {
    "files": lambda root: lambda: ConsumerFiles(EmbeddedDisk(root)),
    "files, simulated disk": lambda root: _simulated(),
    "in memory": lambda root: _in_memory(),
}


@pytest.fixture(params=ADAPTERS)
def open_consumers(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Consumers]:
    """Each call opens the same cursors."""
    return ADAPTERS[request.param](tmp_path)


def test_nobody_consumes_at_first(open_consumers: Callable[[], Consumers]) -> None:
    assert open_consumers().list() == []
    assert open_consumers().position("indexer") is None
    assert not open_consumers().remove("indexer")


def test_o2_the_last_saved_cursor_counts(open_consumers: Callable[[], Consumers]) -> None:
    open_consumers().save("indexer", FIRST)
    assert open_consumers().position("indexer") == FIRST
    open_consumers().save("indexer", SECOND)
    open_consumers().save("another.one-2_3", FIRST)
    assert open_consumers().position("indexer") == SECOND
    assert open_consumers().list() == ["another.one-2_3", "indexer"]


def test_o2_a_removed_consumer_begins_again(open_consumers: Callable[[], Consumers]) -> None:
    open_consumers().save("indexer", FIRST)
    assert open_consumers().remove("indexer")
    assert open_consumers().position("indexer") is None
    assert open_consumers().list() == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../lock", ".hidden", "a b", "a\n", "x" * 101, "é", "-x"])
def test_o2_only_plain_names_are_taken(open_consumers: Callable[[], Consumers], name: str) -> None:
    consumers = open_consumers()
    for use in (consumers.position, consumers.remove, lambda name: consumers.save(name, FIRST)):
        with pytest.raises(WrongUse, match="no name of a consumer"):
            use(name)
    assert consumers.list() == []


def test_s1_a_saved_cursor_survives_a_crash_of_the_machine_and_a_full_disk_leaves_the_old_one() -> None:
    disk = SimulatedDisk()
    ConsumerFiles(disk).save("indexer", FIRST)
    disk.lose_power(Random(1))
    assert ConsumerFiles(disk).position("indexer") == FIRST
    disk.room = 0
    with pytest.raises(DiskFull):
        ConsumerFiles(disk).save("indexer", SECOND)
    assert ConsumerFiles(disk).position("indexer") == FIRST


def test_o2_files_of_other_names_are_no_consumers(tmp_path: Path) -> None:
    (tmp_path / "consumers").mkdir()
    for name in (".x.json", "a b.json", "readme.txt", "good.json"):
        (tmp_path / "consumers" / name).write_text("{}")
    consumers = ConsumerFiles(EmbeddedDisk(tmp_path))
    assert consumers.list() == ["good"]
    with pytest.raises(Broken, match="--remove good"):
        consumers.position("good")
    assert consumers.remove("good")


def test_o2_two_processes_may_save_one_cursor_at_the_same_time(tmp_path: Path) -> None:
    """Each has a disk of its own, as processes have."""
    cursors = [Cursor(1, Position((number,))) for number in range(1, 5)]

    def save(cursor: Cursor) -> None:
        consumers = ConsumerFiles(EmbeddedDisk(tmp_path))
        for _ in range(50):
            consumers.save("indexer", cursor)

    with ThreadPoolExecutor(len(cursors)) as threads:
        list(threads.map(save, cursors))
    assert ConsumerFiles(EmbeddedDisk(tmp_path)).position("indexer") in cursors
