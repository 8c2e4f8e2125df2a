"""The contract of `LinkSegments`, for every adapter."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.clock import SystemClock
from hondius.errors import Broken, DiskFull, HondiusError
from hondius.native import Identity, Page, Reader
from hondius.ports import Disk, LinkSource
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import Crash, SimulatedDisk
from hondius.stores.links.embedded import EmbeddedLinkSegments
from hondius.stores.links.reading import KeptLink, LinkLocation, SegmentFiles, read_links_at

IDENTITY = Identity()
READER = Reader(IDENTITY, agent_token="hondius", want_text=False)


def segments(disk: Disk, durable: dict[str, int] | None = None, *, file_bytes: int = 1 << 30) -> EmbeddedLinkSegments:
    return EmbeddedLinkSegments(
        disk, durable=durable or {}, identity=IDENTITY, clock=SystemClock(), file_bytes=file_bytes
    )


ADAPTERS: dict[str, Callable[[Path], tuple[Disk, EmbeddedLinkSegments]]] = {
    "embedded": lambda root: (disk := EmbeddedDisk(root), segments(disk)),
    "embedded, small files": lambda root: (disk := EmbeddedDisk(root), segments(disk, file_bytes=1)),
    "embedded, simulated disk": lambda root: (disk := SimulatedDisk(), segments(disk)),
}


@pytest.fixture(params=ADAPTERS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Disk, EmbeddedLinkSegments]:
    return ADAPTERS[request.param](tmp_path)


def read(body: str, url: str) -> Page:
    return READER.read(body.encode(), url=url, content_type="text/html; charset=utf-8")


def source(number: int) -> LinkSource:
    url = f"http://a.test/{number}"
    body = f"""<a href="/next/{number}">on to {number}</a><a rel="nofollow ugc" href="http://b.test/?utm_source=x">Ü</a>
        <link rel=canonical href="/canonical"><iframe src=/frame></iframe>"""
    return IDENTITY.parse(url).key, url, read(body, url)


def test_a_receipt_says_where_the_links_of_each_page_lie(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    """S4"""
    _, links = kept
    for batch in ((0, 1), (2,), (3,)):
        receipt = links.append([source(number) for number in batch])
        ((file, length),) = receipt.durable
        for number, place in zip(batch, receipt.locations, strict=True):
            assert place[0] == file
            assert place[1] < length
            page = links.read(*place)
            assert (page.key, page.href, page.count) == (IDENTITY.parse(page.href).key, f"http://a.test/{number}", 4)
            assert page.has_same_keys
            assert page.left_out == 0


def test_a_link_has_its_target_anchor_rel_and_kind(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    disk, links = kept
    receipts = [links.append([source(number), source(number + 1)]) for number in (0, 2)]
    found = list(read_links_at(disk, [place for receipt in receipts for place in receipt.locations], IDENTITY))
    key = IDENTITY.parse("http://a.test/0").key
    expected = [
        ("http://a.test/next/0", "on to 0", "", "anchor"),
        ("http://b.test/?utm_source=x", "Ü", "nofollow ugc", "anchor"),
        ("http://a.test/canonical", "", "", "canonical"),
        ("http://a.test/frame", "", "", "frame"),
    ]
    assert found[:4] == [KeptLink(key, IDENTITY.parse(href).key, href, *rest) for href, *rest in expected]
    assert [link.anchor for link in found[::4]] == ["on to 0", "on to 1", "on to 2", "on to 3"]


def test_o1_a_block_is_read_at_once(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    disk, links = kept
    (file, offset, _), (other, same, _) = links.append([source(0), source(1)]).locations
    assert (other, same) == (file, offset)
    for reader in (links, SegmentFiles(disk, IDENTITY)):
        assert [page.href for page in reader.read_block(file, offset)] == ["http://a.test/0", "http://a.test/1"]
        with pytest.raises(HondiusError):
            reader.read_block(file, offset + 1)


def test_links_that_were_read_back_can_be_kept_again(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    disk, links = kept
    (place,) = links.append([source(7)]).locations
    key, url, _ = source(7)
    (again,) = links.append([(key, url, links.read(*place))]).locations
    assert list(read_links_at(disk, [again], IDENTITY)) == list(read_links_at(disk, [place], IDENTITY))


def test_nothing_to_keep_touches_no_file(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    disk, links = kept
    receipt = links.append([])
    assert (receipt.locations, receipt.durable, disk.list("links")) == ([], [], [])


def test_where_nothing_lies_nothing_is_read(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    _, links = kept
    ((file, offset, _),) = links.append([source(1)]).locations
    for place in ((file, offset, 1), (file, offset + 1, 0), (file, 1 << 40, 0), ("other.links", offset, 0)):
        with pytest.raises(HondiusError):
            links.read(*place)
    with pytest.raises(Broken, match="is no name of a link segment"):
        links.read("../log/1.links/../x", 0, 0)


def test_a_batch_for_which_there_is_no_room_leaves_the_file_as_it_was() -> None:
    """S5"""
    disk = SimulatedDisk()
    links = segments(disk)
    ((file, length),) = links.append([source(1)]).durable
    disk.room = length + 10
    with pytest.raises(DiskFull):
        links.append([source(2)])
    assert disk.size(f"links/{file}") == length
    disk.room = 1 << 40
    (place,) = links.append([source(3)]).locations
    assert place[:2] == (file, length)
    assert links.read(*place).href == "http://a.test/3"


def test_a_sync_that_fails_begins_a_new_file() -> None:
    disk = SimulatedDisk()
    links = segments(disk)
    ((file, length),) = links.append([source(1)]).durable
    disk.fails = lambda operation, path: operation == "sync"
    with pytest.raises(HondiusError):
        links.append([source(2)])
    disk.fails = lambda operation, path: False
    ((other, _),) = links.append([source(3)]).durable
    assert other != file
    assert segments(disk, {file: length, other: disk.size(f"links/{other}")})
    assert disk.size(f"links/{file}") == length


def test_a_start_cuts_off_what_no_frame_knows() -> None:
    """S4"""
    disk = SimulatedDisk()
    links = segments(disk)
    (first,) = links.append([source(1)]).locations
    file, length = first[0], disk.size(f"links/{first[0]}")
    links.append([source(2)])
    again = segments(disk, {file: length})
    assert disk.size(f"links/{file}") == length
    assert again.read(*first).href == "http://a.test/1"
    ((other, _),) = again.append([source(3)]).durable
    assert other != file, "a run never goes on in a file of an earlier one"
    segments(disk, {file: length})
    assert disk.list("links") == [file], "a file of which no frame knows anything is removed"


def test_a_segment_that_lost_bytes_asks_for_a_rebuild() -> None:
    disk = SimulatedDisk()
    ((file, length),) = segments(disk).append([source(1)]).durable
    disk.truncate(f"links/{file}", length - 1)
    with pytest.raises(Broken, match=r"had .*rebuild"):
        segments(disk, {file: length})


def test_a_segment_that_is_missing_stops_no_start() -> None:
    disk = SimulatedDisk()
    ((file, length),) = segments(disk).append([source(1)]).durable
    disk.remove(f"links/{file}")
    ((other, _),) = segments(disk, {file: length}).append([source(2)]).durable
    assert other != file


def test_a_block_has_the_links_of_all_its_pages(kept: tuple[Disk, EmbeddedLinkSegments]) -> None:
    """S4"""
    _, links = kept
    places = links.append([source(number) for number in range(3)]).locations
    for file, offset, index in places:
        pages = links.read_block(file, offset)
        assert pages[index].href == links.read(file, offset, index).href
    with pytest.raises(HondiusError):
        links.read_block(places[0][0], places[0][1] + 1)


def test_several_segments_of_which_no_frame_knows_are_damage() -> None:
    disk = SimulatedDisk()
    small = segments(disk, file_bytes=1)
    small.append([source(1)])
    small.append([source(2)])
    with pytest.raises(Broken, match="knows nothing of 2 link segments"):
        segments(disk)


@pytest.mark.parametrize("operation", range(1, 12))
def test_a_kill_within_any_write_loses_no_page_that_a_frame_names(operation: int) -> None:
    """F5"""
    disk = SimulatedDisk()
    links = segments(disk)
    durable: dict[str, int] = {}
    places: list[LinkLocation] = []

    def append_pages() -> None:
        for number in range(6):
            receipt = links.append([source(number)])
            durable.update(receipt.durable)
            places.extend(receipt.locations)

    disk.crash_at = operation
    with pytest.raises(Crash):
        append_pages()
    disk.restart()
    again = segments(disk, durable)
    assert [again.read(*place).href for place in places] == [f"http://a.test/{n}" for n in range(len(places))]
